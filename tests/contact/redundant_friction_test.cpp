// Redundant friction: sticking friction next to closed stops, and several frictions that hold one
// degree of freedom together.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "tests/events/simulated.hpp"

namespace mbs::test {
namespace {

constexpr double g = 9.81;
const std::string every_choice[] = {"absolute", "joint", "mixed"};
const std::string every_method[] = {"extrapolation", "midpoint", "radau", "bdf", "reduction"};

template <class Use>
void in_every_way(const std::string& model, const Use& use, bool planar = true) {
  for (const std::string& coordinates : every_choice) {
    for (const std::string& method : every_method) {
      SCOPED_TRACE(coordinates + ", " + method);
      CoSimulationDriver simulation = simulated(
          model, coordinates, "rtol=\"1e-10\" atol=\"1e-10\" method=\"" + method + "\"", planar);
      use(simulation);
    }
  }
}

void expect_events(const CoSimulationDriver& simulation, std::initializer_list<double> times) {
  ASSERT_EQ(simulation.events().size(), times.size());
  std::size_t k = 0;
  for (const double t : times) EXPECT_NEAR(simulation.events()[k++].t, t, 1e-8) << k;
}

// Pushed by F = 20 N - 40 N/s t onto its stop, m = 2 kg, friction 5 N: the stop bears F until that
// is zero; then friction holds until F = -5 N; then m x'' = F + 5 N.
TEST(RedundantFriction, StopBearsThePushBeforeFriction) {
  in_every_way(R"(<body name="block" mass="2 kg"/>
<prismatic name="way" a="ground" b="block" axis="x" q="0.1 m"/>
<end_stop name="wall" joint="way" upper="0.1 m"/><friction name="rub" joint="way" force="5 N"/>
<force joint="way" value="20 N - 40 N/s*time"/>
<output name="x" of="way" quantity="q"/><output name="N" of="wall" quantity="force"/>
<output name="T" of="rub" quantity="force"/>)",
               [](CoSimulationDriver& simulation) {
                 for (const double t : {0.1, 0.3, 0.49}) {
                   simulation.advance(t);
                   EXPECT_NEAR(simulation.output(0), 0.1, 1e-15);
                   EXPECT_NEAR(simulation.output(1), 20.0 - 40.0 * t, 1e-9);
                   EXPECT_NEAR(simulation.output(2), 0.0, 1e-9);
                 }
                 simulation.advance(0.6);
                 EXPECT_NEAR(simulation.output(0), 0.1, 1e-12);
                 EXPECT_NEAR(simulation.output(1), 0.0, 1e-9);
                 EXPECT_NEAR(simulation.output(2), 4.0, 1e-9);
                 simulation.advance(1.0);
                 const double s = 0.375;
                 EXPECT_NEAR(simulation.output(0), 0.1 - 20.0 * s * s * s / 6.0, 1e-8);
                 EXPECT_NEAR(simulation.output(2), 5.0, 1e-9);
                 // Friction slides, and the stop opens where 20/6 m/s^3 s^3 is a gap that counts.
                 ASSERT_EQ(simulation.events().size(), 2u);
                 EXPECT_NEAR(simulation.events()[0].t, 0.625, 1e-8);
                 EXPECT_NEAR(simulation.events()[1].t, 0.625, 1e-2);
               });
}

// Comes with 1 m/s, pushed by 9 N against 5 N of friction: v dv = 2 m/s^2 dx; bounces once with
// e = 0.5, slides back against push and friction, comes again and stays, for a long time.
TEST(RedundantFriction, BlockStaysAtItsStopAfterBouncing) {
  const double v1 = std::sqrt(1.0 + 2.0 * 2.0 * 0.1), t1 = (v1 - 1.0) / 2.0;
  in_every_way(R"(<body name="block" mass="2 kg"/>
<prismatic name="way" a="ground" b="block" axis="x" qd="1 m/s"/>
<end_stop name="wall" joint="way" upper="0.1 m" restitution="0.5" rest_speed="0.5 m/s"/>
<friction name="rub" joint="way" force="5 N" static="1.2"/><force joint="way" value="9 N"/>
<output name="x" of="way" quantity="q"/><output name="N" of="wall" quantity="force"/>
<output name="T" of="rub" quantity="force"/>)",
               [&](CoSimulationDriver& simulation) {
                 // back: braked by (9 + 5)/2 = 7 m/s^2; again: by (9 - 5)/2
                 const double back = 0.5 * v1, way = back * back / 14.0, again = std::sqrt(4 * way),
                              stop = t1 + back / 7.0, t2 = stop + again / 2.0;
                 simulation.advance(t2 + 0.1);
                 EXPECT_LE(again * 0.5, 0.5);
                 expect_events(simulation, {t1, stop, t2});
                 const long steps = simulation.statistics().steps;
                 simulation.advance(100.0);
                 EXPECT_NEAR(simulation.output(0), 0.1, 1e-12);
                 EXPECT_NEAR(simulation.output(1), 9.0, 1e-9);
                 EXPECT_NEAR(simulation.output(2), 0.0, 1e-9);
                 EXPECT_LT(simulation.statistics().steps, steps + 200);
                 EXPECT_TRUE(simulation.events().empty());
               });
}

