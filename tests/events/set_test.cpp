// Events that set states and discrete variables, at conditions and at times, against closed forms.

#include <gtest/gtest.h>

#include <cmath>

#include "engine/simulation/snapshot.hpp"
#include "tests/events/simulated.hpp"
#include "tests/support/allocation_counter.hpp"

namespace mbs::test {
namespace {

// A mass pushed by F for d of every T: v = n F d after n periods.
constexpr const char* pulses = R"(
<body name="mass" mass="1 kg"/>
<prismatic name="rail" a="ground" b="mass" axis="x"/>
<discrete name="push" start="3 N"/><discrete name="cycles" start="0"/>
<force joint="rail" value="push"/>
<event name="on" every="10 ms"><set push="3 N" cycles="cycles + 1"/></event>
<event name="off" at="4 ms" every="10 ms"><set push="0 N"/></event>
<output name="x" of="rail" quantity="q"/>
<output name="v" of="rail" quantity="qd"/>
<output name="cycles_" value="cycles"/>
<output name="last" of="off" quantity="event_time"/>)";

TEST(EventsThatSet, PulseWidthModulationInEveryCoordinateChoice) {
  for (const char* coordinates : {"absolute", "joint", "mixed"}) {
    SCOPED_TRACE(coordinates);
    CoSimulationDriver simulation = simulated(pulses, coordinates);
    const double F = 3.0, d = 4e-3, T = 10e-3;
    double x = 0.0, v = 0.0;
    for (int n = 1; n <= 50; ++n) {
      simulation.advance(n * T);
      x += v * T + 0.5 * F * d * d + F * d * (T - d);
      v += F * d;
      EXPECT_NEAR(simulation.output(0), x, 1e-13) << n;
      EXPECT_NEAR(simulation.output(1), v, 1e-13) << n;
      EXPECT_EQ(simulation.output(2), n);
      EXPECT_EQ(simulation.output(3), 4e-3 + (n - 1) * 10e-3);  // the time itself, no root
    }
    EXPECT_EQ(simulation.system().events().count(0), 50.0);
    EXPECT_EQ(simulation.system().events().count(1), 50.0);
  }
}

TEST(EventsThatSet, ACounterOfEvents) {
  // x = sin(w t) / w passes zero upwards once a period.
  CoSimulationDriver simulation = simulated(R"(
<body name="mass" mass="1 kg"/>
<prismatic name="rail" a="ground" b="mass" axis="x" q="-1 mm" stiffness="40 N/m"/>
<discrete name="n" start="0"/>
<event name="up" when="rail.q > 0 m"><set n="n + 1"/></event>
<output name="count" value="n"/>)");
  simulation.advance(10.0);
  EXPECT_EQ(simulation.output(0),
            std::floor(10.0 * std::sqrt(40.0) / (2.0 * std::numbers::pi) + 0.75));
}

TEST(EventsThatSet, AStateThatAnEventResetsIsASaw) {
  CoSimulationDriver simulation = simulated(R"(
<state name="saw" start="0 V" der="2 V/s"/>
<event name="drop" when="saw >= 0.5 V"><set saw="saw - 0.5 V"/></event>
<output name="y" value="saw"/>)");
  simulation.advance(10.1);
  EXPECT_EQ(simulation.system().events().count(0), 40.0);
  EXPECT_NEAR(simulation.output(0), 0.2, 1e-10);
}

TEST(EventsThatSet, OneMayBeTheReasonForTheNext) {
  CoSimulationDriver simulation = simulated(R"(
<discrete name="a" start="0"/><discrete name="b" start="0"/><state name="c" start="0" der="0 1/s"/>
<event name="third" when="b > 0.5"><set c="c + 7"/></event>
<event name="second" when="a > 0.5"><set b="b + 1"/></event>
<event name="first" when="time > 0.3 s"><set a="1"/></event>
<output name="y" value="c"/>)");
  simulation.advance(1.0);
  EXPECT_EQ(simulation.output(0), 7.0);
  ASSERT_EQ(simulation.events().size(), 3u);
  const int order[] = {2, 1, 0};
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(simulation.events()[k].function, order[k]);
    EXPECT_EQ(simulation.events()[k].t, simulation.events()[0].t);
  }
  EXPECT_NEAR(simulation.events()[0].t, 0.3, 1e-12);
}

