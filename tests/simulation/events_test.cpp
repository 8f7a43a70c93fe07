// Events in a simulation: found, counted when their time is reached, forgotten with the surplus.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "engine/simulation/co_simulation_driver.hpp"
#include "engine/simulation/snapshot.hpp"
#include "tests/events/signals.hpp"
#include "tests/simulation/swing.hpp"
#include "tests/support/allocation_counter.hpp"

namespace mbs {
namespace {

using test::Swing;
using Advance = CoSimulationDriver::Advance;

constexpr std::uint64_t model = 42;

CoSimulationDriver running(bool terminate = false, double tolerance = 1e-9) {
  SolverChoice choice;
  choice.options.rtol = choice.options.atol = tolerance;
  CoSimulationDriver simulation(std::make_shared<Swing>("steps", terminate), choice);
  EXPECT_TRUE(simulation.initialise(0.0).ok);
  return simulation;
}

// Advances by h up to t and collects what happens.
std::vector<Root> events_until(CoSimulationDriver& simulation, double t, double h) {
  std::vector<Root> all;
  const double begin = simulation.time();
  for (int i = 1; simulation.time() < t; ++i) {
    simulation.advance(std::min(t, begin + i * h));
    all.insert(all.end(), simulation.events().begin(), simulation.events().end());
  }
  return all;
}

void expect_same(const std::vector<Root>& a, const std::vector<Root>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].t, b[i].t);
    EXPECT_EQ(a[i].function, b[i].function);
    EXPECT_EQ(a[i].direction, b[i].direction);
  }
}

TEST(SimulationEvents, AreWhereThePointPasses) {
  CoSimulationDriver simulation = running();
  const auto events = events_until(simulation, 5.0, 5.0);
  ASSERT_GE(events.size(), 3u);
  EXPECT_EQ(simulation.output(Swing::passes), static_cast<double>(events.size()));
  EXPECT_EQ(simulation.output(Swing::last_pass), events.back().t);
  int direction = -1;  // it starts on the right
  for (const Root& event : events) {
    CoSimulationDriver other = running();
    other.advance(event.t);
    EXPECT_NEAR(other.state().p[0], 0.0, 1e-7);
    EXPECT_EQ(event.direction, direction);
    direction = -direction;
  }
}

TEST(SimulationEvents, DoNotDependOnCommunicationPoints) {
  CoSimulationDriver direct = running(), dense = running();
  const auto events = events_until(direct, 5.0, 5.0);
  double earliest = 0.0;
  std::vector<Root> all;
  for (int i = 1; i <= 5000; ++i) {
    dense.advance(i * 1e-3);
    for (const Root& event : dense.events()) {
      EXPECT_GT(event.t, earliest) << "each in the step in which it lies";
      EXPECT_LE(event.t, dense.time());
      all.push_back(event);
    }
    EXPECT_EQ(dense.output(Swing::passes), static_cast<double>(all.size()));
    earliest = dense.time();
  }
  expect_same(events, all);
  // A communication point at an event, and right before and after it.
  for (const double t :
       {events[1].t, std::nextafter(events[1].t, 0.0), std::nextafter(events[1].t, 9.0)}) {
    CoSimulationDriver third = running();
    third.advance(t);
    EXPECT_EQ(third.events().size(), t < events[1].t ? 1u : 2u);
    const auto rest = events_until(third, 5.0, 1.0);
    EXPECT_EQ(rest.size(), events.size() - (t < events[1].t ? 1u : 2u));
  }
}

