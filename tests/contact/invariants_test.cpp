// What holds at every time of a simulation with contacts, whatever the modes do: positions do not
// jump, contacts push, gaps are not negative. Models with redundant contacts and rattling bodies
// in sweeps over a load.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>
#include <string>

#include "tests/events/simulated.hpp"

namespace mbs::test {
namespace {

std::string number(double x) {
  std::ostringstream text;
  text.precision(17);
  text << x;
  return text.str();
}

struct Point {
  double x, y;
};

// Two coupled fingers close on a block on a table with F each, and a hand lifts them.
std::string gripper(double F, double mu, bool four_points) {
  const std::string pads = four_points ? R"(
<contact name="c1" a="fl.pad" b="block.lm" normal="x"/><contact name="c2" a="fl.pad" b="block.ln" normal="x"/>
<contact name="c3" a="fr.pad" b="block.rm" normal="-x"/><contact name="c4" a="fr.pad" b="block.rn" normal="-x"/>)"
                                       : R"(
<contact name="c1" a="fl.pad" b="block.l" normal="x"/><contact name="c3" a="fr.pad" b="block.r" normal="-x"/>)";
  const std::string forces =
      four_points
          ? R"(<output name="N2" of="c2" quantity="force"/><output name="N4" of="c4" quantity="force"/>)"
          : "";
  const std::string closing =
      R"xml(value="if(time > 0.2 s, )xml" + number(F) + " N, 0 N) - 20 N.s/m*";
  return R"xml(<curve name="lift" x_unit="s" y_unit="mm" interpolation="spline" beyond="constant"
 points="0 0; 0.5 0; 0.6 0; 1.0 50; 1.5 150; 1.9 198; 2.0 200; 2.1 200; 3 200"/>
<gravity g="0, -9.81 m/s^2"/><default><contact restitution="0" mu=")xml" +
         number(mu) + R"xml("/></default>
<body name="hand" mass="2 kg" inertia="0.01"/><prismatic name="z" a="ground" b="hand" axis="y"/>
<drive name="lifter" joint="z" q="lift(time)"/>
<body name="fl" mass="0.2 kg" inertia="1e-4"><frame name="pad" pos="0, 0"/></body>
<body name="fr" mass="0.2 kg" inertia="1e-4"><frame name="pad" pos="0, 0"/></body>
<prismatic name="sl" a="hand" b="fl" axis="x" q="-60 mm"/><prismatic name="sr" a="hand" b="fr" axis="-x" q="-60 mm"/>
<coupling name="sync" relation="sl.q - sr.q"/>
<force joint="sl" )xml" +
         closing + R"xml(sl.qd"/><force joint="sr" )xml" + closing + R"xml(sr.qd"/>
<body name="block" mass="1 kg" inertia="4.3333333333e-4 kg.m^2">
<frame name="bl" pos="-20 mm, -30 mm"/><frame name="br" pos="20 mm, -30 mm"/>
<frame name="l" pos="-20 mm, 0"/><frame name="r" pos="20 mm, 0"/>
<frame name="lm" pos="-20 mm, 10 mm"/><frame name="ln" pos="-20 mm, -10 mm"/>
<frame name="rm" pos="20 mm, 10 mm"/><frame name="rn" pos="20 mm, -10 mm"/></body>
<free b="block" pos="3 mm, 0"/><frame name="table" pos="0, -30 mm"/>
<contact name="t1" a="table" b="block.bl" normal="y"/><contact name="t2" a="table" b="block.br" normal="y"/>)xml" +
         pads + R"xml(
<output name="height" of="block" quantity="position" component="y"/><output name="lifted" of="z" quantity="q"/>
<output name="turn" of="block" quantity="orientation"/>
<output name="T1" of="t1" quantity="force"/><output name="T2" of="t2" quantity="force"/>
<output name="N1" of="c1" quantity="force"/><output name="N3" of="c3" quantity="force"/>)xml" +
         forces;
}

// Block and fingers move at most so fast in the model of gripper().
constexpr double fastest = 0.6;

