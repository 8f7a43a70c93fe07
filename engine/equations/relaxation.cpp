#include "engine/equations/relaxation.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "engine/equations/initial_rows.hpp"
#include "engine/equations/position_projection.hpp"

namespace mbs {

Relaxation::Relaxation(const Equations& equations, const Context& context, const Vector& scale,
                       int states, Parameters& parameters, std::vector<int> trims)
    : equations_(equations),
      context_(context),
      scale_(scale),
      states_(states),
      parameters_(parameters),
      trims_(std::move(trims)),
      ws_(equations.make_workspace()),
      solver_(equations.make_solver("auto")) {}

// Steps of the symplectic Euler method with h such that one moves nothing by more than a tenth of
// its size, and that it is stable, h omega < 2: omega^2 = |a - a_old| / |h v| of the last steps, to
// which what begins to grow contributes most.
bool Relaxation::run(State& start, int most, const std::function<bool(State&)>& near) {
  State x = start;
  x.v.setZero();
  double h = 1e-3, before = 0.0, omega2 = 0.0;
  Vector a_old, moved;
  for (int k = 0; k < most; ++k) {
    ++steps_;
    if (!accelerate(x)) return false;
    if (moved.size() > 0 && moved.norm() > 0.0) {
      const double here = (x.a - a_old).cwiseQuotient(scale_).norm() / moved.norm();
      omega2 = std::max(here, 0.98 * omega2);
      constexpr double stable = 0.7;
      if (h * h * omega2 > stable * stable) h = stable / std::sqrt(omega2);
    }
    a_old = x.a;
    const double fastest = (h * x.v + h * h * x.a).cwiseQuotient(scale_).lpNorm<Eigen::Infinity>();
    if (!std::isfinite(fastest)) return false;
    if (fastest > 0.1) {
      h *= 0.5;
      moved.setZero();
      continue;
    }
    x.v += h * x.a;
    moved = (h * x.v).cwiseQuotient(scale_);
    equations_.force(context_, x, want_b, *ws_);
    Vector z;
    equations_.apply_Z(context_, x, x.v, z);
    x.p += h * z;
    for (int i = 0; i < states_; ++i) x.r[i] += h * ws_->b[i];
    equations_.normalise(x);
    PositionResult closed =
        project_position(equations_, context_, x, *ws_, scale_, InitialOptions(),
                         holds() ? Conditions::exact : Conditions::none);
    if (!closed.found) return false;
    const Vector v = x.v;
    x = std::move(closed.x);
    x.v = v;
    if (!free_velocity(x)) return false;
    const double kinetic = equations_.energy(context_, x, *ws_).kinetic;
    if (kinetic < before) {  // past the peak
      x.v.setZero();
      before = 0.0;
      if (holds()) find_parameters(x);
      State trial = x;
      if (near(trial)) {
        start = trial;
        return true;
      }
    } else {
      before = kinetic;
      h = std::min(1.05 * h, 1.0);
    }
  }
  start = x;
  start.v.setZero();
  start.a.setZero();
  return true;  // Newton says whether that was enough
}

bool Relaxation::accelerate(State& x) {
  if (!solve_accelerations(equations_, context_, x, *ws_, *solver_)) return false;
  if (!holds()) return true;
  if (!hold(x)) return false;
  x.a -= W_ * mu_;
  return true;
}

// C, W and mu at x, whose accelerations have just been solved for.
bool Relaxation::hold(const State& x) {
  const Vector a = x.a;
  const Rows rows = position_rows(equations_, context_, x, *ws_, scale_);
  const int g = equations_.sizes().g, exact = static_cast<int>(rows.C.rows()) - g;
  C_ = Matrix(rows.C).bottomRows(exact);
  equations_.position(context_, x, want_M | want_G, *ws_);
  if (!solver_->factor(ws_->saddle())) return false;
  W_.resize(C_.cols(), exact);
  for (int k = 0; k < exact; ++k) {
    Vector w = C_.row(k), y = Vector::Zero(equations_.sizes().lambda);
    solver_->solve(w, y);
    W_.col(k) = w;
  }
  mu_ = (C_ * W_).fullPivLu().solve(C_ * a);
  return mu_.allFinite();
}

// v - M^-1 G^T (G M^-1 G^T)^-1 G v by the saddle matrix, and without what moves the conditions.
bool Relaxation::free_velocity(State& x) {
  equations_.position(context_, x, want_M | want_G, *ws_);
  if (!solver_->factor(ws_->saddle())) return false;
  Vector v(x.v.size()), y = Vector::Zero(equations_.sizes().lambda);
  equations_.apply_M(context_, x, x.v, v, *ws_);
  solver_->solve(v, y);
  x.v = v;
  if (!holds()) return true;
  const Vector a = x.a;
  x.a = x.v;  // hold() takes the conditions' part out of what stands there
  const bool done = hold(x);
  if (done) x.v -= W_ * mu_;
  x.a = a;
  return done;
}

void Relaxation::find_parameters(const State& x) {
  const auto n = static_cast<Eigen::Index>(trims_.size());
  const auto forces = [&](Vector& mu) {
    State there = x;
    if (!equations_.derive(parameters_).empty()) return false;
    if (!solve_accelerations(equations_, context_, there, *ws_, *solver_)) return false;
    if (!hold(there)) return false;
    mu = mu_;
    return true;
  };
  const Vector values = parameters_.values;
  Vector here, above, below;
  Matrix by(n, n);
  bool known = forces(here) && here.size() == n;
  for (Eigen::Index i = 0; i < n && known; ++i) {
    double& value = parameters_.values[trims_[static_cast<std::size_t>(i)]];
    const double middle = value, step = 1e-3 * std::max(1.0, std::abs(middle));
    value = middle + step;
    known = forces(above);
    value = middle - step;
    known = known && forces(below);
    value = middle;
    if (known) by.col(i) = (above - below) / (2.0 * step);
  }
  const Eigen::FullPivLU<Matrix> factors(by);
  if (known && factors.isInvertible()) {
    const Vector change = factors.solve(here);
    for (Eigen::Index i = 0; i < n; ++i)
      parameters_.values[trims_[static_cast<std::size_t>(i)]] -= change[i];
    if (forces(above)) return;
  }
  parameters_.values = values;
  equations_.derive(parameters_);
}

}  // namespace mbs
