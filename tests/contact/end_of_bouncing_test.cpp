// Bouncing ends where flights become lower than positions can resolve, with an entry in the log.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/events/simulated.hpp"

namespace mbs::test {
namespace {

constexpr double g = 9.81;

// From the log: when the contact was brought to rest, and when its bounces would have ended.
struct Rest {
  double begin = 0.0, end = 0.0;
  int impacts = 0;
};

Rest read_rest(CoSimulationDriver& simulation, const std::string& name) {
  Rest rest;
  for (const LogEntry& entry : simulation.system().events().take_log_entries()) {
    EXPECT_EQ(entry.text.find("'" + name + "': "), 0u) << entry.text;
    rest.impacts += entry.text.find("impact at ") != std::string::npos ? 1 : 0;
    if (entry.text.find("brought to rest") == std::string::npos) continue;
    EXPECT_EQ(rest.end, 0.0) << "twice";
    rest.begin = entry.t;
    rest.end = entry.t + std::stod(entry.text.substr(entry.text.find("within ") + 7));
  }
  return rest;
}

// The centre of a ball with a radius never comes to zero: its last digits are those of the radius.
TEST(EndOfBouncing, BallWithARadiusRestsAtTheZenoTime) {
  for (const double e : {0.3, 0.5, 0.8, 0.9}) {
    SCOPED_TRACE(e);
    CoSimulationDriver simulation = simulated(R"(<gravity g="0, -9.81 m/s^2"/>
<particle name="ball" mass="2 kg"/><free a="ground" b="ball" pos="0, 1.1 m"/>
<contact name="floor" a="ground" b="ball" normal="y" radius_b="0.1 m" restitution=")" +
                                              std::to_string(e) + R"("/>
<output name="push" of="floor" quantity="force"/>)");
    simulation.advance(12.0);
    const Rest rest = read_rest(simulation, "floor");
    const double zeno = std::sqrt(2.0 / g) * (1.0 + e) / (1.0 - e);
    EXPECT_NEAR(rest.end, zeno, e < 0.85 ? 1e-8 : 2e-8);  // a tenth of what is left then
    EXPECT_LT(zeno - rest.begin, 2e-7);
    // as many as it takes to be that slow, and not one more
    EXPECT_NEAR(rest.impacts, std::log(std::sqrt(2.0 * g) / 4e-8) / -std::log(e), 8.0);
    EXPECT_NEAR(simulation.state().p[1], 0.1, 1e-15);
    EXPECT_NEAR(simulation.state().v[1], 0.0, 1e-25);
    EXPECT_NEAR(simulation.output(0), 2.0 * g, 1e-12);
  }
}

TEST(EndOfBouncing, IsTheSameWithEveryIntegrator) {
  for (const char* method : {"extrapolation", "midpoint", "radau", "bdf", "reduction"}) {
    SCOPED_TRACE(method);
    CoSimulationDriver simulation =
        simulated(R"(<gravity g="0, -9.81 m/s^2"/>
<particle name="ball" mass="2 kg"/><free a="ground" b="ball" pos="0, 1.1 m"/>
<contact name="floor" a="ground" b="ball" normal="y" radius_b="0.1 m" restitution="0.8"/>)",
                  "auto", std::string(R"(rtol="1e-9" atol="1e-9" method=")") + method + "\"");
    simulation.advance(5.0);
    EXPECT_NEAR(read_rest(simulation, "floor").end, 9.0 * std::sqrt(2.0 / g), 1e-6);
    EXPECT_NEAR(simulation.state().v[1], 0.0, 1e-25);
  }
}

// In a loop the rounding of the gap is that of three bodies; no rest_speed is given. The force of
// the stop follows from virtual work and is the same in each choice of coordinates.
TEST(EndOfBouncing, StopInALoopRestsWithoutARestSpeed) {
  double end = 0.0, force = 0.0;
  for (const char* coordinates : {"absolute", "joint", "mixed"}) {
    SCOPED_TRACE(coordinates);
    CoSimulationDriver simulation =
        simulated(R"(<gravity g="0, -9.81 m/s^2"/><frame name="far" pos="1 m, 0"/>
<body name="crank" mass="1 kg" com="0.15 m, 0" inertia="0.02 kg.m^2"><frame name="end" pos="0.3 m, 0"/></body>
<body name="bar" mass="1 kg" com="0.5 m, 0" inertia="0.1 kg.m^2"><frame name="end" pos="1 m, 0"/></body>
<body name="rocker" mass="1 kg" com="0.3 m, 0" inertia="0.05 kg.m^2"><frame name="end" pos="0.6 m, 0"/></body>
<revolute name="A" a="ground" b="crank" q="80 deg" qd="-2 rad/s"/>
<revolute name="B" a="crank.end" b="bar" q="-60 deg"/>
<revolute name="D" a="far" b="rocker" q="90 deg"/>
<revolute name="C" a="bar.end" b="rocker.end"/>
<end_stop name="stop" joint="D" lower="80 deg" restitution="0.5"/>
<output name="q" of="D" quantity="q"/><output name="N" of="stop" quantity="force"/>)",
                  coordinates, R"(rtol="1e-11" atol="1e-11")");
    simulation.advance(1.0);
    const Rest rest = read_rest(simulation, "stop");
    EXPECT_LT(rest.impacts, 40);
    EXPECT_GT(rest.end, 0.0);
    EXPECT_NEAR(simulation.output(0), 80.0 * std::numbers::pi / 180.0, 1e-12);
    EXPECT_GT(simulation.output(1), 1.0);
    if (end == 0.0) {
      end = rest.end;
      force = simulation.output(1);
    }
    EXPECT_NEAR(rest.end, end, 2e-8);
    EXPECT_NEAR(simulation.output(1), force, 1e-9 * force);
    const long before = simulation.statistics().steps;
    simulation.advance(20.0);  // and stays
    EXPECT_LT(simulation.statistics().steps, before + 200);
    EXPECT_TRUE(simulation.system().events().take_log_entries().empty());
    EXPECT_NEAR(simulation.output(0), 80.0 * std::numbers::pi / 180.0, 1e-12);
  }
}

