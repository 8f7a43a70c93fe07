#pragma once

// What every integrator has to pass, whatever its method. A test program includes this once and
// says for which words:
//
//   INSTANTIATE_TEST_SUITE_P(Extrapolation, IntegratorBattery, testing::Values("extrapolation"));

#include <gtest/gtest.h>

#include <limits>

#include "tests/integrators/problem_run.hpp"
#include "tests/integrators/small_equations.hpp"
#include "tests/support/allocation_counter.hpp"

namespace mbs::test {

class IntegratorBattery : public testing::TestWithParam<std::string> {
 protected:
  static std::vector<std::byte> bytes_of(const Integrator& integrator) {
    std::vector<std::byte> bytes;
    ByteWriter out(bytes);
    integrator.save(out);
    return bytes;
  }
  // The integrator must refuse to go on, with these words, and leave its state alone.
  static void expect_failure(Integrator& integrator, double t_stop,
                             const std::vector<std::string>& words) {
    State before = integrator.state();
    try {
      for (;;) {
        before = integrator.state();
        integrator.step(t_stop);
        ASSERT_LT(integrator.state().t, t_stop) << "nothing failed";
      }
    } catch (const SolverFailure& failure) {
      for (const std::string& word : words) {
        EXPECT_NE(std::string(failure.what()).find(word), std::string::npos)
            << "'" << word << "' is not in: " << failure.what();
      }
      EXPECT_EQ(failure.time, before.t);
      EXPECT_TRUE(std::isfinite(failure.step));
    }
    EXPECT_TRUE(same_bits(integrator.state(), before));
    EXPECT_TRUE(before.p.allFinite() && before.v.allFinite() && before.lambda.allFinite());
  }
};

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
      EXPECT_LE(error, c.allowed * tolerance) << c.problem << " at " << tolerance;
      if (tolerance == 1e-4) first = error;
      last = error;
    }
    EXPECT_LT(last, 1e-4 * first) << c.problem << ": errors must follow tolerances";
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
  EXPECT_LT(at_steps, 1e-9);
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
    const auto e = run.equations->energy(run.given(), integrator->state(), *run.ws);
    energy = std::max(energy, std::abs(e.kinetic + e.potential));
  }
  EXPECT_EQ(integrator->state().t, 20.0);
  EXPECT_LT(integrator->state().v.norm(), 1e-5);
  EXPECT_LT((integrator->state().p - run.x0.p).norm(), 1e-8);
  EXPECT_LT(energy, 1e-6);
}

