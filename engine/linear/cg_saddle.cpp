#include "engine/linear/cg_saddle.hpp"

#include <cmath>
#include <limits>

namespace mbs {

namespace {

constexpr double tolerance = 4.0 * std::numeric_limits<double>::epsilon();
constexpr int many_iterations = 12;  // a new preconditioner next time
constexpr int all_iterations = 60;   // a new one now
// How far a neighbour's equilibrated entries may be off; the largest are about 1.
constexpr double neighbourhood = 0.2;

}  // namespace

void CgSaddle::analyse_special(const SaddleStructure& structure) {
  const Eigen::Index n_v = structure.M.cols(), n_lambda = structure.G.rows();
  L_.analyse(structure.M, structure.mass_blocks);
  G_ = structure.G;
  G_.makeCompressed();
  M0_.setZero(structure.M.nonZeros());
  G0_.setZero(G_.nonZeros());
  R0_.setZero(n_v + n_lambda);
  w_.setZero(n_v);
  for (Vector* x : {&D_, &D0_, &b_, &r_, &z_, &p_, &Ap_, &c_}) x->setZero(n_lambda);
  has_neighbour_ = refresh_ = false;
}

bool CgSaddle::leaves(const SaddleMatrix& matrix) const {
  if (matrix.F != nullptr || !has_neighbour_ || refresh_ || matrix.D != D0_) return true;
  const double* before = M0_.data();
  for (int j = 0; j < matrix.M.outerSize(); ++j) {
    for (ColumnSparse::InnerIterator m(matrix.M, j); m; ++m, ++before) {
      const double scale = R0_[m.row()] * R0_[j];
      if (!(std::abs(m.value() - *before) * scale <= neighbourhood)) return true;
    }
  }
  before = G0_.data();
  const Eigen::Index n_v = matrix.M.cols();
  for (int i = 0; i < matrix.G.outerSize(); ++i) {
    for (RowSparse::InnerIterator g(matrix.G, i); g; ++g, ++before) {
      const double scale = R0_[n_v + i] * R0_[g.col()];
      if (!(std::abs(g.value() - *before) * scale <= neighbourhood)) return true;
    }
  }
  return false;
}

bool CgSaddle::factor_special(const SaddleMatrix& matrix) {
  G_.coeffs() = matrix.G.coeffs();
  D_ = matrix.D;
  return L_.factor(matrix.M);
}

void CgSaddle::factored_generally(const SaddleMatrix& matrix, bool regular) {
  refresh_ = false;
  has_neighbour_ = regular && matrix.F == nullptr && D0_.size() > 0 && matrix.D.minCoeff() >= 0.0 &&
                   L_.factor(matrix.M) && scale_symmetrically();
  if (!has_neighbour_) return;
  M0_ = Eigen::Map<const Vector>(matrix.M.valuePtr(), M0_.size());
  G0_ = Eigen::Map<const Vector>(matrix.G.valuePtr(), G0_.size());
  D0_ = matrix.D;
  R0_ = scale();
}

// Ap = (G M^-1 G^T + D) p, leaving M^-1 G^T p in w_.
void CgSaddle::apply(const Vector& p, Vector& Ap) {
  w_.setZero();
  for (int i = 0; i < G_.outerSize(); ++i) {
    for (RowSparse::InnerIterator g(G_, i); g; ++g) w_[g.col()] += g.value() * p[i];
  }
  L_.solve_L(w_.data());
  L_.solve_L_transposed(w_.data());
  for (int i = 0; i < G_.outerSize(); ++i) {
    double sum = D_[i] * p[i];
    for (RowSparse::InnerIterator g(G_, i); g; ++g) sum += g.value() * w_[g.col()];
    Ap[i] = sum;
  }
}

void CgSaddle::precondition(const Vector& r, Vector& z) {
  w_.setZero();
  z = -r;
  general().solve(w_, z);
}

// b_ is the right-hand side. False when the iterations come to nothing.
bool CgSaddle::iterate(Eigen::Ref<Vector> y) {
  y.setZero();
  r_ = b_;
  precondition(r_, z_);
  p_ = z_;
  double rho = r_.dot(z_);
  const double enough = tolerance * tolerance * rho;
  int iterations = 0;
  while (rho > enough) {
    if (++iterations > all_iterations) return false;
    apply(p_, Ap_);
    const double curvature = p_.dot(Ap_);
    if (!(curvature > 0.0)) return false;
    const double step = rho / curvature;
    y += step * p_;
    r_ -= step * Ap_;
    precondition(r_, z_);
    const double next = r_.dot(z_);
    p_ = z_ + (next / rho) * p_;
    rho = next;
    ++statistics_.iterations;
  }
  refresh_ = refresh_ || iterations > many_iterations;
  return std::isfinite(rho) && rho >= -enough;
}

void CgSaddle::solve_special(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) {
  w_ = x;
  L_.solve_L(w_.data());
  L_.solve_L_transposed(w_.data());
  for (int i = 0; i < G_.outerSize(); ++i) {
    double sum = -y[i];
    for (RowSparse::InnerIterator g(G_, i); g; ++g) sum += g.value() * w_[g.col()];
    b_[i] = sum;
  }
  c_ = y;
  if (!iterate(y)) {
    y = c_;
    if (factor_generally()) {
      general().solve(x, y);
    } else {
      x.setConstant(std::nan(""));
      y.setConstant(std::nan(""));
    }
    return;
  }
  for (int i = 0; i < G_.outerSize(); ++i) {
    for (RowSparse::InnerIterator g(G_, i); g; ++g) x[g.col()] -= g.value() * y[i];
  }
  L_.solve_L(x.data());
  L_.solve_L_transposed(x.data());
}

void CgSaddle::save_history(ByteWriter& out) const {
  for (const bool flag : {has_neighbour_, refresh_}) out.put<std::uint8_t>(flag);
  if (!has_neighbour_) return;
  for (const Vector* x : {&M0_, &G0_, &D0_, &R0_}) out.put(*x);
}

void CgSaddle::restore_history(ByteReader& in) {
  std::uint8_t has_neighbour = 0, refresh = 0;
  has_neighbour_ = false;
  in.get(has_neighbour);
  in.get(refresh);
  if (has_neighbour != 0) {
    for (Vector* x : {&M0_, &G0_, &D0_, &R0_}) in.get(*x);
  }
  has_neighbour_ = has_neighbour != 0;
  refresh_ = refresh != 0;
}

}  // namespace mbs