// After each impact the gap is zero but for rounding of either sign, and the next step may reach
// beyond the flight. Many starts meet both cases.
struct Bouncing {
  const char* lines;
  double from;  // of the start, in degrees
};
void expect_no_penetration(const Bouncing& bouncing, double t_end) {
  constexpr double tolerance = 1e-7;
  for (const char* method : {"extrapolation", "midpoint", "radau", "bdf", "reduction"}) {
    for (const char* coordinates : {"absolute", "joint", "mixed"}) {
      for (int start = 0; start < 20; ++start) {
        const double e = 0.1 + 0.15 * (start % 5), q = bouncing.from + 0.57 * start;
        SCOPED_TRACE(std::string(method) + " " + coordinates + " " + std::to_string(start));
        CoSimulationDriver simulation = simulated(
            "<parameter name=\"e\" value=\"" + std::to_string(e) +
                "\"/><parameter name=\"q0\" value=\"" + std::to_string(q) + " deg\"/>" +
                bouncing.lines,
            coordinates, std::string(R"(rtol="1e-7" atol="1e-7" method=")") + method + "\"");
        double lowest = 0.0;
        for (int k = 1; k <= 100; ++k) {
          simulation.advance(0.01 * k * t_end);
          lowest = std::min(lowest, simulation.output(0));
        }
        EXPECT_GT(lowest, -10.0 * tolerance);
      }
    }
  }
}

TEST(EndOfBouncing, NoImpactOfAnArmOnATableIsMissed) {
  expect_no_penetration({R"(<gravity g="0, -9.81 m/s^2"/><frame name="base" pos="0, 0.4 m"/>
<body name="a1" mass="3 kg" com="0.5 m, 0" inertia="0.3"><frame name="t" pos="1 m, 0"/></body>
<body name="a2" mass="2 kg" com="0.4 m, 0" inertia="0.2"><frame name="t" pos="0.8 m, 0"/></body>
<revolute a="base" b="a1" q="20 deg"/><revolute a="a1.t" b="a2" q="-30 deg - q0"/>
<contact name="touch" a="ground" b="a2.t" normal="y" restitution="e"/>
<output name="gap" of="a2.t" quantity="position" component="y"/>)",
                         2.9},
                        0.5);
}

