#pragma once

// The part of the battery that asks for events: zeros on the dense output, and that integration
// goes on from a state that has jumped there. See integrator_battery.hpp.

#include "engine/events/root_finder.hpp"
#include "tests/integrators/integrator_battery.hpp"

namespace mbs::test {

// The bead comes to r = 2 at T = acosh(2), with r' = sqrt(3); sent back it is there again after
// 2 atanh(sqrt(3) / 2), with r = 2 cosh(tau) - sqrt(3) sinh(tau) between.
TEST_P(IntegratorBattery, EventsAreFoundAndIntegrationContinuesFromThem) {
  const auto equations = std::make_shared<Bead>();
  const Inputs inputs(0);
  const Parameters parameters;
  ProblemRun run(equations, equations->initial({inputs, parameters}, 0.0), 3.0);
  const double there = std::acosh(2.0), again = there + 2.0 * std::atanh(std::sqrt(0.75));
  for (const double tolerance : {1e-5, 1e-7, 1e-9}) {
    const IntegratorOptions options = with_tolerance(tolerance);
    const double allowed = slack() * 30.0 * tolerance;
    const auto integrator = run.start(GetParam(), options);
    RootFinder finder(*run.equations, run.context(), options);
    finder.start(integrator->state());
    const auto next_root = [&] {
      while (finder.roots().empty() && integrator->state().t < 5.0) {
        integrator->step(5.0);
        finder.examine(*integrator);
        while (finder.examined() < integrator->state().t)
          finder.extend(*integrator, integrator->state().t);
      }
      return finder.roots().empty() ? Root{} : finder.roots().front();
    };
    const Root first = next_root();
    EXPECT_NEAR(first.t, there, allowed);
    EXPECT_EQ(first.direction, 1);
    State x = integrator->state();
    integrator->interpolate(first.t, true, x);
    EXPECT_LT(error_of(x.p, Bead::position_at(first.t, 2.0)), allowed);
    x.v = Bead::velocity_at(x.t, x.p.norm(), -std::sqrt(3.0));
    x = run.consistent(x);
    EXPECT_NEAR(x.lambda[0], -2.0 * std::sqrt(3.0), 10.0 * allowed);
    finder.restart(x);
    integrator->start(x, integrator->statistics().last_step);
    const Root second = next_root();
    EXPECT_NEAR(second.t, again, allowed);
    EXPECT_EQ(second.direction, 1);
    integrator->interpolate(second.t, true, x);
    EXPECT_LT(error_of(x.p, Bead::position_at(second.t, 2.0)), allowed);
    EXPECT_LT(error_of(x.v, Bead::velocity_at(second.t, 2.0, std::sqrt(3.0))), 3.0 * allowed);
    EXPECT_EQ(integrator->statistics().starts, 2);
  }
}

}  // namespace mbs::test