TEST(EventsThatSet, OfOneTimeActInTheOrderOfTheFileAndOfOneEventTogether) {
  CoSimulationDriver simulation = simulated(R"(
<discrete name="a" start="0"/><discrete name="x" start="3"/><discrete name="y" start="5"/>
<event name="add" at="0.5 s"><set a="a + 1"/><set x="y" y="x"/></event>
<event name="double" at="0.25 s" every="0.25 s"><set a="2*a"/></event>
<output name="a_" value="a"/><output name="x_" value="x"/><output name="y_" value="y"/>)");
  simulation.advance(0.6);
  EXPECT_EQ(simulation.output(0), 2.0);
  EXPECT_EQ(simulation.output(1), 5.0);
  EXPECT_EQ(simulation.output(2), 3.0);
  EXPECT_EQ(simulation.system().events().count(1), 2.0);
}

// x = t and 3 x = 3 t reach their values together but for rounding: the file's order, whichever has
// the smaller last digit; what follows from them comes after both.
TEST(EventsThatSet, ConditionsOfOneTimeActInTheOrderOfTheFile) {
  for (const bool swapped : {false, true}) {
    for (const double level : {0.1, 0.3, 0.7, 1.1}) {
      const std::string number = std::to_string(level);
      const std::string at_x = "when=\"x > " + number + "\"",
                        at_3x = "when=\"3*x > 3*" + number + "\"";
      CoSimulationDriver simulation = simulated(
          R"(<state name="x" start="0" der="1 1/s"/><discrete name="a" start="0"/>
<discrete name="seen" start="0"/><event name="later" when="a > 0.5"><set seen="a"/></event>
<event name="add" )" +
          (swapped ? at_3x : at_x) + R"(><set a="a + 1"/></event><event name="double" )" +
          (swapped ? at_x : at_3x) +
          R"(><set a="2*a"/></event><output name="a_" value="a"/><output name="s" value="seen"/>)");
      simulation.advance(2.0);
      EXPECT_EQ(simulation.output(0), 2.0) << level;
      EXPECT_EQ(simulation.output(1), 2.0) << level;
    }
  }
}

// Each sets when the other is due: a queue of one, at 0.1, 0.3, 0.35, 0.55, 0.6 ...
TEST(EventsThatSet, EventsSetOthersForLater) {
  CoSimulationDriver simulation = simulated(R"(
<discrete name="open_at" start="0.1 s"/><discrete name="close_at" start="100 s"/>
<discrete name="open" start="0"/><state name="flow" start="0 s" der="open"/>
<event name="opens" when="time > open_at"><set open="1" close_at="time + 0.2 s"/></event>
<event name="closes" when="time > close_at"><set open="0" open_at="time + 0.05 s"/></event>
<output name="y" value="flow"/>)");
  simulation.advance(1.0);
  const double times[] = {0.1, 0.3, 0.35, 0.55, 0.6, 0.8, 0.85};
  ASSERT_EQ(simulation.events().size(), std::size(times));
  for (std::size_t k = 0; k < std::size(times); ++k) {
    EXPECT_EQ(simulation.events()[k].function, static_cast<int>(k % 2));
    EXPECT_NEAR(simulation.events()[k].t, times[k], 1e-12);
  }
  EXPECT_NEAR(simulation.output(0), 0.2 * 3 + 0.15, 1e-11);
}

TEST(EventsThatSet, WhereOneEndsTheSimulationTheOthersDoNotAct) {
  CoSimulationDriver simulation = simulated(R"(<discrete name="a" start="0"/>
<event name="count" at="0.5 s"><set a="a + 1"/></event><event name="end" at="0.5 s" terminate="true"/>
<output name="a_" value="a"/>)");
  EXPECT_EQ(simulation.advance(1.0), CoSimulationDriver::Advance::terminated);
  EXPECT_EQ(simulation.time(), 0.5);
  EXPECT_EQ(simulation.output(0), 0.0);
}