TEST(EndOfBouncing, NoImpactOfAnElbowOnItsStopIsMissed) {
  expect_no_penetration({R"(<gravity g="0, -9.81 m/s^2"/>
<body name="a1" mass="3 kg" com="0.5 m, 0" inertia="0.3"><frame name="t" pos="1 m, 0"/></body>
<body name="a2" mass="2 kg" com="0.4 m, 0" inertia="0.2"><frame name="t" pos="0.8 m, 0"/></body>
<revolute name="j1" a="ground" b="a1" q="20 deg" stiffness="100 N.m/rad"/>
<revolute name="j2" a="a1.t" b="a2" q="10 deg + q0"/>
<end_stop name="touch" joint="j2" lower="0.0351 rad" restitution="e"/>
<output name="gap" value="j2.q - 0.0351"/>)",
                         2.9},
                        0.8);
}

// Friction stops a hub once, at tolerances where its last speed is larger than the speed that
// counts as zero.
TEST(EndOfBouncing, FrictionStopsOnceAtTightTolerances) {
  for (const char* coordinates : {"absolute", "joint", "mixed"}) {
    SCOPED_TRACE(coordinates);
    CoSimulationDriver simulation = simulated(R"(<gravity g="0, -9.81 m/s^2"/>
<body name="a" mass="2 kg" inertia="0.01 kg.m^2"/><body name="b" mass="1 kg" inertia="0.005 kg.m^2"/>
<prismatic name="way" a="ground" b="c" axis="x"/><body name="c" mass="0.1 kg"/>
<revolute name="hub" a="c" b="a"/>
<free a="ground" b="b" pos="0.3 m, 0" vel="-1 m/s, 0.1 m/s" />
<contact name="pair" a="a" b="b" radius_a="0.1 m" radius_b="0.1 m" restitution="0.5" mu="0.4"/>
<friction name="grip" joint="hub" force="0.3 N.m"/>
<output name="w" of="hub" quantity="qd"/>)",
                                              coordinates, R"(rtol="1e-12" atol="1e-12")");
    simulation.advance(0.5);
    ASSERT_EQ(simulation.events().size(), 2u);
    EXPECT_NEAR(simulation.events()[1].t, 0.191234357750, 1e-10);
    EXPECT_NEAR(simulation.output(0), 0.0, 1e-14);
  }
}

// Friction in a joint, a contact on a slope and a body on a belt stick for 100 s.
TEST(EndOfBouncing, StickingFrictionDoesNotCreep) {
  const struct {
    const char *lines, *output;
    double speed;
  } cases[] = {
      {R"(<gravity g="-2 m/s^2, -9.8 m/s^2"/><body name="b" mass="3 kg"/>
<prismatic name="s" a="ground" b="b" axis="x"/><friction name="f" joint="s" force="7 N"/>)",
       R"(<output name="x" of="s" quantity="q"/>)", 0.0},
      {R"(<gravity g="-2 m/s^2, -9.8 m/s^2"/><particle name="b" mass="3 kg"/><free a="ground" b="b"/>
<contact name="f" a="ground" b="b" normal="y" mu="0.3"/>)",
       R"(<output name="x" of="b" quantity="position" component="x"/>)", 0.0},
      {R"(<body name="b" mass="3 kg"/><prismatic name="s" a="ground" b="b" axis="x" qd="0.01 m/s"/>
<friction name="f" joint="s" force="7 N" speed="0.01 m/s"/>)",
       R"(<output name="x" of="s" quantity="q"/>)", 0.01},
  };
  for (const auto& one : cases) {
    for (const char* method : {"extrapolation", "radau", "bdf", "reduction"}) {
      SCOPED_TRACE(std::string(one.lines) + method);
      CoSimulationDriver simulation =
          simulated(std::string(one.lines) + one.output, "auto",
                    std::string(R"(rtol="1e-6" atol="1e-6" method=")") + method + "\"");
      for (int k = 1; k <= 100; ++k) simulation.advance(k);
      EXPECT_NEAR(simulation.output(0), 100.0 * one.speed, 1e-12);
      EXPECT_TRUE(simulation.events().empty());
    }
  }
}

}  // namespace
}  // namespace mbs::test