void expect_gripper_holds(double F, double mu, bool four_points, const std::string& method) {
  SCOPED_TRACE("F = " + number(F) + ", mu = " + number(mu) + ", " + method);
  CoSimulationDriver simulation =
      simulated(gripper(F, mu, four_points), "joint", "method=\"" + method + "\"", true);
  double y = simulation.output(0), t = 0.0;
  const int forces = four_points ? 6 : 4;
  for (int k = 1; k <= 500; ++k) {
    simulation.advance(5e-3 * k);
    EXPECT_LE(std::abs(simulation.output(0) - y), fastest * (simulation.time() - t))
        << simulation.time();
    EXPECT_GE(simulation.output(0) - 0.03 * std::abs(std::sin(simulation.output(2))), -1e-3)
        << simulation.time();
    y = simulation.output(0);
    t = simulation.time();
    for (int i = 0; i < forces; ++i) EXPECT_GE(simulation.output(3 + i), -1e-5) << i << " " << t;
    if (testing::Test::HasFailure()) return;
  }
  // Two fingers hold the block where 2 mu F is more than its weight with the acceleration of the
  // hand, about 2 m/s^2 at most.
  if (2.0 * mu * F > 12.5) {
    EXPECT_NEAR(y, simulation.output(1), 2e-3);
  }
  if (2.0 * mu * F < 9.5) {
    EXPECT_NEAR(y, 0.0, 1e-6);
  }
}

TEST(ContactInvariants, GripperWithFourPads) {
  for (const double mu : {0.2, 0.5, 0.9})
    for (double F = 11.0; F < 21.0; F += 0.75) expect_gripper_holds(F, mu, true, "extrapolation");
}

TEST(ContactInvariants, GripperWithTwoPads) {
  for (const double mu : {0.2, 0.5, 0.9})
    for (double F = 11.0; F < 21.0; F += 0.75) expect_gripper_holds(F, mu, false, "extrapolation");
}

TEST(ContactInvariants, GripperWithEveryIntegrator) {
  for (const char* method : {"midpoint", "radau", "bdf", "reduction"})
    for (const double F : {12.25, 13.5, 16.0}) expect_gripper_holds(F, 0.5, true, method);
}

// A plate that also moves along itself at vy pushes a block on a table.
TEST(ContactInvariants, PlateWithLittleTransverseSpeedPushesABlock) {
  for (const double vy : {0.0, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2}) {
    for (const double mu : {0.01, 0.1, 0.3, 0.5, 0.9}) {
      SCOPED_TRACE("vy = " + number(vy) + ", mu = " + number(mu));
      CoSimulationDriver simulation = simulated(
          R"(<gravity g="0, -9.81 m/s^2"/><default><contact mu=")" + number(mu) +
              R"("/></default><body name="plate" mass="0.2 kg"/><body name="hand" mass="2 kg"/>
<prismatic name="z" a="ground" b="hand" axis="y"/><drive joint="z" q=")" +
              number(vy) + R"( m/s*time"/>
<prismatic name="slide" a="hand" b="plate" axis="x" q="-60 mm" qd="0.5 m/s"/>
<body name="block" mass="1 kg" inertia="4e-4"><frame name="bl" pos="-20 mm, -30 mm"/>
<frame name="br" pos="20 mm, -30 mm"/><frame name="lm" pos="-20 mm, 10 mm"/><frame name="ln" pos="-20 mm, -10 mm"/></body>
<free b="block" pos="0, 0"/><frame name="table" pos="0, -30 mm"/>
<contact name="t1" a="table" b="block.bl" normal="y"/><contact name="t2" a="table" b="block.br" normal="y"/>
<contact name="c1" a="plate" b="block.lm" normal="x"/><contact name="c2" a="plate" b="block.ln" normal="x"/>
<output name="x" of="block" quantity="position" component="x"/>
<output name="v" of="block" quantity="velocity" component="x"/>
<output name="height" of="block" quantity="position" component="y"/>)",
          "joint", "", true);
      simulation.advance(0.079);
      EXPECT_NEAR(simulation.output(1), 0.0, 1e-12);
      simulation.advance(0.081);
      EXPECT_GT(simulation.output(1), 0.0);
      // No more than the plate brought, 0.2/1.2 of its speed where nothing holds the block.
      EXPECT_LE(simulation.output(1), 0.5 / 6.0 + 1e-9);
      simulation.advance(0.5);
      EXPECT_GE(simulation.output(1), -1e-12);
      EXPECT_GE(simulation.output(2), -1e-9);
    }
  }
}

