#include "engine/integrators/radau/dense_system.hpp"

#include <algorithm>

#include "engine/base/scatter.hpp"

namespace mbs::radau {
namespace {

Vector position_scale(const Equations& equations) {
  const Vector& scale = equations.structure().p_scale;
  const int n = equations.sizes().p;
  return scale.size() == n ? scale : Vector::Ones(n);
}

Vector velocity_scale(const Equations& equations) {
  const Vector& scale = equations.structure().v_scale;
  const int n = equations.sizes().v;
  return scale.size() == n ? scale : Vector::Ones(n);
}

// M counts as constant when it is the same at two unrelated states; if it were not so elsewhere,
// only time would be lost. With few velocities there is nothing to gain.
AccelerationFactors::Mass kind_of_mass(const SystemContext& context) {
  using Mass = AccelerationFactors::Mass;
  constexpr int few = 4;
  const ColumnSparse& M = context.equations.structure().saddle.M;
  if (!context.options.exploit_mass || M.nonZeros() == 0 || M.cols() < few) return Mass::general;
  bool diagonal = true;
  for (int j = 0; j < M.outerSize() && diagonal; ++j) {
    for (ColumnSparse::InnerIterator entry(M, j); entry; ++entry) diagonal &= entry.row() == j;
  }
  if (diagonal) return Mass::diagonal;
  const auto ws = context.equations.make_workspace();
  State x = context.equations.initial(context.context, 0.0);
  context.equations.position(context.context, x, want_M, *ws);
  const Vector before = Eigen::Map<const Vector>(ws->M.valuePtr(), ws->M.nonZeros());
  Scatter scatter;
  x.t = 1.0;
  for (double& p : x.p) p += scatter.next();
  context.equations.position(context.context, x, want_M, *ws);
  const Vector after = Eigen::Map<const Vector>(ws->M.valuePtr(), ws->M.nonZeros());
  return after == before ? Mass::constant : Mass::general;
}

bool tangent(const SystemContext& context) {
  return context.options.selectors == Selectors::tangent;
}

}  // namespace

DenseSystem::DenseSystem(const SystemContext& context, Algebraic algebraic)
    : context_(context),
      n_(context.equations.sizes()),
      at_(n_),
      layout_(n_),
      algebraic_(algebraic),
      position_(algebraic, n_.g + n_.n, position_scale(context.equations), tangent(context)),
      velocity_(algebraic, n_.lambda, velocity_scale(context.equations), tangent(context)),
      mass_(kind_of_mass(context)),
      J_(Matrix::Zero(at_.rows, at_.cols)),
      s_p_(Matrix::Zero(n_.s, n_.p)),
      C_(Matrix::Zero(n_.g + n_.n, n_.p)),
      G_(Matrix::Zero(n_.lambda, n_.v)),
      part_(Matrix::Zero(layout_.size(), 3)),
      part_p_(n_.p),
      c_rows_(n_.g + n_.n),
      s0_(Vector::Zero(n_.s)) {
  contacts_.resize(n_.s, false);
}

std::string DenseSystem::describe() const {
  const char* names[] = {"lu", "lu", "qr", "svd"};
  const char* masses[] = {"", ", diagonal mass matrix", ", constant mass matrix"};
  return std::string("dense, algebraic part by ") + names[static_cast<int>(algebraic_)] +
         ", differential part by " +
         (context_.options.differential == Differential::qr ? "qr" : "lu") +
         masses[static_cast<int>(mass_)];
}

void DenseSystem::forget() {
  position_.forget();
  velocity_.forget();
  n_y_ = 0;
}

void DenseSystem::scatter(const ColumnSparse& J) {
  for (int j = 0; j < at_.col_u; ++j) {
    for (ColumnSparse::InnerIterator entry(J, j); entry; ++entry)
      J_(entry.row(), j) = entry.value();
  }
}

// Eliminates s: the p columns of J_ become total derivatives.
bool DenseSystem::contact_level() {
  if (n_.s == 0) return true;
  contacts_.matrix() = J_.block(at_.s, at_.col_s, n_.s, n_.s);
  if (!contacts_.factor()) return false;
  s_p_ = -J_.block(at_.s, at_.col_p, n_.s, n_.p);
  for (int j = 0; j < n_.p; ++j) contacts_.solve(s_p_.col(j).data());
  J_.leftCols(n_.p).noalias() += J_.middleCols(at_.col_s, n_.s) * s_p_;
  return true;
}

// True when Z = I up to errors of difference Jacobians: positions then take the rows of G, which
// are exact.
bool DenseSystem::velocities_are_slopes() const {
  return n_.p == n_.v && n_.n == 0 &&
         J_.block(at_.kinematics, at_.col_v, n_.p, n_.v).isIdentity(1e-6);
}

NewtonSystem::Prepared DenseSystem::prepare(const State& x, Workspace& ws, bool renew) {
  h_ = 0.0;
  rank_defect_ = {};
  context_.equations.jacobian(context_.context, x, ws);
  context_.equations.position(context_.context, x, want_M | want_G, ws);
  ++context_.statistics.jacobians;
  if (n_.s > 0) J_.setZero();
  scatter(ws.jacobian);
  if (!J_.allFinite()) return Prepared::not_finite;
  if (!contact_level()) return Prepared::singular;
  G_ = ws.G;
  const bool slopes = velocities_are_slopes();
  shared_ = slopes && n_.g == n_.lambda;
  if (slopes) {
    C_ = G_.topRows(n_.g);
  } else {
    C_.topRows(n_.g) = J_.block(at_.position, at_.col_p, n_.g, n_.p);
    C_.bottomRows(n_.n) = J_.block(at_.norm, at_.col_p, n_.n, n_.p);
  }
  if (!position_.decompose(C_, renew) || (!shared_ && !velocity_.decompose(G_, renew))) {
    return rank_changed();
  }
  if (position_.renewed() || (!shared_ && velocity_.renewed())) ++context_.statistics.selectors;
  const int independent = position_.rank() - n_.n, rank = velocity_selector().rank();
  if (n_.lambda == n_.g && independent != rank) {
    rank_defect_ = {RankDefect::positions, rank, independent, velocity_selector().dependent_row()};
    return Prepared::rank;
  }
  if (!acceleration_level(ws)) {
    // without F and w the matrix is singular by M alone
    if (n_.w == 0 && !context_.equations.structure().f_depends_on_lambda) return Prepared::singular;
    rank_defect_ = {RankDefect::accelerations, rank, rank - 1, -1};
    return Prepared::rank;
  }
  lift();
  reduced_jacobian();
  return Prepared::done;
}

// The defect found by the decomposition that failed.
NewtonSystem::Prepared DenseSystem::rank_changed() {
  const bool by_position = position_.found_rank() != position_.rank();
  const Selector& level = by_position ? position_ : velocity_;
  const int row = by_position || shared_ ? position_.dependent_row() : velocity_.dependent_row();
  rank_defect_ = {RankDefect::changed, level.rank(), level.found_rank(),
                  by_position && row >= n_.g ? -1 : row};
  return Prepared::rank;
}

//   (   M    -X_lambda B  -X_w )
//   ( B^+ G      0          0  )
//   (   0     d_lambda B   d_w )
bool DenseSystem::acceleration_level(const Workspace& ws) {
  const Selector& level = velocity_selector();
  const int r = level.rank(), size = n_.v + r + n_.w;
  n_q_ = n_.p - position_.rank();
  n_u_ = n_.v - r;
  if (n_y_ != n_q_ + n_u_ + n_.r || L_.rows() != layout_.size() || B_G_.rows() != r ||
      H_p_.rows() != n_q_) {  // the first one, or other rows act
    n_y_ = n_q_ + n_u_ + n_.r;
    accelerations_.resize(n_.v, r, n_.w, mass_);
    B_G_.setZero(r, n_.v);
    X_B_.setZero(n_.v, r);
    L_.setZero(layout_.size(), n_y_);
    H_p_.setZero(n_q_, n_.p);
    H_v_.setZero(n_q_, n_.v);
    reduced_.setZero(n_y_, n_y_);
    right_.setZero(size, std::max(3, n_y_));
    part_acceleration_.setZero(n_.lambda, n_y_);
    G_v_q_.setZero(n_.lambda, n_q_);
    c_reduced_.setZero(position_.rank());
    lambda_reduced_.setZero(r);
    defect_.setZero(n_y_, 3);
    transformed_.setZero(n_y_, 3);
    y_.setZero(n_y_);
    z_.setZero(n_y_);
    halves_ = false;
    A_plus_D_.setZero(n_u_, n_u_);
    DA_minus_C_ = A_plus_D_;
    y1_.setZero(n_u_);
    z1_.setZero(n_u_);
    real_.resize(n_y_, context_.options.differential == Differential::qr);
    complex_.resize(n_y_, context_.options.differential == Differential::qr);
  }
  level.reduce(G_, B_G_);
  if (level.identity()) {
    X_B_ = J_.block(at_.dynamics, at_.col_lambda, n_.v, n_.lambda);
  } else {
    X_B_.noalias() = J_.block(at_.dynamics, at_.col_lambda, n_.v, n_.lambda) * level.B();
  }
  Matrix& Q = accelerations_.matrix();
  Q.setZero();
  Q.block(0, n_.v, n_.v, r) = -X_B_;
  Q.block(n_.v, 0, r, n_.v) = B_G_;
  if (n_.w > 0) {
    Q.block(0, n_.v + r, n_.v, n_.w) = -J_.block(at_.dynamics, at_.col_w, n_.v, n_.w);
    Q.block(n_.v + r, n_.v, n_.w, r).noalias() =
        J_.block(at_.w, at_.col_lambda, n_.w, n_.lambda) * level.B();
    Q.block(n_.v + r, n_.v + r, n_.w, n_.w) = J_.block(at_.w, at_.col_w, n_.w, n_.w);
  }
  return accelerations_.factor(ws.M);
}

// right: the rows of dynamics, B^+ acceleration and w, in place; out: (a, lambda, w).
void DenseSystem::solve_accelerations(Eigen::Ref<Matrix> right, Eigen::Ref<Matrix> out) {
  const Selector& level = velocity_selector();
  const int r = level.rank();
  for (int j = 0; j < right.cols(); ++j) accelerations_.solve(right.col(j).data());
  out.topRows(n_.v) = right.topRows(n_.v);
  if (level.identity()) {
    out.middleRows(n_.v, r) = right.middleRows(n_.v, r);
  } else {
    out.middleRows(n_.v, n_.lambda).noalias() = level.B() * right.middleRows(n_.v, r);
  }
  out.bottomRows(n_.w) = right.bottomRows(n_.w);
}

// The derivative of all unknowns by y = (q, u, r) on the linearised constraints.
void DenseSystem::lift() {
  const Selector& level = velocity_selector();
  const int r = level.rank();
  auto dp = L_.topRows(n_.p);
  auto dv = L_.middleRows(n_.p, n_.v);
  auto dr = L_.middleRows(n_.p + n_.v, n_.r);
  dp.leftCols(n_q_) = position_.K();
  dv.middleCols(n_q_, n_u_) = level.K();
  dr.rightCols(n_.r).setIdentity();
  auto right = right_.leftCols(n_y_);
  if (r > 0 && n_q_ > 0) {  // dv = -R (G v)_p dp
    auto rows = right_.block(n_.v, 0, r, n_q_);
    G_v_q_.noalias() = J_.block(at_.velocity, at_.col_p, n_.lambda, n_.p) * position_.K();
    level.reduce(G_v_q_, rows);
    rows *= -1.0;
    dv.leftCols(n_q_).noalias() = level.R() * rows;
  }
  const auto by = [&](int row, int count, auto&& out) {
    out.setZero();
    if (count == 0) return;
    const auto J = J_.middleRows(row, count);
    out.leftCols(n_q_).noalias() += J.leftCols(n_.p) * dp.leftCols(n_q_);
    out.leftCols(n_q_ + n_u_).noalias() += J.middleCols(at_.col_v, n_.v) * dv.leftCols(n_q_ + n_u_);
    if (n_.r > 0) out.rightCols(n_.r) += J.middleCols(at_.col_r, n_.r);
  };
  by(at_.dynamics, n_.v, right.topRows(n_.v));
  if (level.identity()) {
    by(at_.acceleration, r, right.middleRows(n_.v, r));
    right.middleRows(n_.v, r) *= -1.0;
  } else if (r > 0) {
    by(at_.acceleration, n_.lambda, part_acceleration_.leftCols(n_y_));
    level.reduce(part_acceleration_, right.middleRows(n_.v, r));
    right.middleRows(n_.v, r) *= -1.0;
  }
  if (n_.w > 0) {
    by(at_.w, n_.w, right.bottomRows(n_.w));
    right.bottomRows(n_.w) *= -1.0;
  }
  solve_accelerations(right, L_.middleRows(layout_.ny(), n_.v + n_.lambda + n_.w));
  if (n_.s > 0) L_.bottomRows(n_.s).noalias() = s_p_ * dp;
}

void DenseSystem::reduced_jacobian() {
  H_p_.noalias() = position_.S() * J_.block(at_.kinematics, at_.col_p, n_.p, n_.p);
  H_v_.noalias() = position_.S() * J_.block(at_.kinematics, at_.col_v, n_.p, n_.v);
  auto q = reduced_.topRows(n_q_);
  q.noalias() = H_p_ * L_.topRows(n_.p);
  q.noalias() += H_v_ * L_.middleRows(n_.p, n_.v);
  reduced_.middleRows(n_q_, n_u_).noalias() =
      velocity_selector().S() * L_.middleRows(layout_.ny(), n_.v);
  if (n_.r > 0) {
    auto r = reduced_.bottomRows(n_.r);
    const auto J = J_.middleRows(at_.r, n_.r);
    r.noalias() = J.leftCols(n_.p + n_.v + n_.r) * L_.topRows(layout_.ny());
    const auto a = layout_.ny() + n_.v;
    r.noalias() += J.middleCols(at_.col_lambda, n_.lambda) * L_.middleRows(a, n_.lambda);
    r.noalias() += J.middleCols(at_.col_w, n_.w) * L_.middleRows(a + n_.lambda, n_.w);
  }
  halves_ = shared_ && n_.r == 0 && n_q_ > 0;
  if (!halves_) return;
  const auto A = reduced_.topLeftCorner(n_q_, n_q_);
  const auto D = reduced_.bottomRightCorner(n_q_, n_q_);
  A_plus_D_ = A + D;
  DA_minus_C_ = -reduced_.bottomLeftCorner(n_q_, n_q_);
  DA_minus_C_.noalias() += D * A;
}

void DenseSystem::save(ByteWriter& out) const {
  position_.save(out);
  velocity_.save(out);
}

void DenseSystem::restore(ByteReader& in) {
  position_.restore(in);
  velocity_.restore(in);
  n_y_ = -1;
}

void DenseSystem::restore_factors(ByteReader&, double h) {
  if (h != 0.0 && !factor(h)) {
    throw std::runtime_error("the stored factorisation cannot be repeated");
  }
}

std::unique_ptr<NewtonSystem> make_dense_system(const SystemContext& context, Algebraic algebraic) {
  return std::make_unique<DenseSystem>(context, algebraic);
}

}  // namespace mbs::radau
