#include "engine/simulation/co_simulation_driver.hpp"
#include "engine/simulation/snapshot.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "tests/simulation/swing.hpp"
#include "tests/support/allocation_counter.hpp"

namespace mbs {
namespace {

using test::Swing;

constexpr std::uint64_t model = 42;

CoSimulationDriver make(double rtol = 1e-8) {
  SolverChoice choice;
  choice.options.rtol = rtol;
  choice.options.atol = rtol;
  return CoSimulationDriver(std::make_shared<Swing>(), choice);
}

CoSimulationDriver running(double rtol = 1e-8) {
  CoSimulationDriver simulation = make(rtol);
  const InitialReport report = simulation.initialise(0.0);
  EXPECT_TRUE(report.ok) << report.text();
  return simulation;
}

std::vector<double> all(CoSimulationDriver& simulation) {
  std::vector<double> values{simulation.time()};
  for (int i = 0; i < Swing::output_count; ++i) values.push_back(simulation.output(i));
  for (const Vector* x : {&simulation.state().p, &simulation.state().v, &simulation.state().a,
                          &simulation.state().lambda, &simulation.state().r})
    values.insert(values.end(), x->begin(), x->end());
  return values;
}

void expect_same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_EQ(std::bit_cast<std::uint64_t>(a[i]), std::bit_cast<std::uint64_t>(b[i]))
        << "value " << i << ": " << a[i] << " and " << b[i];
}

// Some life: uneven steps, a changed input now and then, a tuned parameter.
void drive(CoSimulationDriver& simulation, int steps, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit;
  for (int i = 0; i < steps; ++i) {
    if (unit(random) < 0.2) simulation.set_input(0, 20.0 * unit(random) - 10.0, unit(random));
    if (unit(random) < 0.1) simulation.system().parameters().set(Swing::damping, unit(random));
    simulation.advance(simulation.time() + 0.03 * unit(random) + 1e-6);
  }
}

TEST(CoSimulationDriver, StartsConsistent) {
  CoSimulationDriver simulation = running();
  const State& x = simulation.state();
  EXPECT_NEAR(x.p.norm(), 1.5, 1e-9);
  EXPECT_NEAR(x.p.dot(x.v), 0.0, 1e-9);
  EXPECT_NEAR(x.p.dot(x.a) + x.v.squaredNorm(), 0.0, 1e-9);
}

TEST(CoSimulationDriver, ReachesTheTimeAskedForExactly) {
  CoSimulationDriver simulation = running();
  for (const double t : {1e-9, 0.1, 0.1 + 1e-12, 1.0 / 3.0, 2.0}) {
    EXPECT_EQ(simulation.advance(t), CoSimulationDriver::Advance::reached);
    EXPECT_EQ(simulation.time(), t);
    EXPECT_NEAR(simulation.state().p.norm(), 1.5, 1e-8);
    EXPECT_NEAR(simulation.state().p.dot(simulation.state().v), 0.0, 1e-8);
  }
}

TEST(CoSimulationDriver, PointsInBetweenCostNothingAndChangeNothing) {
  CoSimulationDriver direct = running(), dense = running();
  direct.advance(2.0);
  for (int i = 1; i <= 2000; ++i) dense.advance(i == 2000 ? 2.0 : i * 1e-3);
  expect_same_bits(all(direct), all(dense));
  EXPECT_EQ(direct.statistics().steps, dense.statistics().steps);
  EXPECT_EQ(dense.statistics().starts, 1);
}

TEST(CoSimulationDriver, AnInputSetToItsOwnValueIsNoChange) {
  CoSimulationDriver quiet = running(), busy = running();
  for (int i = 1; i <= 100; ++i) {
    quiet.advance(i * 0.01);
    busy.set_input(0, busy.input(0));
    TunableParameters& parameters = busy.system().parameters();
    parameters.set(Swing::damping, parameters.value(Swing::damping));
    busy.advance(i * 0.01);
  }
  expect_same_bits(all(quiet), all(busy));
  EXPECT_EQ(busy.statistics().starts, 1);
}

TEST(CoSimulationDriver, AChangedInputActsFromItsPointOn) {
  // Against a simulation that is stopped and started anew at that point.
  CoSimulationDriver simulation = running(1e-10);
  simulation.advance(0.4);
  const double before = simulation.output(Swing::drive);
  simulation.set_input(0, -7.0);
  EXPECT_EQ(simulation.output(Swing::command), 3.0);  // outputs belong to the step that was made
  EXPECT_EQ(simulation.input(0), -7.0);
  simulation.advance(1.0);
  EXPECT_EQ(simulation.statistics().starts, 2);
  // F' = (u - F)/tau has the solution u + (F0 - u) exp(-t/tau).
  EXPECT_NEAR(before, 3.0 - 3.0 * std::exp(-0.4 / 0.05), 1e-8);
  EXPECT_NEAR(simulation.output(Swing::drive), -7.0 + (before + 7.0) * std::exp(-0.6 / 0.05), 1e-8);
}

TEST(CoSimulationDriver, TheInputBetweenInitialiseAndTheFirstStepCounts) {
  CoSimulationDriver simulation = running(1e-10);
  simulation.set_input(0, -7.0);
  simulation.advance(0.1);
  EXPECT_NEAR(simulation.output(Swing::drive), -7.0 + 7.0 * std::exp(-0.1 / 0.05), 1e-8);
}

TEST(CoSimulationDriver, InputsArePolynomials) {
  CoSimulationDriver simulation = running(1e-10);
  simulation.advance(0.3);
  const double F0 = simulation.output(Swing::drive);
  simulation.set_input(0, 1.0, 2.0, 6.0);
  simulation.advance(0.8);
  // F = a + b s + c s^2 + k exp(-s/tau) with s = t - 0.3
  const double tau = 0.05, s = 0.5;
  const double c = 3.0, b = 2.0 - 2.0 * c * tau, a = 1.0 - b * tau;
  EXPECT_NEAR(simulation.output(Swing::drive),
              a + b * s + c * s * s + (F0 - a) * std::exp(-s / tau), 1e-8);
  EXPECT_DOUBLE_EQ(simulation.output(Swing::command), 1.0 + 2.0 * s + 3.0 * s * s);
  EXPECT_DOUBLE_EQ(simulation.input(0), 1.0 + 2.0 * s + 3.0 * s * s);
}

TEST(CoSimulationDriver, ParametersBeforeAndWhileItRuns) {
  CoSimulationDriver simulation = make();
  EXPECT_DOUBLE_EQ(simulation.system().parameters().value(Swing::weight), 2.0 * 9.81);
  simulation.system().parameters().set(Swing::mass, 4.0);
  EXPECT_DOUBLE_EQ(simulation.system().parameters().value(Swing::weight), 4.0 * 9.81);
  simulation.system().parameters().set(Swing::weight, 1.0);  // calculated: follows the others
  EXPECT_DOUBLE_EQ(simulation.system().parameters().value(Swing::weight), 4.0 * 9.81);
  ASSERT_TRUE(simulation.initialise(0.0).ok);
  simulation.advance(0.5);
  simulation.system().parameters().set(Swing::length, 1.6);
  simulation.advance(0.6);
  EXPECT_NEAR(simulation.state().p.norm(), 1.6, 1e-8);
  EXPECT_NEAR(simulation.state().p.dot(simulation.state().v), 0.0, 1e-8);
}

TEST(CoSimulationDriver, InitialValuesFollowUntilTheFirstStep) {
  CoSimulationDriver twice = make(), once = make();
  ASSERT_TRUE(twice.initialise(1.0).ok);
  twice.system().parameters().set(Swing::length, 2.0);
  twice.set_input(0, 5.0);
  once.system().parameters().set(Swing::length, 2.0);
  once.set_input(0, 5.0);
  ASSERT_TRUE(twice.initialise(1.0, 1e-6).ok);
  ASSERT_TRUE(once.initialise(1.0, 1e-6).ok);
  expect_same_bits(all(twice), all(once));
  twice.advance(2.0);
  once.advance(2.0);
  expect_same_bits(all(twice), all(once));
  EXPECT_THROW(once.initialise(1.0), std::logic_error);
}

TEST(CoSimulationDriver, ToleranceReplacesThatOfTheOptions) {
  CoSimulationDriver coarse = make(1e-4), fine = make(1e-4), reference = make(1e-10);
  ASSERT_TRUE(coarse.initialise(0.0).ok && fine.initialise(0.0, 1e-9).ok &&
              reference.initialise(0.0).ok);
  for (CoSimulationDriver* s : {&coarse, &fine, &reference}) s->advance(1.0);
  const double x = reference.output(Swing::at_x);
  EXPECT_LT(std::abs(fine.output(Swing::at_x) - x), 1e-7);
  EXPECT_GT(fine.statistics().force_evaluations, coarse.statistics().force_evaluations);
}

TEST(CoSimulationDriver, AStateMayHaveItsOwnTolerance) {
  double error[2];
  for (const bool own : {false, true}) {
    SolverChoice choice;
    choice.options.rtol = choice.options.atol = 1e-3;
    if (own) choice.own_tolerances.push_back({"F", 1e-10, 1e-10});
    CoSimulationDriver simulation(std::make_shared<Swing>(), choice), fine = running(1e-12);
    ASSERT_TRUE(simulation.initialise(0.0).ok);
    for (CoSimulationDriver* s : {&simulation, &fine}) {
      s->set_input(0, 5.0);
      s->advance(0.3);
    }
    error[own ? 1 : 0] = std::abs(simulation.state().r[0] - fine.state().r[0]);
  }
  EXPECT_LT(error[1], 1e-8);
  EXPECT_GT(error[0], 100.0 * error[1]);
}

TEST(CoSimulationDriver, AnyToleranceFromOutsideGoesWithOwnOnes) {
  SolverChoice choice;
  choice.options.rtol = 1e-7;
  choice.own_tolerances.push_back({"F", 1e-3, 0.0});
  for (const double tolerance : {1e-4, 0.9, 1e-14}) {
    CoSimulationDriver simulation(std::make_shared<Swing>(), choice);
    EXPECT_TRUE(simulation.initialise(0.0, tolerance).ok) << tolerance;
    EXPECT_NO_THROW(simulation.advance(1e-3)) << tolerance;
  }
}

TEST(CoSimulationDriver, ImpossibleParametersAreSaidWhereTheyAreUsed) {
  CoSimulationDriver simulation = make();
  simulation.system().parameters().set(Swing::mass, -1.0);
  const InitialReport report = simulation.initialise(0.0);
  EXPECT_FALSE(report.ok);
  EXPECT_EQ(report.message, "the mass is not positive");
  EXPECT_THROW(simulation.advance(1.0), std::logic_error);
  EXPECT_THROW(simulation.output(0), std::logic_error);

  simulation.system().parameters().set(Swing::mass, 2.0);
  ASSERT_TRUE(simulation.initialise(0.0).ok);
  simulation.advance(0.5);
  const std::vector<double> before = all(simulation);
  simulation.system().parameters().set(Swing::mass, 0.0);
  EXPECT_THROW(simulation.advance(1.0), SolverFailure);
  expect_same_bits(all(simulation), before);
  // Set back it goes on as if nothing had been.
  simulation.system().parameters().set(Swing::mass, 2.0);
  simulation.advance(1.0);
  CoSimulationDriver undisturbed = running();
  undisturbed.advance(0.5);
  undisturbed.advance(1.0);
  expect_same_bits(all(simulation), all(undisturbed));
}

TEST(CoSimulationDriver, AChangeWithoutAStateFailsAndCanBeTakenBack) {
  CoSimulationDriver simulation = running();
  simulation.advance(0.5);
  const std::vector<double> before = all(simulation);
  simulation.system().parameters().set(Swing::length, std::nan(""));
  EXPECT_THROW(simulation.advance(1.0), SolverFailure);
  EXPECT_EQ(simulation.time(), 0.5);
  simulation.system().parameters().set(Swing::length, 1.5);
  simulation.advance(1.0);
  EXPECT_NEAR(simulation.state().p.norm(), 1.5, 1e-8);
}

TEST(CoSimulationDriver, AFailureKeepsTheLastTimeReached) {
  SolverChoice choice;
  choice.options.max_steps = 5;
  choice.options.max_step = 0.01;
  CoSimulationDriver simulation(std::make_shared<Swing>(), choice);
  ASSERT_TRUE(simulation.initialise(0.0).ok);
  EXPECT_THROW(simulation.advance(1.0), SolverFailure);
  EXPECT_GT(simulation.time(), 0.0);
  EXPECT_LE(simulation.time(), 0.05 + 1e-12);
  EXPECT_NEAR(simulation.state().p.norm(), 1.5, 1e-6);
}

TEST(CoSimulationDriver, WrongTimesAndMethodsAreRefused) {
  CoSimulationDriver simulation = running();
  simulation.advance(1.0);
  EXPECT_THROW(simulation.advance(1.0), std::invalid_argument);
  EXPECT_THROW(simulation.advance(0.5), std::invalid_argument);
  EXPECT_THROW(simulation.advance(std::nan("")), std::invalid_argument);
  EXPECT_THROW(simulation.advance(INFINITY), std::invalid_argument);
  SolverChoice choice;
  choice.method = "magic";
  EXPECT_THROW(CoSimulationDriver(std::make_shared<Swing>(), choice), std::invalid_argument);
  choice = {};
  choice.options.rtol = -1.0;
  EXPECT_THROW(CoSimulationDriver(std::make_shared<Swing>(), choice), std::invalid_argument);
}

TEST(CoSimulationDriver, EveryCounterCanBeAnOutputAndNoOtherKeyword) {
  for (const std::string_view keyword : Statistics::keywords()) {
    CoSimulationDriver simulation(std::make_shared<Swing>(std::string(keyword).c_str()), {});
    ASSERT_TRUE(simulation.initialise(0.0).ok);
    simulation.advance(1.0);
    EXPECT_EQ(simulation.output(Swing::steps), simulation.statistics().by_keyword(keyword))
        << keyword;
  }
  EXPECT_THROW(CoSimulationDriver(std::make_shared<Swing>("luck"), {}), std::invalid_argument);
}

TEST(CoSimulationDriver, ProgressCanStopIt) {
  CoSimulationDriver simulation = running();
  int calls = 0;
  simulation.set_progress([&](double t) {
    EXPECT_GT(t, 0.0);
    return ++calls < 3;
  });
  EXPECT_EQ(simulation.advance(100.0), CoSimulationDriver::Advance::stopped);
  EXPECT_EQ(calls, 3);
  EXPECT_LT(simulation.time(), 100.0);
  simulation.set_progress({});
  EXPECT_EQ(simulation.advance(simulation.time() + 1.0), CoSimulationDriver::Advance::reached);
}

TEST(CoSimulationDriver, ASnapshotContinuesToTheBit) {
  // Taken at any point of a lively run, set into the simulation itself, a fresh one and one that
  // was elsewhere.
  for (int point = 0; point < 40; point += 3) {
    CoSimulationDriver original = running();
    drive(original, point, 3);
    if (point % 2 == 0) original.set_input(0, 1.25);  // set, not yet in force
    const std::vector<std::byte> bytes = serialise(original, model);

    CoSimulationDriver fresh = make(), elsewhere = running();
    drive(elsewhere, 25, 4);
    deserialise(fresh, bytes, model);
    deserialise(elsewhere, bytes, model);
    EXPECT_EQ(serialise(fresh, model), bytes);
    expect_same_bits(all(fresh), all(original));

    drive(original, 30, 5);
    const std::vector<double> expected = all(original);
    for (CoSimulationDriver* other : {&fresh, &elsewhere}) {
      drive(*other, 30, 5);
      expect_same_bits(all(*other), expected);
    }
    deserialise(original, bytes, model);
    drive(original, 30, 5);
    expect_same_bits(all(original), expected);
  }
}

TEST(CoSimulationDriver, ASnapshotBeforeTheStartOrWithAnotherTolerance) {
  CoSimulationDriver original = make();
  original.system().parameters().set(Swing::length, 2.5);
  CoSimulationDriver other = running();
  other.advance(1.0);
  deserialise(other, serialise(original, model), model);
  EXPECT_EQ(other.system().parameters().value(Swing::length), 2.5);
  ASSERT_TRUE(original.initialise(0.0, 1e-5).ok && other.initialise(0.0, 1e-5).ok);
  drive(original, 10, 6);
  drive(other, 10, 6);
  expect_same_bits(all(original), all(other));
  CoSimulationDriver third = make();
  deserialise(third, serialise(original, model), model);
  drive(original, 10, 7);
  drive(third, 10, 7);
  expect_same_bits(all(original), all(third));
}

TEST(CoSimulationDriver, ARefusedSnapshotChangesNothing) {
  CoSimulationDriver simulation = running();
  drive(simulation, 20, 8);
  const std::vector<std::byte> now = serialise(simulation, model);
  CoSimulationDriver donor = running();
  drive(donor, 20, 9);
  const std::vector<std::byte> good = serialise(donor, model);

  const auto refused = [&](std::span<const std::byte> bytes, std::uint64_t hash) {
    EXPECT_THROW(deserialise(simulation, bytes, hash), std::runtime_error);
    EXPECT_EQ(serialise(simulation, model), now);
  };
  refused(good, model + 1);
  refused({}, model);
  for (const std::size_t size : {std::size_t{10}, good.size() / 2, good.size() - 1})
    refused(std::span(good).first(size), model);
  auto changed = good;
  changed[changed.size() / 2] ^= std::byte{4};
  refused(changed, model);
  // A wrong inside in a right envelope: refused by what reads it.
  auto longer = good;
  longer.push_back(std::byte{0});
  seal(longer, model);
  refused(longer, model);
  SolverChoice other_method;
  other_method.method = "extrapolation";
  CoSimulationDriver other(std::make_shared<Swing>(), other_method);
  refused(serialise(other, model), model);
  CoSimulationDriver survivor = running();
  drive(survivor, 20, 8);
  drive(survivor, 5, 10);
  drive(simulation, 5, 10);
  expect_same_bits(all(simulation), all(survivor));
}

TEST(CoSimulationDriver, AWarmAdvanceAllocatesNothing) {
  if (!test::allocations_are_counted) GTEST_SKIP() << "allocations are not counted here";
  CoSimulationDriver simulation = running();
  drive(simulation, 60, 11);
  double sum = 0.0;
  EXPECT_EQ(test::allocations_in([&] {
              for (int i = 0; i < 200; ++i) {
                simulation.advance(simulation.time() + 0.005);
                sum += simulation.output(Swing::tension);
              }
            }),
            0);
  EXPECT_EQ(test::allocations_in([&] {
              for (int i = 0; i < 50; ++i) {
                simulation.set_input(0, i % 2 == 0 ? 1.0 : -1.0);
                simulation.system().parameters().set(Swing::damping, 0.01 * i);
                simulation.advance(simulation.time() + 0.02);
                sum += simulation.output(Swing::tension);
              }
            }),
            0);
  EXPECT_TRUE(std::isfinite(sum));
}

TEST(CoSimulationDriver, TenThousandSnapshotsDoNotGrow) {
  CoSimulationDriver simulation = running();
  drive(simulation, 20, 12);
  std::vector<std::byte> bytes = serialise(simulation, model);
  deserialise(simulation, bytes, model);
  const std::size_t size = bytes.size();
  long allocations = 0;
  for (int i = 0; i < 10000; ++i) {
    allocations += test::allocations_in([&] { deserialise(simulation, bytes, model); });
    bytes = serialise(simulation, model);
  }
  EXPECT_EQ(bytes.size(), size);
  EXPECT_TRUE(allocations == 0 || !test::allocations_are_counted) << allocations;
}

}  // namespace
}  // namespace mbs