std::string cam(double speed_rpm, double acceleration_rpm, const std::string& more) {
  return R"xml(<gravity g="0, -9.81 m/s^2"/>
<body name="cam" mass="1 kg" inertia="1e-3"><frame name="ecc" pos="0, -5 mm"/></body>
<revolute name="shaft" a="ground" b="cam"/><drive joint="shaft" q=")xml" +
         number(speed_rpm) + " rpm*time + " + number(acceleration_rpm) +
         R"xml( rpm/s*time^2/2"/><body name="follower" mass="0.3 kg"/>
<prismatic name="guide" a="ground" b="follower" axis="y" q="15 mm"/>
<force joint="guide" value="-60 N - 8 kN/m*(guide.q - 15 mm)"/>
<contact name="tappet" a="follower" b="cam.ecc" normal="-y" radius_b="20 mm" restitution="0.3"/>
<measure name="yc" of="cam.ecc" quantity="position" component="y"/>
<output name="gap" value="guide.q - yc - 20 mm"/>
<output name="N" of="tappet" quantity="force"/>)xml" +
         more;
}

// The follower leaves an eccentric cam where e w^2 cos(w t) of its acceleration is more than spring
// and weight give: never below the speed of lift-off, in each turn above it.
TEST(ContactInvariants, CamNeverPullsItsFollower) {
  // m e w^2 = F0 + m g + 2 k e at the top
  const double lift_off = std::sqrt((60.0 + 0.3 * 9.81 + 80.0) / (0.3 * 5e-3));
  for (const char* method : {"extrapolation", "midpoint", "radau", "reduction"}) {
    for (int k = 0; k < 10; ++k) {
      const double part = 0.985 + 0.004 * k, w = part * lift_off;
      SCOPED_TRACE(method + (" at " + number(part)) + " of the speed of lift-off");
      CoSimulationDriver simulation =
          simulated(cam(w * 60.0 / (2.0 * std::numbers::pi), 0.0, ""), "joint",
                    std::string("method=\"") + method + "\"", true);
      const double turn = 2.0 * std::numbers::pi / w;
      bool flies = false;
      for (int i = 1; i <= 200; ++i) {
        simulation.advance(1.2 * turn * i / 200);
        EXPECT_GE(simulation.output(1), -1e-4) << simulation.time();
        EXPECT_GE(simulation.output(0), -1e-8) << simulation.time();
        flies = flies || simulation.output(0) > 1e-9;
      }
      EXPECT_EQ(flies, part > 1.0);
    }
  }
}

TEST(ContactInvariants, NoEventOnAGapThatStaysClosed) {
  for (const char* method : {"extrapolation", "midpoint", "radau", "bdf", "reduction"}) {
    SCOPED_TRACE(method);
    CoSimulationDriver simulation =
        simulated(cam(1000.0, 600.0, R"(<event name="off" when="guide.q - yc - 20 mm > 1 um"/>)"),
                  "joint", std::string("method=\"") + method + "\"", true);
    simulation.advance(2.0);
    EXPECT_TRUE(simulation.events().empty());
  }
}

