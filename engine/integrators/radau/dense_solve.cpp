// DenseSystem's differential part: its two matrices for a step size, and the changes by them.

#include "engine/integrators/radau/dense_system.hpp"

namespace mbs::radau {

bool DenseSystem::factor(double h) {
  const Tableau& t = tableau();
  const bool qr = context_.options.differential == Differential::qr;
  h_ = h;
  const int size = halves_ ? n_q_ : n_y_;
  if (real_.matrix().cols() != size) {
    real_.resize(size, qr);
    complex_.resize(size, qr);
  }
  const double sigma = t.gamma / h;
  const std::complex<double> pair(t.alpha / h, t.beta / h);
  if (halves_) {
    real_.matrix() = DA_minus_C_ - sigma * A_plus_D_;
    real_.matrix().diagonal().array() += sigma * sigma;
    complex_.matrix() = DA_minus_C_ - pair * A_plus_D_;
    complex_.matrix().diagonal().array() += pair * pair;
  } else {
    real_.matrix() = -reduced_;
    real_.matrix().diagonal().array() += sigma;
    complex_.matrix() = -reduced_.cast<std::complex<double>>();
    complex_.matrix().diagonal().array() += pair;
  }
  context_.statistics.factorisations += 2;
  return real_.factor() && complex_.factor();
}

namespace {

// The elimination of q at the end of the head of dense_system.hpp.
template <class Scalar, class Y>
void solve_halves(const SmallFactors<Scalar>& factors, Scalar sigma, const Matrix& J, Y&& y,
                  Y&& d1) {
  const auto n = y.size() / 2;
  auto q = y.head(n);
  auto u = y.tail(n);
  d1 = q;
  u += sigma * d1;
  u.noalias() -= J.bottomRightCorner(n, n) * d1;
  factors.solve(u.data());
  q = u;
  u = sigma * q - d1;
  u.noalias() -= J.topLeftCorner(n, n) * q;
}

}  // namespace

void DenseSystem::solve_real(Eigen::Ref<Vector> y) {
  y_ = y;
  if (halves_) {
    solve_halves(real_, tableau().gamma / h_, reduced_, y_, y1_);
  } else {
    real_.solve(y_.data());
  }
  y = y_;
}

void DenseSystem::solve_complex(Eigen::Ref<Vector> re, Eigen::Ref<Vector> im) {
  z_.real() = re;
  z_.imag() = im;
  if (halves_) {
    const std::complex<double> pair(tableau().alpha / h_, tableau().beta / h_);
    solve_halves(complex_, pair, reduced_, z_, z1_);
  } else {
    complex_.solve(z_.data());
  }
  re = z_.real();
  im = z_.imag();
}

void DenseSystem::solve(Stages& stages) {
  if (stages.change.rows() == 0) return;  // time alone
  const Selector& level = velocity_selector();
  const int r = level.rank();
  auto right = right_.leftCols(3);
  for (int k = 0; k < 3; ++k) {
    const auto residual = stages.residual.col(k);
    auto pp = part_.col(k).head(n_.p);
    auto pv = part_.col(k).segment(n_.p, n_.v);
    c_rows_ = -residual.segment(at_.position, n_.g + n_.n);
    if (n_.s > 0) {
      s0_ = -residual.segment(at_.s, n_.s);
      contacts_.solve(s0_.data());
      c_rows_.noalias() -= J_.block(at_.position, at_.col_s, n_.g + n_.n, n_.s) * s0_;
    }
    const auto with_s = [&](int row, int count, auto&& out) {
      if (n_.s > 0) out.noalias() += J_.block(row, at_.col_s, count, n_.s) * s0_;
    };
    position_.reduce(c_rows_, c_reduced_);
    pp.noalias() = position_.R() * c_reduced_;
    lambda_rows_ = -residual.segment(at_.velocity, n_.lambda);
    if (n_.lambda > 0) {
      lambda_rows_.noalias() -= J_.block(at_.velocity, at_.col_p, n_.lambda, n_.p) * pp;
      if (n_.s > 0) {
        lambda_rows_.noalias() -= J_.block(at_.velocity, at_.col_s, n_.lambda, n_.s) * s0_;
      }
    }
    level.reduce(lambda_rows_, lambda_reduced_);
    pv.noalias() = level.R() * lambda_reduced_;
    const auto by = [&](int row, int count, auto&& out) {
      out = residual.segment(row, count);
      if (count == 0) return;
      out.noalias() += J_.block(row, at_.col_p, count, n_.p) * pp;
      out.noalias() += J_.block(row, at_.col_v, count, n_.v) * pv;
      with_s(row, count, out);
    };
    by(at_.dynamics, n_.v, right.col(k).head(n_.v));
    by(at_.acceleration, n_.lambda, lambda_rows_);
    level.reduce(lambda_rows_, lambda_reduced_);
    right.col(k).segment(n_.v, r) = -lambda_reduced_;
    by(at_.w, n_.w, right.col(k).tail(n_.w));
    right.col(k).tail(n_.w) *= -1.0;
    if (n_.s > 0) part_.col(k).tail(n_.s) = s0_ + s_p_ * pp;
  }
  solve_accelerations(right, part_.middleRows(layout_.ny(), n_.v + n_.lambda + n_.w));

  const int a = layout_.ny();
  for (int k = 0; k < 3; ++k) {
    const auto residual = stages.residual.col(k);
    const auto slope = stages.slopes.col(k);
    auto defect = defect_.col(k);
    part_p_ = residual.segment(at_.kinematics, n_.p) - slope.head(n_.p);
    auto q = defect.head(n_q_);
    q.noalias() = position_.S() * part_p_;
    q.noalias() += H_p_ * part_.col(k).head(n_.p);
    q.noalias() += H_v_ * part_.col(k).segment(n_.p, n_.v);
    part_v_ = stages.x.col(k).segment(a, n_.v) + part_.col(k).segment(a, n_.v) -
              slope.segment(n_.p, n_.v);
    defect.segment(n_q_, n_u_).noalias() = level.S() * part_v_;
    if (n_.r > 0) {
      auto rest = defect.tail(n_.r);
      const auto J = J_.middleRows(at_.r, n_.r);
      const auto part = part_.col(k);
      rest = residual.segment(at_.r, n_.r) - slope.tail(n_.r);
      rest.noalias() += J.leftCols(n_.p + n_.v) * part.head(n_.p + n_.v);
      rest.noalias() += J.middleCols(at_.col_lambda, n_.lambda) * part.segment(a + n_.v, n_.lambda);
      rest.noalias() += J.middleCols(at_.col_w, n_.w) * part.segment(a + n_.v + n_.lambda, n_.w);
      if (n_.s > 0) {  // J's p columns have the share of p in s already
        s0_ = part.tail(n_.s);
        s0_.noalias() -= s_p_ * part.head(n_.p);
        rest.noalias() += J.middleCols(at_.col_s, n_.s) * s0_;
      }
    }
  }
  const Tableau& t = tableau();
  transformed_.noalias() = defect_ * t.T_inverse.transpose();
  solve_real(transformed_.col(0));
  solve_complex(transformed_.col(1), transformed_.col(2));
  defect_.noalias() = transformed_ * t.T.transpose();
  stages.change = part_;
  stages.change.noalias() += L_ * defect_;
  if (!level.identity()) {  // parts outside of range B would grow when polynomials are prolonged
    for (int k = 0; k < 3; ++k) {
      const auto old = stages.x.col(k).segment(a + n_.v, n_.lambda);
      auto change = stages.change.col(k).segment(a + n_.v, n_.lambda);
      lambda_rows_ = old + change;
      level.reduce(lambda_rows_, lambda_reduced_);
      change.noalias() = level.B() * lambda_reduced_;
      change -= old;
    }
  }
  ++context_.statistics.solves;
}

void DenseSystem::filter(const Vector& F, Vector& d) {
  filtered_.setZero(n_y_);
  filtered_.head(n_q_).noalias() = position_.S() * F.head(n_.p);
  filtered_.segment(n_q_, n_u_).noalias() = velocity_selector().S() * F.segment(n_.p, n_.v);
  filtered_.tail(n_.r) = F.tail(n_.r);
  solve_real(filtered_);
  d.noalias() = L_.topRows(layout_.ny()) * filtered_;
  ++context_.statistics.solves;
}

}  // namespace mbs::radau
