// Small communication steps cost nothing: what the integrator does is counted, not timed.

#include <gtest/gtest.h>

#include <cmath>

#include "engine/simulation/simulation.hpp"
#include "tests/simulation/swing.hpp"

namespace mbs {
namespace {

using test::Swing;

Simulation running(double tolerance = 1e-6) {
  SolverChoice choice;
  choice.options.rtol = choice.options.atol = tolerance;
  Simulation simulation(std::make_shared<Swing>("steps"), choice);
  EXPECT_TRUE(simulation.initialise(0.0).ok);
  return simulation;
}

constexpr double pace = 1.0;  // the swing makes three swings in `stop`
double u(double t) {
  return 3.0 + std::sin(pace * t);
}
void set_smooth(Simulation& simulation) {
  const double t = simulation.time();
  simulation.set_input(0, u(t), pace * std::cos(pace * t), -pace * pace * std::sin(pace * t));
}

constexpr double stop = 4.0;
constexpr int points = 8000;  // about a hundred in a step

long evaluations(const Simulation& simulation) {
  return simulation.statistics().force_evaluations;
}

TEST(SmallSteps, are_the_same_as_a_big_one) {
  Simulation big = running(), small = running();
  big.advance(stop);
  for (int i = 1; i <= points; ++i) {
    if (i % 3 == 0) small.set_input(0, 3.0);  // what it is
    small.advance(stop * i / points);
  }
  EXPECT_GT(points, 50 * big.statistics().steps);
  EXPECT_EQ(small.state().p, big.state().p);
  EXPECT_EQ(evaluations(small), evaluations(big));
}

// The input is given with its derivatives at every point.
TEST(SmallSteps, with_a_smooth_input_cost_twice_a_big_one_at_most) {
  Simulation exact = running(1e-11), big = running(), small = running();
  for (int i = 0; i < 20000; ++i) {
    set_smooth(exact);
    exact.advance(stop * (i + 1) / 20000);
  }
  big.advance(stop);
  for (int i = 0; i < points; ++i) {
    set_smooth(small);
    small.advance(stop * (i + 1) / points);
  }
  EXPECT_LT((small.state().p - exact.state().p).norm(), 1e-5);
  EXPECT_LE(evaluations(small), 2 * evaluations(big));
  EXPECT_LT(small.statistics().starts, 10);
}

TEST(SmallSteps, a_change_within_the_tolerance_keeps_the_history) {
  Simulation simulation = running(1e-4);
  simulation.advance(1.0);
  const long starts = simulation.statistics().starts;
  simulation.set_input(0, 3.0 * (1.0 + 0.5e-4));
  simulation.advance(1.01);
  EXPECT_EQ(simulation.statistics().starts, starts);
  EXPECT_EQ(simulation.input(0), 3.0 * (1.0 + 0.5e-4)) << "as it was set";
  simulation.set_input(0, 3.0 * (1.0 + 2e-4));
  simulation.advance(1.02);
  EXPECT_EQ(simulation.statistics().starts, starts + 1) << "more than the tolerance";
  // Many small changes in one direction do not go unnoticed.
  Simulation creeping = running();
  for (int i = 1; i <= 21000; ++i) {
    creeping.set_input(0, 3.0 + 0.04 * std::min(1.0, i / 20000.0));
    creeping.advance(i * 1e-3);
  }
  EXPECT_NEAR(creeping.output(Swing::drive), 3.04, 1e-4);
  EXPECT_LT(creeping.statistics().starts, 10000);
}

TEST(SmallSteps, predictions_are_part_of_a_snapshot) {
  Simulation one = running(), other = running();
  const auto go = [](Simulation& simulation, int from, int to) {
    for (int i = from; i < to; ++i) {
      set_smooth(simulation);
      simulation.advance(stop * (i + 1) / points);
    }
  };
  go(one, 0, 777);
  other.deserialise(one.serialise(1), 1);
  go(one, 777, 1500);
  go(other, 777, 1500);
  EXPECT_EQ(one.serialise(1), other.serialise(1));
}

}  // namespace
}  // namespace mbs