// An arm on its lower stop: the stop bears m g l. Hanging away from its upper stop: friction bears
// it, and the stop nothing.
TEST(RedundantFriction, StopBearsAnArmThatRestsOnItAndFrictionOneThatHangsAway) {
  const auto arm = [](const char* stop) {
    return std::string(R"(<gravity g="0, -9.81 m/s^2"/>
<body name="arm" mass="2 kg" com="0.4 m, 0" inertia="0.1 kg.m^2"/>
<revolute name="hinge" a="ground" b="arm"/><friction name="rub" joint="hinge" force="10 N.m"/>
<end_stop name="stop" joint="hinge" )") +
           stop + R"(="0"/><output name="q" of="hinge" quantity="q"/>
<output name="N" of="stop" quantity="force"/><output name="T" of="rub" quantity="force"/>)";
  };
  in_every_way(arm("lower"), [](CoSimulationDriver& simulation) {
    simulation.advance(100.0);
    EXPECT_NEAR(simulation.output(0), 0.0, 1e-12);
    EXPECT_NEAR(simulation.output(1), 0.8 * g, 1e-9);
    EXPECT_NEAR(simulation.output(2), 0.0, 1e-9);
    EXPECT_TRUE(simulation.events().empty());
  });
  in_every_way(arm("upper"), [](CoSimulationDriver& simulation) {
    simulation.advance(100.0);
    EXPECT_NEAR(simulation.output(0), 0.0, 1e-12);
    EXPECT_NEAR(simulation.output(1), 0.0, 1e-9);
    EXPECT_NEAR(simulation.output(2), 0.8 * g, 1e-9);
    EXPECT_TRUE(simulation.events().empty());
  });
}

// Without forces the block stays where it is, whichever stop is closed, and there is no event.
TEST(RedundantFriction, BlockBetweenStopsStaysWithoutForces) {
  in_every_way(R"(<body name="block" mass="2 kg"/>
<prismatic name="way" a="ground" b="block" axis="x"/><end_stop name="l" joint="way" lower="0"/>
<end_stop name="u" joint="way" upper="0"/><friction name="rub" joint="way" force="5 N"/>
<output name="x" of="way" quantity="q"/>)",
               [](CoSimulationDriver& simulation) {
                 simulation.advance(100.0);
                 EXPECT_NEAR(simulation.output(0), 0.0, 1e-12);
                 EXPECT_TRUE(simulation.events().empty());
               });
}

// A parallelogram with friction in its four joints, M = 1 N.m/s t on its crank: by virtual work it
// slips when M is the sum of the four, since all relative rates are the crank's.
TEST(RedundantFriction, FourJointsHoldOneFreedomUpToTheSumOfTheirLimits) {
  in_every_way(R"(<frame name="far" pos="1 m, 0"/>
<body name="crank" mass="1 kg" com="0, 0.2 m" inertia="0.02 kg.m^2"><frame name="end" pos="0, 0.5 m"/></body>
<body name="bar" mass="2 kg" com="0.5 m, 0" inertia="0.2 kg.m^2"><frame name="end" pos="1 m, 0"/></body>
<body name="rocker" mass="1 kg" com="0, 0.2 m" inertia="0.02 kg.m^2"><frame name="end" pos="0, 0.5 m"/></body>
<revolute name="A" a="ground" b="crank"/><revolute name="B" a="crank.end" b="bar"/>
<revolute name="C" a="bar.end" b="rocker.end"/><revolute name="D" a="far" b="rocker"/>
<friction name="a" joint="A" force="0.4 N.m"/><friction name="b" joint="B" force="0.3 N.m"/>
<friction name="c" joint="C" force="0.2 N.m"/><friction name="d" joint="D" force="0.1 N.m"/>
<torque joint="A" value="1 N.m/s*time"/>
<output name="q" of="A" quantity="q"/><output name="w" of="A" quantity="qd"/>)",
               [](CoSimulationDriver& simulation) {
                 simulation.advance(0.999);
                 EXPECT_NEAR(simulation.output(0), 0.0, 1e-12);
                 simulation.advance(1.1);
                 // J w' = t - 1 with J = 2 (0.02 + 0.04) + 2 (0.25), without gravity at any angle
                 EXPECT_NEAR(simulation.output(1), 0.1 * 0.1 / (2.0 * 0.62), 1e-8);
                 EXPECT_NEAR(simulation.events().back().t, 1.0, 1e-8);
               });
}

