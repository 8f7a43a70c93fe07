#pragma once

// The part of the battery that asks for what integrator.hpp promises: ends bit for bit, replay,
// stop times, statistics, no allocation, failures, limits. See integrator_battery.hpp.

#include "tests/integrators/integrator_battery.hpp"

namespace mbs::test {

TEST_P(IntegratorBattery, InterpolationGivesTheEndsBitForBitAndRefusesOtherTimes) {
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

TEST_P(IntegratorBattery, InterpolationDoesNotChangeTheTrajectory) {
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
  for (const std::string_view keyword : Statistics::keywords()) {
    EXPECT_EQ(watched->statistics().by_keyword(keyword), alone->statistics().by_keyword(keyword))
        << keyword;
  }
}

TEST_P(IntegratorBattery, RestoredItContinuesToTheBit) {
  for (const char* problem : {"andrews", "drum", "insul16"}) {
    ProblemRun run(problem);
    IntegratorOptions options = with_tolerance(1e-6);
    options.max_step = (run.t_end - run.x0.t) / 20.0;
    const auto integrator = run.start(GetParam(), options);
    const std::vector<std::byte> at_start = bytes_of(*integrator);
    for (int i = 0; i < 6; ++i) integrator->step(run.t_end);
    const std::vector<std::byte> bytes = bytes_of(*integrator);
    EXPECT_EQ(bytes, bytes_of(*integrator));

    for (const bool from_start : {false, true}) {
      const auto other = make_variant(GetParam(), *run.equations, run.context(), options);
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
    const auto other = make_variant(GetParam(), *run.equations, run.context(), options);
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

// Numbers that index memory may be damaged although a blob's checksum is right: every keyword of
// four bytes in turn becomes a number that fits nowhere. It is refused, or it was none of those and
// restoring, looking and saving go on (the sanitizers see what they touch).
TEST_P(IntegratorBattery, SnapshotsWithAbsurdNumbersAreRefusedOrHarmless) {
  ProblemRun run("drum");
  IntegratorOptions options = with_tolerance(1e-6);
  options.max_step = (run.t_end - run.x0.t) / 20.0;
  const auto integrator = run.start(GetParam(), options);
  for (int i = 0; i < 6; ++i) integrator->step(run.t_end);
  const std::vector<std::byte> bytes = bytes_of(*integrator);
  const auto other = make_variant(GetParam(), *run.equations, run.context(), options);
  State x = integrator->state();
  int refused = 0;
  for (std::size_t at = 0; at + 4 <= bytes.size(); at += at < 8192 ? 1 : 97) {
    for (const int absurd : {0x7ffffff0, -0x7ffffff0, 1 << 12}) {
      std::vector<std::byte> damaged = bytes;
      std::memcpy(damaged.data() + at, &absurd, sizeof absurd);
      ByteReader in(damaged);
      try {
        other->restore(in);
        const double t = other->state().t;
        if (other->step_begin() <= t) other->interpolate(t, false, x);
        bytes_of(*other);
      } catch (const std::exception&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 0);
  ByteReader in(bytes);
  other->restore(in);
  integrator->step(run.t_end);
  other->step(run.t_end);
  EXPECT_TRUE(same_bits(integrator->state(), other->state()));
}

TEST_P(IntegratorBattery, StopsAtStopTimesAndNeverPassesThem) {
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
    EXPECT_LT(run.position_residual(stopped->state()), residual_bound(1e-6));
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

TEST_P(IntegratorBattery, StatisticsAgreeWithTheSteps) {
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
  EXPECT_GE(s.projections, drifts() ? 0 : steps);
  EXPECT_GT(s.matrix_evaluations, steps);
  EXPECT_GT(s.force_evaluations, steps);
  EXPECT_GE(s.solves, s.factorisations);
  EXPECT_GT(s.last_order, 0);
  EXPECT_EQ(s.by_keyword("steps"), static_cast<double>(steps));
  EXPECT_THROW(s.by_keyword("stpes"), std::out_of_range);
  integrator->start(run.consistent(run.x0));
  EXPECT_EQ(s.starts, 2);
  EXPECT_EQ(s.steps, steps);
}

TEST_P(IntegratorBattery, AWarmStepAllocatesNothing) {
  if (!allocations_are_counted) GTEST_SKIP() << "allocations are not counted in this build";
  for (const char* problem : {"andrews", "drum", "insul16"}) {
    ProblemRun run(problem);
    IntegratorOptions options = with_tolerance(1e-6);
    options.max_step = (run.t_end - run.x0.t) / 20.0;
    const auto integrator = run.start(GetParam(), options);
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

TEST_P(IntegratorBattery, FailuresNamePlaceAndRemedy) {
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

TEST_P(IntegratorBattery, AnEmptyModelAdvancesInTime) {
  const auto equations = std::make_shared<Clock>();
  const Inputs inputs(0);
  const Parameters parameters;
  ProblemRun run(equations, equations->initial({inputs, parameters}, -1.0), 1e3);
  const auto integrator = run.start(GetParam(), {});
  ProblemRun::advance(*integrator, run.t_end);
  EXPECT_EQ(integrator->state().t, run.t_end);
  EXPECT_LT(integrator->statistics().steps, 100);
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
  EXPECT_LE(fine->statistics().steps, 125);

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