TEST_P(IntegratorBattery, FirstOrderStatesAndAuxiliaryUnknowns) {
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

TEST_P(IntegratorBattery, NonholonomicConstraints) {
  const auto equations = std::make_shared<Skate>();
  const Inputs inputs(0);
  const Parameters parameters;
  ProblemRun run(equations, equations->initial({inputs, parameters}, 0.0), 5.0);
  for (const double tolerance : {1e-5, 1e-9}) {
    const auto integrator = run.start(GetParam(), with_tolerance(tolerance));
    while (integrator->state().t < run.t_end) {
      integrator->step(run.t_end);
      EXPECT_LT(run.velocity_residual(integrator->state()), 1e-12);
    }
    EXPECT_LT(error_of(integrator->state().p, Skate::position_at(run.t_end)), 30.0 * tolerance);
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

TEST_P(IntegratorBattery, InterpolationGivesTheEndsBitForBitAndNothingOutside) {
  ProblemRun run("andrews");
  const auto integrator = run.start(GetParam(), with_tolerance(1e-6));
  State x = integrator->state();
  integrator->interpolate(run.x0.t, true, x);
  EXPECT_TRUE(same_bits(x, integrator->state()));
  State begin = integrator->state();
  for (int i = 0; i < 5; ++i) {
    integrator->step(run.t_end);
    for (const bool projected : {false, true}) {
      integrator->interpolate(integrator->step_begin(), projected, x);
      EXPECT_TRUE(same_bits(x, begin));
      integrator->interpolate(integrator->state().t, projected, x);
      EXPECT_TRUE(same_bits(x, integrator->state()));
    }
    begin = integrator->state();
    const double outside = std::nextafter(integrator->state().t, 1.0);
    EXPECT_THROW(integrator->interpolate(outside, false, x), std::invalid_argument);
    EXPECT_THROW(integrator->interpolate(std::nan(""), false, x), std::invalid_argument);
    EXPECT_THROW(integrator->interpolate(run.x0.t - 1.0, false, x), std::invalid_argument);
  }
}

TEST_P(IntegratorBattery, LookingDoesNotChangeTheTrajectory) {
  ProblemRun run("andrews");
  const auto watched = run.start(GetParam(), with_tolerance(1e-6));
  const auto alone = run.start(GetParam(), with_tolerance(1e-6));
  State x = watched->state();
  while (watched->state().t < run.t_end) {
    watched->step(run.t_end);
    alone->step(run.t_end);
    const double middle = 0.5 * (watched->step_begin() + watched->state().t);
    watched->interpolate(middle, true, x);
    watched->interpolate(middle, false, x);
    bytes_of(*watched);
    ASSERT_TRUE(same_bits(watched->state(), alone->state()));
  }
  for (const std::string_view word : Statistics::words()) {
    EXPECT_EQ(watched->statistics().by_word(word), alone->statistics().by_word(word)) << word;
  }
}

TEST_P(IntegratorBattery, RestoredIsAsIfNeverStopped) {
  for (const char* problem : {"andrews", "drum", "insul16"}) {
    ProblemRun run(problem);
    const IntegratorOptions options = with_tolerance(1e-6);
    const auto integrator = run.start(GetParam(), options);
    const std::vector<std::byte> at_start = bytes_of(*integrator);
    for (int i = 0; i < 6; ++i) integrator->step(run.t_end);
    const std::vector<std::byte> bytes = bytes_of(*integrator);
    EXPECT_EQ(bytes, bytes_of(*integrator));

    for (const bool from_start : {false, true}) {
      const auto other = make_integrator(GetParam(), *run.equations, run.given(), options);
      ByteReader in(from_start ? at_start : bytes);
      other->restore(in);
      EXPECT_TRUE(in.at_end());
      if (from_start) {
        for (int i = 0; i < 6; ++i) other->step(run.t_end);
      }
      ASSERT_TRUE(same_bits(other->state(), integrator->state())) << problem;
      EXPECT_EQ(other->step_begin(), integrator->step_begin());
      EXPECT_EQ(bytes_of(*other), bytes) << problem;
    }
    const auto other = make_integrator(GetParam(), *run.equations, run.given(), options);
    ByteReader in(bytes);
    other->restore(in);
    State x = integrator->state(), y = x;
    for (int i = 0; i < 6; ++i) {
      for (const double theta : {0.0, 0.3, 0.9, 1.0}) {
        const double t =
            integrator->step_begin() + theta * (integrator->state().t - integrator->step_begin());
        for (const bool projected : {false, true}) {
          integrator->interpolate(t, projected, x);
          other->interpolate(t, projected, y);
          ASSERT_TRUE(same_bits(x, y)) << problem << " at " << t;
        }
      }
      if (integrator->state().t == run.t_end) break;
      integrator->step(run.t_end);
      other->step(run.t_end);
      ASSERT_TRUE(same_bits(integrator->state(), other->state())) << problem;
    }
    EXPECT_EQ(bytes_of(*integrator), bytes_of(*other)) << problem;

    for (const std::size_t keep : {std::size_t{0}, bytes.size() / 3, bytes.size() - 1}) {
      ByteReader truncated(std::span<const std::byte>(bytes).first(keep));
      EXPECT_THROW(other->restore(truncated), std::runtime_error) << problem;
    }
    other->start(run.consistent(run.x0));
    integrator->start(run.consistent(run.x0));
    ProblemRun::advance(*other, run.t_end);
    ProblemRun::advance(*integrator, run.t_end);
    EXPECT_TRUE(same_bits(integrator->state().p, other->state().p)) << problem;
  }
}

TEST_P(IntegratorBattery, LandsOnStopTimesAndNeverPassesThem) {
  ProblemRun run("pendulum");
  const IntegratorOptions options = with_tolerance(1e-6);
  const auto free = run.start(GetParam(), options);
  ProblemRun::advance(*free, 2.0);
  const long undisturbed = free->statistics().steps + free->statistics().rejected;

  const auto stopped = run.start(GetParam(), options);
  double shortest = 1.0;
  for (const double t_stop :
       {0.3, 0.3 + 1e-12, 0.3 + 1e-5, 0.5, std::nextafter(0.5, 1.0), 1.1, 1.7, 2.0}) {
    while (stopped->state().t < t_stop) {
      const double before = stopped->state().t;
      stopped->step(t_stop);
      ASSERT_LE(stopped->state().t, t_stop);
      EXPECT_EQ(stopped->step_begin(), before);
      if (t_stop > 1.0) shortest = std::min(shortest, stopped->state().t - before);
    }
    EXPECT_EQ(stopped->state().t, t_stop);
    EXPECT_LT(run.position_residual(stopped->state()), 1e-9);
    const State exact = run.consistent(stopped->state());
    EXPECT_LT(error_of(stopped->state().lambda, exact.lambda), 1e-3) << t_stop;
  }
  EXPECT_GT(shortest, 1e-3) << "no tiny last steps";
  // The step size survives each stop: few steps more for it, not a start from anew.
  EXPECT_LE(stopped->statistics().steps + stopped->statistics().rejected, undisturbed + 3 * 8);
  EXPECT_LT(error_of(stopped->state().p, free->state().p), 1e-4);

  EXPECT_THROW(stopped->step(2.0), std::invalid_argument);
  EXPECT_THROW(stopped->step(1.0), std::invalid_argument);
  EXPECT_THROW(stopped->step(std::nan("")), std::invalid_argument);
  stopped->step(std::numeric_limits<double>::infinity());
  EXPECT_GT(stopped->state().t, 2.0);
}

TEST_P(IntegratorBattery, StatisticsAreWhatHappened) {
  ProblemRun run("andrews");
  const auto integrator = run.start(GetParam(), with_tolerance(1e-6));
  long steps = 0;
  double before = 0.0;
  while (integrator->state().t < run.t_end) {
    before = integrator->state().t;
    integrator->step(run.t_end);
    ++steps;
    EXPECT_EQ(integrator->statistics().last_step, integrator->state().t - before);
  }
  const Statistics& s = integrator->statistics();
  EXPECT_EQ(s.steps, steps);
  EXPECT_EQ(s.starts, 1);
  EXPECT_GE(s.projections, steps);
  EXPECT_GT(s.matrix_evaluations, steps);
  EXPECT_GT(s.force_evaluations, steps);
  EXPECT_GE(s.solves, s.factorisations);
  EXPECT_GT(s.last_order, 0);
  EXPECT_EQ(s.by_word("steps"), static_cast<double>(steps));
  EXPECT_THROW(s.by_word("stpes"), std::out_of_range);
  integrator->start(run.consistent(run.x0));
  EXPECT_EQ(s.starts, 2);
  EXPECT_EQ(s.steps, steps);
}

TEST_P(IntegratorBattery, AWarmStepAllocatesNothing) {
  if (!allocations_are_counted) GTEST_SKIP() << "allocations are not counted in this build";
  for (const char* problem : {"andrews", "drum", "insul16"}) {
    ProblemRun run(problem);
    const auto integrator = run.start(GetParam(), with_tolerance(1e-6));
    State x = integrator->state();
    for (int i = 0; i < 3; ++i) {
      integrator->step(run.t_end);
      integrator->interpolate(0.5 * (integrator->step_begin() + integrator->state().t), true, x);
    }
    const long count = allocations_in([&] {
      for (int i = 0; i < 3; ++i) {
        integrator->step(run.t_end);
        const double t = 0.5 * (integrator->step_begin() + integrator->state().t);
        integrator->interpolate(t, false, x);
        integrator->interpolate(t, true, x);
      }
    });
    EXPECT_EQ(count, 0) << problem;
  }
}

TEST_P(IntegratorBattery, FailuresSayWhereAndWhatToTry) {
  const Problem pendulum = make_problem("pendulum");
  const auto failing = [&](Faulty::Fault fault) {
    return ProblemRun(std::make_shared<Faulty>(make_problem("pendulum").equations, fault, 0.25),
                      pendulum.initial, 1.0);
  };
  {
    ProblemRun run = failing(Faulty::Fault::nan_force);
    const auto integrator = run.start(GetParam(), with_tolerance(1e-6));
    expect_failure(*integrator, 1.0, {"t = 0.2", "not a finite number", "division by zero"});
    EXPECT_GT(integrator->statistics().failed, 0);
    EXPECT_NEAR(integrator->state().t, 0.25, 1e-6);
    State x = integrator->state();  // the last step can still be looked at
    integrator->interpolate(0.5 * (integrator->step_begin() + x.t), true, x);
    EXPECT_TRUE(x.p.allFinite());
  }
  {
    ProblemRun run = failing(Faulty::Fault::nan_matrix);
    const auto integrator = run.start(GetParam(), with_tolerance(1e-6));
    expect_failure(*integrator, 1.0, {"integration stopped"});
  }
  {
    ProblemRun run = failing(Faulty::Fault::singular);
    const auto integrator = run.start(GetParam(), with_tolerance(1e-6));
    expect_failure(*integrator, 1.0, {"singular", "constraint 'rod'", "redundant"});
  }
}

TEST_P(IntegratorBattery, LimitsAreKept) {
  ProblemRun run("pendulum");
  IntegratorOptions options = with_tolerance(1e-6);
  options.max_steps = 5;
  const auto limited = run.start(GetParam(), options);
  expect_failure(*limited, 10.0, {"max_steps = 5"});
  EXPECT_LE(limited->statistics().steps, 5);
  limited->start(run.consistent(run.x0));
  limited->step(10.0);

  options = with_tolerance(1e-6);
  options.max_step = 0.01;
  const auto fine = run.start(GetParam(), options);
  while (fine->state().t < 1.0) {
    fine->step(1.0);
    EXPECT_LE(fine->statistics().last_step, 0.01 * (1.0 + 1e-12));
  }
  EXPECT_LE(fine->statistics().steps, 115);

  options = with_tolerance(1e-12);
  options.min_step = 0.5;
  options.initial_step = 1.0;
  const auto coarse = run.start(GetParam(), options);
  expect_failure(*coarse, 10.0, {"least value 0.5", "times the tolerance", "'"});

  options = with_tolerance(1e-3);
  options.rtol_each = options.atol_each = Vector::Constant(4, 1e-3);
  const auto one_by_one = run.start(GetParam(), options);
  const auto all = run.start(GetParam(), with_tolerance(1e-3));
  options.rtol_each[3] = options.atol_each[3] = 1e-9;
  const auto sharp = run.start(GetParam(), options);
  for (Integrator* i : {one_by_one.get(), all.get(), sharp.get()}) ProblemRun::advance(*i, 1.0);
  EXPECT_TRUE(same_bits(one_by_one->state(), all->state()));
  EXPECT_GT(sharp->statistics().steps, all->statistics().steps);
}

}  // namespace mbs::test