TEST(SimulationEvents, CanBeStoppedAtAndChangeNothing) {
  CoSimulationDriver direct = running(), stepwise = running();
  const auto events = events_until(direct, 5.0, 5.0);
  std::vector<Root> all;
  Advance result = Advance::event;
  while (result == Advance::event) {
    result = stepwise.advance(5.0, CoSimulationDriver::Events::stop);
    if (result != Advance::event) break;
    ASSERT_EQ(stepwise.events().size(), 1u);
    EXPECT_EQ(stepwise.time(), stepwise.events()[0].t);
    EXPECT_NEAR(stepwise.state().p[0], 0.0, 1e-10);
    all.push_back(stepwise.events()[0]);
  }
  EXPECT_EQ(result, Advance::reached);
  expect_same(events, all);
  EXPECT_EQ(stepwise.state().p, direct.state().p);
  EXPECT_EQ(stepwise.statistics().steps, direct.statistics().steps);
  EXPECT_EQ(stepwise.statistics().starts, 1);
}

TEST(SimulationEvents, OfASurplusThatIsGivenUpNeverHappen) {
  CoSimulationDriver quiet = running(), pushed = running();
  const double first = events_until(quiet, 5.0, 5.0)[0].t;
  pushed.advance(0.9 * first);
  ASSERT_GT(pushed.step_ahead(5.0), 0.9 * first);
  pushed.set_input(0, 400.0);  // away from x = 0 for a while
  const auto events = events_until(pushed, first + 0.05, 0.01);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].function, Swing::high);
  EXPECT_EQ(events[0].t, 0.9 * first) << "where the input jumps";
  EXPECT_GT(pushed.state().p[0], 0.0);
  // Set again to the same side: no event. Down: not asked for. Up: again.
  pushed.set_input(0, 300.0);
  pushed.advance(pushed.time() + 0.01);
  EXPECT_TRUE(pushed.events().empty());
  pushed.set_input(0, 0.0);
  pushed.advance(pushed.time() + 0.01);
  EXPECT_TRUE(pushed.events().empty());
  pushed.set_input(0, 4.0, 100.0);
  const double ramp = pushed.time();
  pushed.advance(pushed.time() + 0.02);
  ASSERT_EQ(pushed.events().size(), 1u);
  EXPECT_NEAR(pushed.events()[0].t, ramp + 0.01, 1e-12);
}

TEST(SimulationEvents, RestartsAroundAnEventDoNotRepeatIt) {
  CoSimulationDriver simulation = running();
  const auto all = events_until(simulation, 3.0, 3.0);
  for (const double shift : {-1e-6, -1e-10, 0.0, 1e-10, 1e-6}) {
    CoSimulationDriver other = running();
    std::size_t count = 0;
    other.advance(all[0].t + shift);
    count += other.events().size();
    other.set_input(0, 3.0, 0.0, 1e-2);  // a change that makes it start anew
    other.advance(all[0].t + 0.1);
    EXPECT_EQ(other.statistics().starts, 2);
    EXPECT_EQ(count + other.events().size(), 1u) << shift;
  }
}

TEST(SimulationEvents, CanEndIt) {
  CoSimulationDriver free = running(), ending = running(true);
  const Root first = events_until(free, 5.0, 5.0)[0];
  EXPECT_EQ(ending.advance(0.5 * first.t), Advance::reached);
  EXPECT_EQ(ending.system().events().end_message(), "");
  EXPECT_EQ(ending.advance(5.0), Advance::terminated);
  EXPECT_EQ(ending.time(), first.t);
  EXPECT_NEAR(ending.output(Swing::at_x), 0.0, 1e-10);
  EXPECT_NE(ending.system().events().end_message().find("event 'pass' at t = "), std::string::npos)
      << ending.system().events().end_message();
  EXPECT_THROW(ending.advance(6.0), std::logic_error);

  CoSimulationDriver restored(std::make_shared<Swing>("steps", true), ending.system().choice());
  deserialise(restored, serialise(ending, model), model);
  EXPECT_EQ(restored.system().events().end_message(), ending.system().events().end_message());
  EXPECT_THROW(restored.advance(6.0), std::logic_error);
}

