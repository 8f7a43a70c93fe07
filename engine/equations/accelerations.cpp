// Accelerations and multipliers at a point,
//
//   ( M  G^T ) (   a    )   (   f    )
//   ( G  -D  ) ( lambda ) = ( -gamma )
//
// and when f depends on lambda, Newton in lambda with F = df/dlambda:
//
//   ( M  G^T - F ) (   a+    )   ( f(lambda) - F lambda )
//   ( G    -D    ) ( lambda+ ) = (        -gamma        )
//
// until 0 = f(lambda) - M a - G^T lambda holds to rounding: one iteration where f is affine.

#include <cmath>

#include "engine/equations/initial.hpp"

namespace mbs {

namespace {

constexpr int max_iterations = 50;
constexpr double rounding = 1e-12;

double largest(const Eigen::Ref<const Vector>& x) {
  return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0;
}

}  // namespace

bool solve_accelerations(const Equations& equations, const Context& context, State& x,
                         Workspace& ws, SaddleSolver& solver) {
  // f(lambda) is balanced by M's entries.
  const unsigned M = equations.structure().f_depends_on_lambda ? want_M : want_solver;
  equations.position(context, x, M | want_G, ws);
  equations.velocity(context, x, ws);
  return solve_accelerations_here(equations, context, x, ws, solver);
}

bool solve_accelerations_here(const Equations& equations, const Context& context, State& x,
                              Workspace& ws, SaddleSolver& solver, const Vector* drift) {
  const Sizes& n = equations.sizes();
  const bool with_F = equations.structure().f_depends_on_lambda;
  const auto force_at_lambda = [&] {
    if (!equations.solve_auxiliary(context, x, ws)) return false;
    if (n.w > 0 || n.s > 0) {
      equations.position(context, x, (with_F ? want_M : want_solver) | want_G, ws);
      equations.velocity(context, x, ws);
    }
    equations.force(context, x, want_f, ws);
    return true;
  };
  if (!force_at_lambda()) return false;
  equations.gamma(context, x, ws);
  if (drift) ws.gamma += *drift;
  if (!with_F) {
    if (!solver.factor(ws.saddle())) return false;
    x.a = ws.f;
    x.lambda = -ws.gamma;
    solver.solve(x.a, x.lambda);
    return x.a.allFinite() && x.lambda.allFinite();
  }
  auto dynamics = ws.residual.segment(JacobianLayout(n).dynamics, n.v);
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    equations.friction(context, x, ws);
    if (!solver.factor(ws.saddle(true))) return false;
    x.a = ws.f;
    x.a.noalias() -= ws.F * x.lambda;
    x.lambda = -ws.gamma;
    solver.solve(x.a, x.lambda);
    if (!x.a.allFinite() || !x.lambda.allFinite() || !force_at_lambda()) return false;
    dynamics.setZero();
    dynamics.noalias() -= ws.G.transpose() * x.lambda;
    const double size = largest(ws.f) + largest(dynamics);
    dynamics += ws.f;
    dynamics.noalias() -= ws.M * x.a;
    if (largest(dynamics) <= rounding * size) return true;
  }
  return false;
}

}  // namespace mbs
