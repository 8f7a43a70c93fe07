#include "engine/equations/projection.hpp"

#include <algorithm>
#include <cmath>

namespace mbs {

Projection::Projection(const Equations& equations, Context context, const Tolerances& tolerances)
    : equations_(equations),
      context_(context),
      sizes_(equations.sizes()),
      norm_(tolerances, equations.sizes().p, equations.sizes().v, equations.sizes().r),
      nu_(sizes_.v),
      mu_(sizes_.lambda),
      dp_(sizes_.p),
      g_size_(Vector::Ones(sizes_.g)) {
  const Vector& sizes = equations.structure().g_scale;
  if (sizes.size() >= sizes_.g) g_size_ = sizes.head(sizes_.g);
  if (sizes_.g < sizes_.lambda) {
    C_ = equations.structure().saddle.G;
    C_.makeCompressed();
    D_ = Vector::Zero(sizes_.lambda);
  }
}

ProjectionResult& Projection::satisfied(ProjectionResult& result) {
  result.ok = true;
  near_ = sizes_.g == sizes_.lambda;
  return result;
}

ProjectionResult Projection::positions(State& x, Workspace& ws, SaddleSolver& solver) {
  constexpr int most = 15;
  constexpr double enough = 1e-2;
  constexpr double rounding = 1e-12, stagnant = 0.5, tolerable = 1.0;
  ProjectionResult result;
  near_ = false;
  if (sizes_.n > 0) equations_.normalise(x);
  if (sizes_.g == 0) {
    result.ok = true;
    return result;
  }
  norm_.set_scale_p(x.p);
  double before = 0.0;
  for (int k = 0; k < most; ++k) {
    if (sizes_.s > 0 && !equations_.solve_auxiliary(context_, x, ws)) return result;
    equations_.position(context_, x, k == 0 ? want_solver | want_G | want_g : want_g, ws);
    result.residual = sizes_.g > 0 ? ws.g.cwiseAbs().maxCoeff(&result.row) : 0.0;
    if (!ws.g.allFinite()) return result;
    if (k == 0) {
      bool regular = false;
      if (sizes_.g < sizes_.lambda) {
        std::copy_n(ws.G.valuePtr(), C_.outerIndexPtr()[sizes_.g], C_.valuePtr());
        std::fill(C_.valuePtr() + C_.outerIndexPtr()[sizes_.g], C_.valuePtr() + C_.nonZeros(), 0.0);
        D_.head(sizes_.g) = ws.D.head(sizes_.g);
        D_.tail(sizes_.lambda - sizes_.g).setOnes();
        regular = solver.factor({ws.M, C_, D_, nullptr, ws.unassembled});
      } else {
        regular = solver.factor(ws.saddle());
      }
      result.factored = true;
      if (!regular) {
        result.singular = true;
        return result;
      }
    }
    const double relative = sizes_.g > 0 ? (ws.g.array() / g_size_.array()).abs().maxCoeff() : 0.0;
    nu_.setZero();
    mu_.setZero();
    mu_.head(sizes_.g) = -ws.g;
    solver.solve(nu_, mu_);
    ++result.iterations;
    equations_.apply_Z(context_, x, nu_, dp_);
    result.change = norm_.of_p(dp_);
    if (k > 0 && relative <= rounding && result.change > stagnant * before &&
        result.change <= tolerable) {
      return satisfied(result);
    }
    x.p += dp_;
    if (sizes_.n > 0) equations_.normalise(x);
    if (!std::isfinite(result.change)) return result;
    if (result.change <= enough) return satisfied(result);
    if (k > 0 && result.change > 2.0 * before) return result;
    before = result.change;
  }
  return result;
}

ProjectionResult Projection::velocities(State& x, Workspace& ws, SaddleSolver& solver) {
  ProjectionResult result;
  if (sizes_.s > 0 && !equations_.solve_auxiliary(context_, x, ws)) return result;
  equations_.position(context_, x, want_solver | want_G, ws);
  result.ok = true;
  if (sizes_.lambda == 0) return result;
  result.factored = true;
  if (!solver.factor(ws.saddle())) {
    result.ok = false;
    result.singular = true;
    return result;
  }
  nu_.setZero();
  mu_.noalias() = ws.G * x.v;
  mu_ = -(mu_ + ws.gI);
  result.residual = mu_.cwiseAbs().maxCoeff(&result.row);
  solver.solve(nu_, mu_);
  ++result.iterations;
  x.v += nu_;
  result.ok = x.v.allFinite();
  return result;
}

ProjectionResult Projection::velocities_near(State& x, Workspace& ws, SaddleSolver& solver) {
  constexpr int most = 4;
  constexpr double least_contraction = 0.1, enough = 1e-6;
  ProjectionResult result;
  if (!near_) return velocities(x, ws, solver);
  if (sizes_.s > 0 && !equations_.solve_auxiliary(context_, x, ws)) return result;
  equations_.position(context_, x, want_solver | want_G, ws);
  norm_.set_scale_v(x.v);
  double before = 0.0;
  for (int k = 0; k < most; ++k) {
    nu_.setZero();
    mu_.noalias() = ws.G * x.v;
    mu_ = -(mu_ + ws.gI);
    if (k == 0) result.residual = mu_.cwiseAbs().maxCoeff(&result.row);
    solver.solve(nu_, mu_);
    ++result.iterations;
    x.v += nu_;
    result.change = norm_.of_v(nu_);
    const double contraction = k > 0 ? result.change / before : 0.0;
    if (!(contraction <= least_contraction)) break;
    result.ok = result.change == 0.0 || (k > 0 && contraction * result.change <= enough);
    if (result.ok) return result;
    before = result.change;
  }
  const int iterations = result.iterations;
  result = velocities(x, ws, solver);
  result.iterations += iterations;
  return result;
}

}  // namespace mbs