TEST(SimulationEvents, ASnapshotKeepsThoseToCome) {
  CoSimulationDriver simulation = running();
  const auto all = events_until(simulation, 5.0, 5.0);
  for (const double at : {0.5 * all[0].t, all[0].t, all[1].t - 1e-9, all[1].t + 1e-9}) {
    CoSimulationDriver original = running(), other = running();
    original.advance(at);
    deserialise(other, serialise(original, model), model);
    expect_same(events_until(original, 5.0, 0.1), events_until(other, 5.0, 0.1));
    EXPECT_EQ(serialise(original, model), serialise(other, model));
    EXPECT_EQ(other.system().events().count(Swing::pass), static_cast<double>(all.size()));
    EXPECT_EQ(other.system().events().time(Swing::pass), all.back().t);
  }
}

TEST(SimulationEvents, AllocateNothingWhenWarm) {
  if (!test::allocations_are_counted) GTEST_SKIP() << "allocations are not counted here";
  CoSimulationDriver simulation = running();
  simulation.advance(10.0);
  std::size_t events = 0;
  EXPECT_EQ(test::allocations_in([&] {
              for (int i = 0; i < 100; ++i) {
                simulation.advance(simulation.time() + 0.05, CoSimulationDriver::Events::stop);
                events += simulation.events().size();
              }
            }),
            0);
  EXPECT_GT(events, 2u);
}

// The integrator's step goes to where a switching function is no number.
TEST(SimulationEvents, WhatIsNoNumberCountsWhenItIsReached) {
  const auto signals = [] {
    SolverChoice choice;
    choice.options.initial_step = 10.0;
    std::vector<test::Signals::Signal> list{[](double t) { return t - 0.3; },
                                            [](double t) { return std::sqrt(0.5 - t); },
                                            [](double t) { return 0.46 - t; }};
    CoSimulationDriver simulation(std::make_shared<test::Signals>(std::move(list)), choice);
    EXPECT_TRUE(simulation.initialise(0.0).ok);
    return simulation;
  };
  CoSimulationDriver once = signals();
  EXPECT_EQ(once.advance(0.49), Advance::reached);
  ASSERT_EQ(once.events().size(), 2u);
  EXPECT_NEAR(once.events()[0].t, 0.3, 1e-11);
  EXPECT_NEAR(once.events()[1].t, 0.46, 1e-11);

  CoSimulationDriver stopping = signals();
  EXPECT_EQ(stopping.advance(0.51, CoSimulationDriver::Events::stop), Advance::event);
  EXPECT_NEAR(stopping.time(), 0.3, 1e-11);

  CoSimulationDriver often = signals();
  int events = 0;
  for (int k = 1; k < 100; ++k) {
    EXPECT_GE(often.step_ahead(1.0), often.time());
    ASSERT_EQ(often.advance(0.005 * k), Advance::reached);
    events += static_cast<int>(often.events().size());
  }
  EXPECT_EQ(events, 2);
  EXPECT_EQ(often.statistics().steps, 1);
  for (CoSimulationDriver* simulation : {&once, &often}) {
    try {
      simulation->advance(0.51);
      FAIL() << "went past it";
    } catch (const SolverFailure& failure) {
      EXPECT_NE(std::string(failure.what()).find("'signal 2'"), std::string::npos);
    }
    EXPECT_NEAR(simulation->time(), 0.5, 1e-4) << "the last time that was reached";
  }
}

TEST(SimulationEvents, TheStepAheadIsTheIntegratorSOwn) {
  CoSimulationDriver simulation = running(), plain = running();
  State x = simulation.state();
  while (simulation.time() < 3.0) {
    const double begin = simulation.time(), end = simulation.step_ahead(3.0);
    ASSERT_GT(end, begin);
    simulation.step().dense_output(0.5 * (begin + end), x);
    EXPECT_NEAR(x.p.norm(), 1.5, 1e-7);
    simulation.advance(std::min(end, 3.0));
    EXPECT_EQ(simulation.time(), std::min(end, 3.0));
  }
  plain.advance(3.0);
  EXPECT_EQ(plain.state().p, simulation.state().p);
  EXPECT_EQ(plain.statistics().steps, simulation.statistics().steps);
}

}  // namespace
}  // namespace mbs