TEST(EventsThatSet, ACircleIsAnErrorByName) {
  CoSimulationDriver simulation = simulated(R"(
<discrete name="a" start="0"/>
<event name="begin" at="0.2 s"><set a="1"/></event>
<event name="fall" when="a > 0.5"><set a="0"/></event>
<event name="rise" when="a &lt; 0.5"><set a="1"/></event>)");
  try {
    simulation.advance(1.0);
    FAIL() << "went on to " << simulation.time();
  } catch (const SolverFailure& failure) {
    const std::string text = failure.what();
    EXPECT_TRUE(text.find("'fall'") != std::string::npos ||
                text.find("'rise'") != std::string::npos)
        << text;
  }
  EXPECT_NEAR(simulation.time(), 0.2, 1e-12);
}

TEST(EventsThatSet, AccelerationsAndOutputsBeforeAreKnown) {
  // The push that is switched off was felt as an acceleration of 3 m/s^2.
  CoSimulationDriver simulation = simulated(std::string(pulses) + R"(
<discrete name="felt" start="0 m/s^2"/><output name="felt_" value="felt"/>
<event name="look" at="3 ms"><set felt="rail.qdd"/></event>)");
  simulation.advance(5e-3);
  EXPECT_NEAR(simulation.output(4), 3.0, 1e-12);
}

TEST(EventsThatSet, ASnapshotKeepsThem) {
  CoSimulationDriver first = simulated(pulses), second = simulated(pulses);
  first.advance(0.1234);
  deserialise(second, serialise(first, 1), 1);
  first.advance(0.3);
  second.advance(0.3);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(first.output(i), second.output(i));
}

TEST(EventsThatSet, TerminateAtATimeIsExact) {
  CoSimulationDriver simulation =
      simulated(R"(<parameter name="end" value="0.7 s" variability="tunable"/>
<event name="over" at="end" terminate="true"/><state name="s" start="0 V" der="1 V/s"/>)");
  EXPECT_EQ(simulation.advance(1.0), CoSimulationDriver::Advance::terminated);
  EXPECT_EQ(simulation.time(), 0.7);
}

// Integration restarts at an event of time where a law jumps, and goes on at others; both without
// allocation.
TEST(EventsOfTime, IntegrationBeginsAnewWhereLawsJumpAlone) {
  for (const char* coordinates : {"absolute", "joint"}) {
    for (const std::string method : {"extrapolation", "midpoint", "radau", "bdf"}) {
      SCOPED_TRACE(coordinates + (" " + method));
      CoSimulationDriver simulation =
          simulated(R"xml(
<body name="mass" mass="2 kg"/>
<prismatic name="rail" a="ground" b="mass" axis="x" damping="0.1 N.s/m"/>
<force joint="rail" value="if(time >= 0.5 s, 10 N, 0 N) + 1 N*sin(3 1/s*time)"/>
<event name="on" at="0.5 s"/><event name="look" every="0.1 s"/>
<output name="a" of="rail" quantity="qdd"/><output name="v" of="rail" quantity="qd"/>)xml",
                    coordinates, "rtol=\"1e-8\" atol=\"1e-8\" method=\"" + method + "\"");
      simulation.advance(0.42);
      EXPECT_EQ(simulation.statistics().starts, 1);
      simulation.advance(0.5);
      const double v = simulation.output(1);
      EXPECT_NEAR(simulation.output(0), (10.0 + std::sin(1.5) - 0.1 * v) / 2.0, 1e-12);
      EXPECT_EQ(simulation.statistics().starts, 2);
      simulation.advance(0.75);
      EXPECT_EQ(allocations_in([&] { simulation.advance(0.95); }), 0);
      EXPECT_EQ(simulation.statistics().starts, 2);
      EXPECT_EQ(simulation.system().events().count(1), 9.0);
    }
  }
}

}  // namespace
}  // namespace mbs::test
