// The nonholonomic problems against their closed forms: accelerations and multipliers along the
// motion, and that the closed forms are motions (a = v', p' = Z v, 0 = g, 0 = G v) at all.

#include <gtest/gtest.h>

#include "engine/equations/initial.hpp"
#include "tests/problems/parts.hpp"
#include "tests/problems/problems.hpp"

namespace mbs::test {
namespace {

double norm(const Vector& x) {
  return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0;
}

TEST(Nonholonomic, ClosedFormsAreMotions) {
  for (const std::string& name : nonholonomic_names()) {
    SCOPED_TRACE(name);
    const auto at = name == "knife_edge" ? knife_edge_at : rolling_disc_at;
    const Problem problem = make_problem(name);
    const Equations& equations = *problem.equations;
    const Parameters parameters = equations.default_parameters();
    const Inputs inputs = equations.default_inputs(parameters);
    const Context context{inputs, parameters};
    const auto ws = equations.make_workspace();
    const auto solver = equations.make_solver("auto");
    for (const double t : {0.0, 0.3, 1.7, 5.0}) {
      const Reference here = at(t), before = at(t - 1e-5), after = at(t + 1e-5);
      State x = problem.initial;
      x.t = t;
      x.p = here.p;
      x.v = here.v;
      ASSERT_TRUE(solve_accelerations(equations, context, x, *ws, *solver));
      EXPECT_LT(norm(x.a - here.a), 1e-12 * std::max(1.0, norm(here.a)));
      EXPECT_LT(norm(x.lambda - here.lambda), 1e-12 * std::max(1.0, norm(here.lambda)));
      equations.position(context, x, want_position_all, *ws);
      equations.velocity(context, x, *ws);
      EXPECT_LT(norm(ws->g), 1e-15);
      EXPECT_LT(norm(ws->n), 1e-15);
      EXPECT_LT(norm(ws->G_v), 1e-14);
      EXPECT_LT(norm((after.p - before.p) / 2e-5 - ws->p_dot), 1e-7);
      EXPECT_LT(norm((after.v - before.v) / 2e-5 - here.a), 1e-7);
      // gamma along the flow
      equations.gamma(context, x, *ws);
      const Vector gamma = ws->gamma;
      const auto G_v = [&](double s) {
        State moved = x;
        moved.t += s;
        moved.p += s * ws->p_dot;
        const auto other = equations.make_workspace();
        equations.position(context, moved, want_position_all, *other);
        equations.velocity(context, moved, *other);
        return Vector(other->G_v);
      };
      EXPECT_LT(norm((G_v(1e-5) - G_v(-1e-5)) / 2e-5 - gamma), 1e-8);
    }
    const auto E = [&](double t) {
      State x = problem.initial;
      x.t = t;
      x.p = at(t).p;
      x.v = at(t).v;
      const Equations::Energy energy = equations.energy(context, x, *ws);
      return energy.kinetic + energy.potential;
    };
    EXPECT_NEAR(E(0.0), E(4.3), 1e-12);
  }
}

}  // namespace
}  // namespace mbs::test