// A box on two contact points in the plane is pushed along the floor: it slides when F = mu m g,
// however its weight is shared (mu_static N of both points together); then against mu N.
void expect_joint_limit(const std::string& mu, double friction) {
  const std::string contact = "normal=\"y\" mu_static=\"0.3\" mu=\"" + mu + "\"/>\n";
  in_every_way(R"(<gravity g="0, -9.81 m/s^2"/>
<body name="box" mass="2 kg" com="0.1 m, 0.3 m" inertia="0.2 kg.m^2">
<frame name="left" pos="-0.5 m, 0"/><frame name="right" pos="0.5 m, 0"/></body>
<free a="ground" b="box"/>
<force on="box" value="4 N/s*time, 0"/>
<output name="x" of="box" quantity="position" component="x"/>
<output name="l_" of="l" quantity="force"/><output name="r_" of="r" quantity="force"/>
<contact name="l" a="ground" b="box.left" )" +
                   contact + R"(<contact name="r" a="ground" b="box.right" )" + contact,
               [friction](CoSimulationDriver& simulation) {
                 const double slips = 0.3 * 2.0 * g / 4.0, push = (0.3 - friction) * 2.0 * g;
                 simulation.advance(0.99 * slips);
                 EXPECT_NEAR(simulation.output(0), 0.0, 1e-12);
                 // moments about the left point: the push acts on the floor's level
                 EXPECT_NEAR(simulation.output(2), 2.0 * g * 0.6, 1e-8);
                 EXPECT_NEAR(simulation.output(1), 2.0 * g * 0.4, 1e-8);
                 simulation.advance(slips + 0.5);
                 EXPECT_NEAR(simulation.output(0), (push * 0.25 / 2.0 + 4.0 * 0.125 / 6.0) / 2.0,
                             1e-8);
                 EXPECT_NEAR(simulation.events().back().t, slips, 1e-8);
               });
}

TEST(RedundantFriction, TwoPointsHoldABoxUpToTheirJointLimit) {
  expect_joint_limit("0.3", 0.3);
}

TEST(RedundantFriction, TwoPointsHoldABoxThatSlidesWithoutFriction) {
  expect_joint_limit("0", 0.0);
}

// A box on contact points in space: of the two friction rows of a point one may act where the other
// is redundant. The weight is m g = 2 g over the middle.
using Places = std::vector<std::string>;
const Places three_points = {"0.5, 0, 0", "-0.25, 0.433012701892219, 0",
                             "-0.25, -0.433012701892219, 0"};
const Places four_points = {"-0.4, -0.3, 0", "0.5, -0.3, 0", "0.4, 0.35, 0", "-0.4, 0.3, 0"};

std::string box_on(const Places& points, const std::string& load) {
  std::string text = R"(<gravity g="0, 0, -9.81 m/s^2"/>
<body name="box" mass="2 kg" com="0, 0, 0.3 m" inertia="0.2, 0.2, 0.15">)";
  for (std::size_t k = 0; k < points.size(); ++k)
    text += "<frame name=\"f" + std::to_string(k) + "\" pos=\"" + points[k] + "\"/>";
  text += "</body><free name=\"start\" a=\"ground\" b=\"box\"/>" + load;
  for (std::size_t k = 0; k < points.size(); ++k)
    text += "<contact name=\"point" + std::to_string(k) + "\" a=\"ground\" b=\"box.f" +
            std::to_string(k) + "\" normal=\"z\" mu=\"0.3\"/>";
  return text + R"(<output name="x" of="box" quantity="position" component="x"/>
<output name="y" of="box" quantity="position" component="y"/>
<output name="w" of="box" quantity="angular_velocity" component="z"/>
<output name="vx" of="box" quantity="velocity" component="x"/>)";
}

// The onset of sliding in space is stiff, as the direction of friction is that of a speed near
// zero; the motion from there on is computed by extrapolation and radau.
template <class Use>
void after_the_onset(const std::string& model, const Use& use) {
  for (const std::string& coordinates : every_choice) {
    for (const char* method : {"extrapolation", "radau"}) {
      SCOPED_TRACE(coordinates + ", " + method);
      CoSimulationDriver simulation =
          simulated(model, coordinates,
                    "rtol=\"1e-11\" atol=\"1e-11\" method=\"" + std::string(method) + "\"", false);
      use(simulation);
    }
  }
}