// Six discs of 1 kg fall into a box: all touch each other and the walls in the end.
TEST(ContactInvariants, SixBallsStayInABox) {
  const Point start[] = {{-0.24, 0.15},    {-0.00206668, 0.16}, {0.217956, 0.17},
                         {-0.247407, 0.4}, {-0.00604709, 0.41}, {0.226388, 0.42}};
  std::string model =
      R"(<gravity g="0, -9.81 m/s^2"/><default><contact radius_b="0.1 m" restitution="0.5" mu="0.3"/></default>
<frame name="wl" pos="-0.35 m, 0"/><frame name="wr" pos="0.35 m, 0"/>)";
  for (int i = 0; i < 6; ++i) {
    const std::string b = "b" + std::to_string(i), x = number(start[i].x), y = number(start[i].y);
    model += "<body name=\"" + b +
             "\" mass=\"1 kg\" inertia=\"0.004 kg.m^2\"/><free a=\"ground\" b=\"" + b +
             "\" pos=\"" + x + ", " + y + "\"/>";
    const auto wall = [&](const std::string& a, const std::string& normal) {
      model += "<contact a=\"" + a + "\" b=\"" + b + "\" normal=\"" + normal + "\"/>";
    };
    wall("ground", "y");
    wall("wl", "x");
    wall("wr", "-x");
    for (int j = 0; j < i; ++j)
      model += "<contact a=\"b" + std::to_string(j) + "\" b=\"" + b + "\" radius_a=\"0.1 m\"/>";
  }
  for (int i = 0; i < 6; ++i) {
    for (const char* component : {"x", "y"}) {
      const std::string c = component, b = "b" + std::to_string(i);
      model += "<output name=\"" + c + b + "\" of=\"" + b +
               "\" quantity=\"position\" component=\"" + c + "\"/>";
    }
  }
  model += "<output name=\"E\" quantity=\"energy\"/>";
  for (const char* method : {"extrapolation", "midpoint", "radau", "bdf", "reduction"}) {
    SCOPED_TRACE(method);
    CoSimulationDriver simulation = simulated(
        model, "joint", std::string("rtol=\"1e-5\" atol=\"1e-5\" method=\"") + method + "\"", true);
    double energy = simulation.output(12);
    for (int k = 1; k <= 100; ++k) {
      simulation.advance(0.015 * k);
      EXPECT_LE(simulation.output(12), energy + 1e-4);
      energy = simulation.output(12);
      const auto at = [&](int i) {
        return Point{simulation.output(2 * i), simulation.output(2 * i + 1)};
      };
      for (int i = 0; i < 6; ++i) {
        EXPECT_GE(at(i).y, 0.1 - 1e-4);
        EXPECT_LE(std::abs(at(i).x), 0.25 + 1e-4);
        for (int j = 0; j < i; ++j)
          EXPECT_GE(std::hypot(at(i).x - at(j).x, at(i).y - at(j).y), 0.2 - 1e-4) << i << j;
      }
      if (testing::Test::HasFailure()) return;
    }
  }
}

// The thrown cube's corners hit the floor in pairs, at times that differ by rounding.
TEST(ContactInvariants, OutputsAtStepsLeaveTheMotionAsItIs) {
  std::string model =
      R"(<gravity g="0, 0, -9.81 m/s^2"/><body name="cube" mass="1 kg" inertia="1.6666666666666667e-3, 1.6666666666666667e-3, 1.6666666666666667e-3">)";
  std::string contacts;
  for (int i = 0; i < 8; ++i) {
    const std::string c = "c" + std::to_string(i);
    const auto side = [](bool up) { return up ? "50 mm" : "-50 mm"; };
    model += "<frame name=\"" + c + "\" pos=\"" + side(i & 1) + ", " + side(i & 2) + ", " +
             side(i & 4) + "\"/>";
    contacts +=
        "<contact a=\"ground\" b=\"cube." + c + "\" normal=\"z\" mu=\"0.4\" restitution=\"0.4\"/>";
  }
  model +=
      R"(</body><free a="ground" b="cube" pos="0, 0, 0.4 m" rot="20 deg, 35 deg, 10 deg" vel="1 m/s, 0.3 m/s, 0" omega="3 rad/s, -2 rad/s, 5 rad/s"/>)" +
      contacts + R"(<output name="x" of="cube" quantity="position" component="x"/>)";
  CoSimulationDriver plain = simulated(model, "absolute", "", false),
                     at_steps = simulated(model, "absolute", "", false);
  const double end = 1.5;
  for (int k = 1; k <= 300; ++k) plain.advance(end * k / 300);
  while (at_steps.time() < end) at_steps.advance(std::min(at_steps.step_ahead(end), end));
  EXPECT_EQ(plain.statistics().steps, at_steps.statistics().steps);
  EXPECT_EQ(plain.output(0), at_steps.output(0));
}

}  // namespace
}  // namespace mbs::test
