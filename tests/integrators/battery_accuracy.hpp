#pragma once

// The part of the battery that asks for right numbers: errors, constraints, dense output, energy,
// and the kinds of unknowns that the benchmark problems do not have. See integrator_battery.hpp.

#include "tests/integrators/integrator_battery.hpp"

namespace mbs::test {

TEST_P(IntegratorBattery, ErrorsFollowTheTolerance) {
  struct Case {
    const char* problem;
    double allowed;  // error over tolerance
  };
  for (const Case& c : {Case{"andrews", 30.0}, Case{"pendulum", 100.0}, Case{"insul16", 30.0},
                        Case{"drum0", 30.0}}) {
    ProblemRun run(c.problem);
    ASSERT_TRUE(run.reference || std::string(c.problem) == "drum0");
    double first = 0.0, last = 0.0;
    for (double tolerance = 1e-4; tolerance > 0.5e-10; tolerance *= 1e-2) {
      const auto integrator = run.start(GetParam(), with_tolerance(tolerance));
      ProblemRun::advance(*integrator, run.reference ? run.reference->t : run.t_end);
      double error = 0.0;
      if (run.reference) {
        error = error_of(integrator->state().p, run.reference->p);
      } else {  // mu = 0: y1'' = -A - B y1', D = 11, A = 10 / 11, B = 1 / 11
        const double A = 10.0 / 11.0, B = 1.0 / 11.0, t = run.t_end;
        const double y1 = -A / B * (t - (1.0 - std::exp(-B * t)) / B);
        error = std::abs(integrator->state().p[0] - y1) / (1.0 + std::abs(y1));
      }
      EXPECT_LE(error, slack() * c.allowed * tolerance) << c.problem << " at " << tolerance;
      if (tolerance == 1e-4) first = error;
      last = error;
    }
    // An error that is by chance smaller than its tolerance is taken as that.
    EXPECT_LT(last, std::max(1e-4 * std::max(first, 1e-4), 1e-12))
        << c.problem << ": errors must follow tolerances";
  }
}

TEST_P(IntegratorBattery, ConstraintsHoldAtStepsAndBetween) {
  ProblemRun run("andrews");
  const auto integrator = run.start(GetParam(), with_tolerance(1e-7));
  State x = integrator->state();
  double at_steps = 0.0, between = 0.0, velocities = 0.0, raw = 0.0;
  int points = 0;
  while (integrator->state().t < run.t_end) {
    integrator->step(run.t_end);
    at_steps = std::max(at_steps, run.position_residual(integrator->state()));
    for (; points < 300 && (points + 0.5) / 300.0 * run.t_end <= integrator->state().t; ++points) {
      const double t = (points + 0.5) / 300.0 * run.t_end;
      integrator->interpolate(t, true, x);
      EXPECT_EQ(x.t, t);
      between = std::max(between, run.position_residual(x));
      velocities = std::max(velocities, run.velocity_residual(x));
      const State consistent = run.consistent(x);
      EXPECT_LE(error_of(x.a, consistent.a), 1e-9);
      EXPECT_LE(error_of(x.lambda, consistent.lambda), 1e-9);
      integrator->interpolate(t, false, x);
      raw = std::max(raw, run.position_residual(x));
    }
  }
  EXPECT_EQ(points, 300);
  EXPECT_LT(at_steps, residual_bound(1e-7));
  EXPECT_LT(between, 1e-9);
  EXPECT_LT(velocities, 1e-9);
  EXPECT_LT(raw, 1e-5);
  RecordProperty("position residual at steps", std::to_string(at_steps));
}

TEST_P(IntegratorBattery, DenseOutputIsAsGoodAsTheSteps) {
  ProblemRun run("andrews");
  const auto fine = run.start(GetParam(), with_tolerance(1e-12));
  const auto coarse = run.start(GetParam(), with_tolerance(1e-7));
  State x = coarse->state();
  double worst_step = 0.0, worst_between = 0.0;
  while (coarse->state().t < run.t_end) {
    coarse->step(run.t_end);
    for (const double theta : {0.15, 0.5, 0.85, 1.0}) {
      const double t =
          theta == 1.0 ? coarse->state().t
                       : coarse->step_begin() + theta * (coarse->state().t - coarse->step_begin());
      coarse->interpolate(t, false, x);
      ProblemRun::advance(*fine, t);
      const double error = error_of(x.p, fine->state().p);
      (theta == 1.0 ? worst_step : worst_between) =
          std::max(theta == 1.0 ? worst_step : worst_between, error);
    }
  }
  EXPECT_GT(worst_step, 0.0);
  EXPECT_LT(worst_between, 10.0 * std::max(worst_step, 1e-7));
}

TEST_P(IntegratorBattery, PendulumReturnsAfterTenPeriodsWithItsEnergy) {
  ProblemRun run("pendulum-period2");
  const auto integrator = run.start(GetParam(), with_tolerance(1e-9));
  double energy = 0.0;
  while (integrator->state().t < 20.0) {
    integrator->step(20.0);
    const auto e = run.equations->energy(run.context(), integrator->state(), *run.ws);
    energy = std::max(energy, std::abs(e.kinetic + e.potential));
  }
  EXPECT_EQ(integrator->state().t, 20.0);
  EXPECT_LT(integrator->state().v.norm(), 1e-5);
  // over nine tolerances around this one: 10 tolerances on average, 20 at most
  EXPECT_LT((integrator->state().p - run.x0.p).norm(),
            slack() * (GetParam() == "extrapolation" ? 1e-8 : 2e-8));
  EXPECT_LT(energy, slack() * 1e-6);
}

TEST_P(IntegratorBattery, FirstOrderStatesAndAuxiliaryUnknownsFollowTheTolerance) {
  const auto equations = std::make_shared<Motor>();
  const Inputs inputs(0);
  const Parameters parameters;
  ProblemRun run(equations, equations->initial({inputs, parameters}, 0.0), 3.0);
  for (const double tolerance : {1e-5, 1e-8, 1e-11}) {
    const auto integrator = run.start(GetParam(), with_tolerance(tolerance));
    State x = integrator->state();
    while (integrator->state().t < run.t_end) {
      integrator->step(run.t_end);
      const double t = 0.5 * (integrator->step_begin() + integrator->state().t);
      for (const bool projected : {false, true}) {
        integrator->interpolate(t, projected, x);
        EXPECT_NEAR(x.r[0], 1.0 - std::exp(-t), 100.0 * tolerance);
        EXPECT_NEAR(x.w[0] + 0.1 * std::pow(x.w[0], 3), x.v[0], 1e4 * tolerance);
        EXPECT_NEAR(Motor::invariant(x), 0.0, 100.0 * tolerance);
      }
    }
    const State& end = integrator->state();
    EXPECT_NEAR(end.r[0], 1.0 - std::exp(-end.t), 10.0 * tolerance);
    EXPECT_NEAR(Motor::invariant(end), 0.0, 10.0 * tolerance);
    EXPECT_NEAR(end.w[0] + 0.1 * std::pow(end.w[0], 3), end.v[0], 1e-12);
    EXPECT_NEAR(end.a[0], end.r[0] - end.w[0], 1e4 * tolerance);
  }
}

TEST_P(IntegratorBattery, NonholonomicConstraintsAreKept) {
  const auto equations = std::make_shared<Skate>();
  const Inputs inputs(0);
  const Parameters parameters;
  ProblemRun run(equations, equations->initial({inputs, parameters}, 0.0), 5.0);
  for (const double tolerance : {1e-5, 1e-9}) {
    const auto integrator = run.start(GetParam(), with_tolerance(tolerance));
    while (integrator->state().t < run.t_end) {
      integrator->step(run.t_end);
      EXPECT_LT(run.velocity_residual(integrator->state()), multistep() ? 0.1 * tolerance
                                                            : drifts()  ? 20.0 * tolerance
                                                                        : 1e-12);
    }
    EXPECT_LT(error_of(integrator->state().p, Skate::position_at(run.t_end)), 30.0 * tolerance);
  }
}

TEST_P(IntegratorBattery, RheonomicConstraintsAreKept) {
  const auto equations = std::make_shared<Bead>();
  const Inputs inputs(0);
  const Parameters parameters;
  ProblemRun run(equations, equations->initial({inputs, parameters}, 0.0), 2.0);
  for (const double tolerance : {1e-5, 1e-8, 1e-11}) {
    const auto integrator = run.start(GetParam(), with_tolerance(tolerance));
    State x = integrator->state();
    while (integrator->state().t < run.t_end) {
      integrator->step(run.t_end);
      const State& end = integrator->state();
      EXPECT_LT(error_of(end.p, Bead::position_at(end.t, std::cosh(end.t))),
                slack() * 10.0 * tolerance);
      EXPECT_LT(error_of(end.v, Bead::velocity_at(end.t, std::cosh(end.t), std::sinh(end.t))),
                slack() * 10.0 * tolerance);
      EXPECT_NEAR(end.lambda[0], 2.0 * std::sinh(end.t), slack() * 1e3 * tolerance);
      EXPECT_LT(run.position_residual(end), residual_bound(tolerance));
      const double t = 0.5 * (integrator->step_begin() + end.t);
      integrator->interpolate(t, true, x);
      EXPECT_LT(error_of(x.p, Bead::position_at(t, std::cosh(t))), slack() * 50.0 * tolerance);
      EXPECT_NEAR(x.lambda[0], 2.0 * std::sinh(t), slack() * 1e3 * tolerance);
    }
  }
}

TEST_P(IntegratorBattery, EulerParametersKeepTheirNorm) {
  const auto equations = std::make_shared<Top>();
  const Inputs inputs(0);
  const Parameters parameters;
  ProblemRun run(equations, equations->initial({inputs, parameters}, 0.0), 10.0);
  const auto integrator = run.start(GetParam(), with_tolerance(1e-9));
  const Eigen::Vector3d momentum = Top::momentum(integrator->state());
  State x = integrator->state();
  double slowest = 2.0;
  while (integrator->state().t < run.t_end) {
    integrator->step(run.t_end);
    slowest = std::min(slowest, integrator->state().v[1]);
    EXPECT_NEAR(integrator->state().p.norm(), 1.0, 1e-15);
    integrator->interpolate(0.5 * (integrator->step_begin() + integrator->state().t), true, x);
    EXPECT_NEAR(x.p.norm(), 1.0, 1e-15);
    EXPECT_LT((Top::momentum(x) - momentum).norm(), 1e-6);
  }
  EXPECT_LT((Top::momentum(integrator->state()) - momentum).norm(), 1e-7);
  EXPECT_LT(slowest, -1.0) << "the top should have turned over";
}

}  // namespace mbs::test