// Pushed on the floor's level along (0.6, 0.8) by 4 N/s t it slides when that is mu m g, and with
// m s'' = 4 N/s (t - t_s) then.
TEST(RedundantFriction, PointsInSpaceHoldAPushUpToTheirJointLimit) {
  const double slips = 0.3 * 2.0 * g / 4.0;
  for (const Places& points : {three_points, four_points}) {
    const std::string box =
        box_on(points, R"(<force on="box" value="2.4 N/s*time, 3.2 N/s*time, 0 N"/>)");
    in_every_way(
        box,
        [&](CoSimulationDriver& simulation) {
          simulation.advance(0.999 * slips);
          EXPECT_NEAR(simulation.output(0), 0.0, 1e-12);
          EXPECT_NEAR(simulation.output(1), 0.0, 1e-12);
        },
        false);
    if (points.size() > 3) continue;
    after_the_onset(box, [&](CoSimulationDriver& simulation) {
      simulation.advance(slips + 0.4);
      const double way = 4.0 * 0.4 * 0.4 * 0.4 / 6.0 / 2.0;
      EXPECT_NEAR(simulation.output(0), 0.6 * way, 1e-8);
      EXPECT_NEAR(simulation.output(1), 0.8 * way, 1e-8);
      EXPECT_NEAR(simulation.output(2), 0.0, 1e-6);
    });
  }
}

// Under a torque of 1 N.m/s t each of three points bears mu m g/3 at 0.5 m: the box turns when t =
// 0.5 mu m g.
TEST(RedundantFriction, PointsInSpaceHoldATorqueUpToTheirJointLimit) {
  const double slips = 0.5 * 0.3 * 2.0 * g;
  const std::string box =
      box_on(three_points, R"(<torque on="box" value="0 N.m, 0 N.m, 1 N.m/s*time"/>)");
  in_every_way(
      box,
      [&](CoSimulationDriver& simulation) {
        simulation.advance(0.999 * slips);
        EXPECT_NEAR(simulation.output(2), 0.0, 1e-12);
      },
      false);
  after_the_onset(box, [&](CoSimulationDriver& simulation) {
    simulation.advance(slips + 0.4);
    EXPECT_NEAR(simulation.output(2), 0.4 * 0.4 / 2.0 / 0.15, 1e-5);
  });
}

// The box rests for 100 s without a load, and with one of 5.33 N where 5.89 N can be held.
TEST(RedundantFriction, PointsInSpaceDoNotCreep) {
  for (const Places& points : {three_points, four_points}) {
    for (const char* load : {"", R"(<force on="box" value="2.7 N, 4.6 N, 0 N"/>)"}) {
      in_every_way(
          box_on(points, load),
          [](CoSimulationDriver& simulation) {
            simulation.advance(100.0);
            for (int k = 0; k < 4; ++k) EXPECT_NEAR(simulation.output(k), 0.0, 1e-12);
            EXPECT_TRUE(simulation.events().empty());
          },
          false);
    }
  }
}

// A ball of 0.1 kg is lifted by 2 N/s t off its floor at 0.5 s, next to a joint that bears 1e6 N:
// m y'' = 2 N/s (t - 0.5 s). Its first flight is so low that the first orders of the multistep
// formula of reduction touch the floor once more, which changes nothing.
TEST(RedundantFriction, LightBallLiftsOffNextToAHeavyJoint) {
  for (const char* rtol : {"1e-4", "1e-6"}) {
    for (const std::string& method : every_method) {
      SCOPED_TRACE(method + rtol);
      CoSimulationDriver simulation = simulated(
          R"(<gravity g="0, -10 m/s^2"/>
<body name="heavy" mass="1e5 kg" inertia="1 kg.m^2"/><prismatic name="way" a="ground" b="heavy" axis="x"/>
<particle name="ball" mass="0.1 kg"/><free name="fall" a="ground" b="ball"/>
<contact name="floor" a="ground" b="ball" normal="y"/><force on="ball" value="0, 2 N/s*time"/>
<output name="y" of="ball" quantity="position" component="y"/>)",
          "absolute", "atol=\"1e-8\" rtol=\"" + std::string(rtol) + "\" method=\"" + method + "\"");
      simulation.advance(2.0);
      ASSERT_GE(simulation.events().size(), 1u);
      ASSERT_LE(simulation.events().size(), method == "reduction" ? 2u : 1u);
      for (const Root& event : simulation.events()) EXPECT_NEAR(event.t, 0.5, 1e-6);
      for (const LogEntry& entry : simulation.system().events().take_log_entries())
        EXPECT_EQ(entry.text, "'floor': opens");  // without an impact
      EXPECT_NEAR(simulation.output(0), 20.0 * 1.5 * 1.5 * 1.5 / 6.0, 1e-4);
    }
  }
}

}  // namespace
}  // namespace mbs::test
