#include "engine/integrators/radau/saddle_system.hpp"

namespace mbs::radau {

SaddleSystem::SaddleSystem(const SystemContext& context, bool sparse, const std::string& linear)
    : context_(context),
      n_(context.equations.sizes()),
      at_(n_),
      layout_(n_),
      sparse_(sparse),
      size_(n_.v + n_.lambda + n_.r + n_.w + n_.s) {
  if (context.redundant) {
    auto solver = std::make_unique<SparseLeastNormSaddle>();
    solver->analyse(context.equations.structure().saddle);
    least_norm_ = solver.get();
    saddle_ = std::move(solver);
    G_ = context.equations.structure().saddle.G;
    G_.makeCompressed();
    out_.assign(static_cast<std::size_t>(size_), 0);
  } else {
    saddle_ = context.equations.make_solver(linear);
  }
  make_patterns();
  right_.setZero(size_, 3);
  transformed_ = right_;
  d_p_.setZero(n_.p, 3);
  d_p_transformed_ = dp_ = d_p_;
  y_.setZero(size_);
  z_.setZero(size_);
  for (Vector* x : {&dp_real_, &kp_real_, &zv_real_}) x->setZero(n_.p);
  for (ComplexVector* x : {&dp_complex_, &kp_complex_, &zv_complex_}) x->setZero(n_.p);
  nu_.setZero(n_.v);
  mu_.setZero(n_.lambda);
  dx_.setZero(at_.cols);
  J_dx_.setZero(at_.rows);
  g_rows_.setZero(n_.g + n_.n);
}

std::string SaddleSystem::describe() const {
  return sparse_ ? "sparse, differential part by " + real_->name() + ", algebraic part by " +
                       saddle_->name()
                 : "dense, differential part by lu, algebraic part by " + saddle_->name();
}

NewtonSystem::Prepared SaddleSystem::prepare(const State& x, Workspace& ws, bool) {
  h_ = 0.0;
  rank_defect_ = {};
  const Equations& equations = context_.equations;
  const bool with_F = equations.structure().f_depends_on_lambda;
  equations.jacobian(context_.context, x, ws);
  equations.position(context_.context, x, want_M | want_G, ws);
  if (with_F) {
    equations.velocity(context_.context, x, ws);
    equations.force(context_.context, x, want_f, ws);
    equations.friction(context_.context, x, ws);
  }
  ++context_.statistics.jacobians;
  ++context_.statistics.selectors;
  J_.coeffs() = ws.jacobian.coeffs();
  M_.coeffs() = ws.M.coeffs();
  if (!J_.coeffs().allFinite() || !M_.coeffs().allFinite()) return Prepared::not_finite;
  ++context_.statistics.factorisations;
  if (!saddle_->factor(ws.saddle(with_F))) return no_factors(ws);
  const double* J = J_.valuePtr();
  for (Vector* values : {&of_sigma_, &of_one_, &of_first_, &of_second_}) values->setZero();
  for (const Product& p : constant_) of_one_[p.target] += p.sign * J[p.a];
  for (const Product& p : first_) of_first_[p.target] += p.sign * J[p.a] * J[p.b];
  for (const Product& p : second_) of_second_[p.target] += p.sign * J[p.a] * J[p.b] * J[p.c];
  if (least_norm_ != nullptr) {
    G_.coeffs() = ws.G.coeffs();
    leave_out();
  }
  const auto masses = static_cast<std::size_t>(M_.nonZeros());
  for (std::size_t k = 0; k < mass_.size(); ++k) {
    of_sigma_[mass_[k]] = k < masses ? M_.valuePtr()[k] : 1.0;
  }
  return Prepared::done;
}

bool SaddleSystem::factor(double h) {
  h_ = h;
  const Tableau& t = tableau();
  const double sigma = t.gamma / h;
  const Complex pair(t.alpha / h, t.beta / h);
  const auto value = [&](auto z, Eigen::Index k) {
    return z * of_sigma_[k] + of_one_[k] + (of_first_[k] + of_second_[k] / z) / z;
  };
  const Complex inverse = 1.0 / pair, square = inverse * inverse;
  context_.statistics.factorisations += 2;
  if (sparse_) {
    double* real = E_.valuePtr();
    Complex* complex = E_complex_.valuePtr();
    for (Eigen::Index k = 0; k < E_.nonZeros(); ++k) {
      real[k] = value(sigma, k);
      complex[k] =
          pair * of_sigma_[k] + of_one_[k] + inverse * of_first_[k] + square * of_second_[k];
    }
    return real_->factor(E_) && complex_->factor(E_complex_);
  }
  dense_real_.matrix().setZero();
  dense_complex_.matrix().setZero();
  scale_ = sigma;  // of constraints and multipliers, which would vanish against sigma M
  for (int j = 0; j < size_; ++j) {
    for (int k = E_.outerIndexPtr()[j]; k < E_.outerIndexPtr()[j + 1]; ++k) {
      const int i = E_.innerIndexPtr()[k];
      const double scale = (algebraic(i) ? scale_ : 1.0) * (multiplier(j) ? scale_ : 1.0);
      dense_real_.matrix()(i, j) = scale * value(sigma, k);
      dense_complex_.matrix()(i, j) = scale * value(pair, k);
    }
  }
  return dense_real_.factor() && dense_complex_.factor();
}

namespace {

// out += the rows of p' = Z v in `count` columns of J, times x: (Z v)_p x or Z x.
template <class X, class Out>
void add_kinematics(const ColumnSparse& J, int column, int count, int n_p, const X& x, Out& out) {
  for (int j = 0; j < count; ++j, ++column) {
    for (int k = J.outerIndexPtr()[column]; k < J.outerIndexPtr()[column + 1]; ++k) {
      const int i = J.innerIndexPtr()[k];
      if (i >= n_p) break;  // rows ascend
      out[i] += J.valuePtr()[k] * x[j];
    }
  }
}

}  // namespace

template <class Factors, class Y>
void SaddleSystem::scaled_solve(const Factors& factors, Y& y) const {
  for (int i = 0; i < size_; ++i) {
    if (algebraic(i)) y[i] *= scale_;
  }
  factors.solve(y.data());
  for (int i = 0; i < size_; ++i) {
    if (multiplier(i)) y[i] *= scale_;
  }
}

// Takes the right-hand side without the share of positions in y and the defect d_p of p' = Z v in
// dp; returns the solution in both.
template <class Scalar, class Y, class P>
void SaddleSystem::solve_one(Scalar sigma, Y& y, P& dp) {
  const Scalar inverse = 1.0 / sigma;
  P& moved = [this]() -> P& {
    if constexpr (std::is_same_v<Scalar, double>) {
      return kp_real_;
    } else {
      return kp_complex_;
    }
  }();
  // dp = (I + (Z v)_p / sigma) (Z dv - d_p) / sigma: first without dv
  dp *= -inverse;
  moved.setZero();
  add_kinematics(J_, at_.col_p, n_.p, n_.p, dp, moved);
  dp += inverse * moved;
  for (int j = 0; j < n_.p; ++j) {
    for (int k = J_.outerIndexPtr()[j]; k < J_.outerIndexPtr()[j + 1]; ++k) {
      const int i = J_.innerIndexPtr()[k];
      const int row = row_of_[static_cast<std::size_t>(i)];
      if (row < 0 || (least_norm_ != nullptr && out_[static_cast<std::size_t>(row)] != 0)) continue;
      const Scalar share = J_.valuePtr()[k] * dp[j];
      y[row] += algebraic(row) ? -share : share;
    }
  }
  if constexpr (std::is_same_v<Scalar, double>) {
    if (sparse_) {
      real_->solve(y);
    } else {
      scaled_solve(dense_real_, y);
    }
  } else {
    if (sparse_) {
      complex_->solve(y);
    } else {
      scaled_solve(dense_complex_, y);
    }
  }
  P& turned = [this]() -> P& {
    if constexpr (std::is_same_v<Scalar, double>) {
      return zv_real_;
    } else {
      return zv_complex_;
    }
  }();
  turned.setZero();
  add_kinematics(J_, at_.col_v, n_.v, n_.p, y, turned);
  turned *= inverse;
  moved.setZero();
  add_kinematics(J_, at_.col_p, n_.p, n_.p, turned, moved);
  dp += turned + inverse * moved;
}

// p += Z nu with G nu = rows, and the norms' own rows.
void SaddleSystem::position_level(const Vector& g_rows, Eigen::Ref<Vector> dp) {
  if (n_.g > 0) {
    nu_.setZero();
    mu_.setZero();
    mu_.head(n_.g) = g_rows.head(n_.g);
    saddle_->solve(nu_, mu_);
    add_kinematics(J_, at_.col_v, n_.v, n_.p, nu_, dp);
  }
  for (int i = 0; i < n_.n; ++i) {
    const int first = context_.equations.structure().euler_parameters[static_cast<std::size_t>(i)];
    double square = 0.0;
    for (int j = first; j < first + 4; ++j) {
      const double e = J_.coeff(at_.norm + i, j);
      square += e * e;
    }
    for (int j = first; j < first + 4; ++j) {
      dp[j] += J_.coeff(at_.norm + i, j) * g_rows[n_.g + i] / square;
    }
  }
}

void SaddleSystem::solve(Stages& stages) {
  const bool projected = context_.options.form == Form::projected;
  const int a = layout_.ny();
  const int r = n_.v + n_.lambda, w = r + n_.r;
  for (int k = 0; k < 3; ++k) {
    const auto residual = stages.residual.col(k);
    const auto slope = stages.slopes.col(k);
    auto right = right_.col(k);
    d_p_.col(k) = slope.head(n_.p) - residual.segment(at_.kinematics, n_.p);
    right.head(n_.v) = residual.segment(at_.dynamics, n_.v);
    if (projected) {
      nu_ = stages.x.col(k).segment(a, n_.v) - slope.segment(n_.p, n_.v);
      right.head(n_.v).noalias() += M_ * nu_;
    }
    right.segment(n_.v, n_.lambda) = -residual.segment(at_.velocity, n_.lambda);
    if (least_norm_ != nullptr) {
      for (const int i : least_norm_->redundant()) right[n_.v + i] = 0.0;
    }
    right.segment(r, n_.r) = residual.segment(at_.r, n_.r) - slope.tail(n_.r);
    right.segment(w, n_.w) = -residual.segment(at_.w, n_.w);
    right.tail(n_.s) = -residual.segment(at_.s, n_.s);
  }
  const Tableau& t = tableau();
  transformed_.noalias() = right_ * t.T_inverse.transpose();
  d_p_transformed_.noalias() = d_p_ * t.T_inverse.transpose();
  y_ = transformed_.col(0);
  dp_real_ = d_p_transformed_.col(0);
  solve_one(t.gamma / h_, y_, dp_real_);
  transformed_.col(0) = y_;
  d_p_transformed_.col(0) = dp_real_;
  z_.real() = transformed_.col(1);
  z_.imag() = transformed_.col(2);
  dp_complex_.real() = d_p_transformed_.col(1);
  dp_complex_.imag() = d_p_transformed_.col(2);
  solve_one(Complex(t.alpha / h_, t.beta / h_), z_, dp_complex_);
  transformed_.col(1) = z_.real();
  transformed_.col(2) = z_.imag();
  d_p_transformed_.col(1) = dp_complex_.real();
  d_p_transformed_.col(2) = dp_complex_.imag();
  right_.noalias() = transformed_ * t.T.transpose();
  dp_.noalias() = d_p_transformed_ * t.T.transpose();
  context_.statistics.solves += 2;

  for (int k = 0; k < 3; ++k) {
    const auto residual = stages.residual.col(k);
    auto change = stages.change.col(k);
    auto dp = dp_.col(k);
    const auto right = right_.col(k);
    dx_.setZero();
    dx_.head(n_.p) = dp;
    dx_.segment(at_.col_s, n_.s) = right.tail(n_.s);
    J_dx_.noalias() = J_ * dx_;
    g_rows_ =
        -residual.segment(at_.position, n_.g + n_.n) - J_dx_.segment(at_.position, n_.g + n_.n);
    position_level(g_rows_, dp);
    change.head(n_.p) = dp;
    change.segment(n_.p, n_.v) = right.head(n_.v);
    change.segment(n_.p + n_.v, n_.r) = right.segment(r, n_.r);
    auto rest = change.tail(layout_.nz());
    const auto lambda = stages.x.col(k).segment(a + n_.v, n_.lambda);
    rest.segment(n_.v + n_.lambda, n_.w) = right.segment(w, n_.w);
    rest.tail(n_.s) = right.tail(n_.s);
    if (!projected) {
      rest.head(n_.v).setZero();
      rest.segment(n_.v, n_.lambda) = right.segment(n_.v, n_.lambda);
      if (least_norm_ != nullptr) {  // the same force by multipliers of least norm
        mu_ = lambda + rest.segment(n_.v, n_.lambda);
        nu_.noalias() = G_.transpose() * mu_;
        mu_.setZero();
        saddle_->solve(nu_, mu_);
        rest.segment(n_.v, n_.lambda) = mu_ - lambda;
        ++context_.statistics.solves;
      }
      continue;
    }
    dx_.head(n_.p) = dp;
    dx_.segment(at_.col_v, n_.v) = right.head(n_.v);
    dx_.segment(at_.col_r, n_.r) = right.segment(r, n_.r);
    dx_.segment(at_.col_w, n_.w) = right.segment(w, n_.w);
    J_dx_.noalias() = J_ * dx_;
    nu_ = residual.segment(at_.dynamics, n_.v) + J_dx_.segment(at_.dynamics, n_.v);
    mu_ =
        -residual.segment(at_.acceleration, n_.lambda) - J_dx_.segment(at_.acceleration, n_.lambda);
    // The norm of the multipliers, and not of their changes, is to be least: the part that
    // prediction adds in the kernel of G^T would grow from step to step.
    if (least_norm_ != nullptr) nu_.noalias() += G_.transpose() * lambda;
    saddle_->solve(nu_, mu_);
    if (least_norm_ != nullptr) mu_ -= lambda;
    rest.head(n_.v) = nu_;
    rest.segment(n_.v, n_.lambda) = mu_;
  }
  context_.statistics.solves += projected ? 6 : 3;
}

void SaddleSystem::filter(const Vector& F, Vector& d) {
  y_.setZero();
  y_.head(n_.v).noalias() = M_ * F.segment(n_.p, n_.v);
  y_.segment(n_.v + n_.lambda, n_.r) = F.tail(n_.r);
  dp_real_ = -F.head(n_.p);
  solve_one(tableau().gamma / h_, y_, dp_real_);
  dx_.setZero();
  dx_.head(n_.p) = dp_real_;
  dx_.segment(at_.col_s, n_.s) = y_.tail(n_.s);
  J_dx_.noalias() = J_ * dx_;
  g_rows_ = -J_dx_.segment(at_.position, n_.g + n_.n);
  position_level(g_rows_, dp_real_);
  d.head(n_.p) = dp_real_;
  d.segment(n_.p, n_.v) = y_.head(n_.v);
  d.tail(n_.r) = y_.segment(n_.v + n_.lambda, n_.r);
  context_.statistics.solves += 2;
}

void SaddleSystem::save(ByteWriter& out) const {
  if (least_norm_ != nullptr) least_norm_->save(out);
}

void SaddleSystem::restore(ByteReader& in) {
  if (least_norm_ == nullptr) return;
  least_norm_->restore(in);
}

void SaddleSystem::save_factors(ByteWriter& out) const {
  saddle_->save(out);
  if (!sparse_) return;
  real_->save(out);
  complex_->save(out);
}

void SaddleSystem::restore_factors(ByteReader& in, double h) {
  saddle_->restore(in);
  if (sparse_) {
    real_->restore(in);
    complex_->restore(in);
    h_ = h;
  } else if (h != 0.0 && !factor(h)) {
    throw std::runtime_error("the stored factorisation cannot be repeated");
  }
}

std::unique_ptr<NewtonSystem> make_saddle_system(const SystemContext& context, bool sparse,
                                                 const std::string& linear) {
  return std::make_unique<SaddleSystem>(context, sparse, linear);
}

}  // namespace mbs::radau
