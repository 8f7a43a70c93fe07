// Static equilibrium with contacts and dry friction (<init method="statics"/>) against closed
// forms.

#include "engine/contact/equilibrium_on_contacts.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/events/simulated.hpp"

namespace mbs::test {
namespace {

constexpr double g = 9.81;

std::string refusal(const std::string& inside, bool planar = true) {
  Diagnostics diagnostics;
  const Model model = read_model_text(
      std::string(R"(<?xml version="1.0"?><mbs name="T" version="1")") +
          (planar ? R"( planar="xy">)" : ">") + inside + R"(<init method="statics"/></mbs>)",
      "t.mbs.xml", diagnostics);
  auto equations = assemble(model, diagnostics);
  EXPECT_TRUE(diagnostics.ok()) << diagnostics.text();
  CoSimulationDriver simulation(equations, solver_choice(model));
  const InitialReport report = simulation.initialise(0.0);
  EXPECT_FALSE(report.ok);
  return report.message;
}

// A ball on a spring of stiffness k over a floor; `start` its height, the spring is slack at 0.2 m.
std::string ball_on_a_spring(double start, double k) {
  return R"(<gravity g="0, -9.81 m/s^2"/><body name="ball" mass="2 kg"/>
<prismatic name="way" a="ground" b="ball" axis="y" q=")" +
         std::to_string(start) + R"("/><force joint="way" value=")" + std::to_string(k) +
         R"(*(0.2 m - way.q)*1 N/m"/>
<contact name="floor" a="ground" b="ball" normal="y"/>
<output name="y" of="way" quantity="q"/><output name="N" of="floor" quantity="force"/>
<init method="statics"/>)";
}

TEST(EquilibriumOnContacts, ContactThatWouldPullOpens) {
  const double k = 300.0;  // it lifts the ball off
  CoSimulationDriver simulation = simulated(ball_on_a_spring(0.0, k));
  EXPECT_NEAR(simulation.output(0), 0.2 - 2.0 * g / k, 1e-12);
  EXPECT_EQ(simulation.output(1), 0.0);
  simulation.advance(2.0);  // and nothing moves
  EXPECT_NEAR(simulation.output(0), 0.2 - 2.0 * g / k, 1e-9);
}

TEST(EquilibriumOnContacts, PenetratedContactCloses) {
  const double k = 50.0;  // the ball would hang below the floor
  CoSimulationDriver simulation = simulated(ball_on_a_spring(0.1, k));
  EXPECT_NEAR(simulation.output(0), 0.0, 1e-14);
  EXPECT_NEAR(simulation.output(1), 2.0 * g - 0.2 * k, 1e-10);
  simulation.advance(2.0);
  EXPECT_NEAR(simulation.output(0), 0.0, 1e-14);
  EXPECT_TRUE(simulation.events().empty());
}

// A beam on three supports, one of which it does not touch.
TEST(EquilibriumOnContacts, BeamRestsOnTwoOfThreeSupports) {
  CoSimulationDriver simulation = simulated(R"(<gravity g="0, -9.81 m/s^2"/>
<body name="beam" mass="6 kg" com="0.1 m, 0" inertia="0.5 kg.m^2">
  <frame name="l" pos="-0.4 m, 0"/><frame name="m" pos="0, 1 cm"/><frame name="r" pos="0.5 m, 0"/></body>
<free a="ground" b="beam"/>
<contact name="left" a="ground" b="beam.l" normal="y" mu="0.1"/>
<contact name="middle" a="ground" b="beam.m" normal="y"/>
<contact name="right" a="ground" b="beam.r" normal="y"/>
<output name="L" of="left" quantity="force"/><output name="M" of="middle" quantity="force"/>
<output name="R" of="right" quantity="force"/><init method="statics"/>)");
  EXPECT_NEAR(simulation.output(0), 6.0 * g * 0.4 / 0.9, 1e-10);
  EXPECT_EQ(simulation.output(1), 0.0);
  EXPECT_NEAR(simulation.output(2), 6.0 * g * 0.5 / 0.9, 1e-10);
}

std::string on_a_slope(double slope, double mu) {
  return R"xml(<parameter name="s" value=")xml" + std::to_string(slope) + R"xml("/>
<gravity g="9.81 m/s^2*sin(s), -9.81 m/s^2*cos(s)"/><particle name="b" mass="3 kg"/>
<free a="ground" b="b"/><contact name="floor" a="ground" b="b" normal="y" mu=")xml" +
         std::to_string(mu) + R"xml("/><output name="x" of="b" quantity="position" component="x"/>
<output name="N" of="floor" quantity="force"/>)xml";
}

TEST(EquilibriumOnContacts, FrictionHoldsTheStartOnASlope) {
  CoSimulationDriver simulation =
      simulated(on_a_slope(0.3, 0.32) + R"(<init method="statics"/>)");  // tan: 0.309
  EXPECT_EQ(simulation.output(0), 0.0);
  EXPECT_NEAR(simulation.output(1), 3.0 * g * std::cos(0.3), 1e-11);
  simulation.advance(10.0);
  EXPECT_NEAR(simulation.output(0), 0.0, 1e-13);
}

TEST(EquilibriumOnContacts, TooSteepASlopeIsRefusedWithFigures) {
  const std::string text = refusal(on_a_slope(0.3, 0.3));
  EXPECT_NE(text.find("there is no rest here: friction of 'floor' would have to hold 8.69716 and "
                      "can hold 8.43467"),
            std::string::npos)
      << text;
}

// Friction in all four joints of a parallelogram, 0.4, 0.3, 0.2 and 0.1 N.m, holds one freedom: by
// virtual work their limits add up to 1 N.m, though none of them holds that alone.
std::string parallelogram(const std::string& torque) {
  return R"(<frame name="far" pos="1 m, 0"/>
<body name="crank" mass="1 kg" inertia="0.02 kg.m^2"><frame name="end" pos="0, 0.5 m"/></body>
<body name="bar" mass="2 kg" inertia="0.2 kg.m^2"><frame name="end" pos="1 m, 0"/></body>
<body name="rocker" mass="1 kg" inertia="0.02 kg.m^2"><frame name="end" pos="0, 0.5 m"/></body>
<revolute name="A" a="ground" b="crank"/><revolute name="B" a="crank.end" b="bar"/>
<revolute name="C" a="bar.end" b="rocker.end"/><revolute name="D" a="far" b="rocker"/>
<friction name="a" joint="A" force="0.4 N.m"/><friction name="b" joint="B" force="0.3 N.m"/>
<friction name="c" joint="C" force="0.2 N.m"/><friction name="d" joint="D" force="0.1 N.m"/>
<output name="q" of="A" quantity="q"/><output name="a_" of="a" quantity="force"/>
<output name="b_" of="b" quantity="force"/><output name="c_" of="c" quantity="force"/>
<output name="d_" of="d" quantity="force"/><torque joint="A" value=")" +
         torque + R"("/>)";
}

TEST(EquilibriumOnContacts, SeveralFrictionsHoldUpToTheSumOfTheirLimits) {
  for (const char* coordinates : {"absolute", "joint", "mixed"}) {
    SCOPED_TRACE(coordinates);
    for (const double torque : {0.35, 0.9, 0.999, -0.999}) {
      CoSimulationDriver simulation =
          simulated(parallelogram(std::to_string(torque) + " N.m") + "<init method=\"statics\"/>",
                    coordinates);
      EXPECT_NEAR(simulation.output(0), 0.0, 1e-13);
      // The rates of B and D are those of A and opposite to it, as is C's to B's.
      const double friction =
          simulation.output(1) - simulation.output(2) + simulation.output(3) + simulation.output(4);
      EXPECT_NEAR(friction, -torque, 1e-11);
      simulation.advance(1.0);
      EXPECT_NEAR(simulation.output(0), 0.0, 1e-13);
    }
  }
  const std::string text = refusal(parallelogram("1.001 N.m"));
  EXPECT_NE(text.find("there is no rest here: friction of 'a', 'b', 'c', 'd' together cannot hold "
                      "it. Take another start, or more friction."),
            std::string::npos)
      << text;
}

// A box of 2 kg on two contact points, pushed along the floor: friction 0.3 m g = 5.886 N for both
// together.
TEST(EquilibriumOnContacts, TwoPointsHoldUpToTheirJointLimit) {
  const auto box = [](const char* push) {
    return R"(<gravity g="0, -9.81 m/s^2"/>
<body name="box" mass="2 kg" com="0.1 m, 0.3 m" inertia="0.2 kg.m^2">
<frame name="left" pos="-0.5 m, 0"/><frame name="right" pos="0.5 m, 0"/></body>
<free a="ground" b="box"/><force on="box" value=")" +
           std::string(push) + R"( N, 0"/>
<contact name="l" a="ground" b="box.left" normal="y" mu="0.3"/>
<contact name="r" a="ground" b="box.right" normal="y" mu="0.3"/>
<output name="N_l" of="l" quantity="force"/><output name="N_r" of="r" quantity="force"/>
<output name="x" of="box" quantity="position" component="x"/>)";
  };
  for (const char* push : {"5.0", "-5.0", "5.88"}) {
    CoSimulationDriver simulation = simulated(box(push) + "<init method=\"statics\"/>");
    EXPECT_NEAR(simulation.output(0), 2.0 * g * 0.4, 1e-10);
    EXPECT_NEAR(simulation.output(1), 2.0 * g * 0.6, 1e-10);
    simulation.advance(10.0);
    EXPECT_NEAR(simulation.output(2), 0.0, 1e-13);
  }
  EXPECT_NE(refusal(box("5.89")).find("friction of 'l', 'r' together cannot hold it"),
            std::string::npos);
}

// A box that stands nearly on one of three contact points is turned about it: the others bear m g /
// 75, 0.866 m away, and hold 0.3 of that.
TEST(EquilibriumOnContacts, ThreePointsHoldATorqueUpToTheirJointLimit) {
  const auto box = [](double torque) {
    return R"(<gravity g="0, 0, -9.81 m/s^2"/>
<body name="box" mass="2 kg" com="0.49, 0, 0.3" inertia="0.2, 0.2, 0.15"><frame name="f0" pos="0.5, 0, 0"/>
<frame name="f1" pos="-0.25, 0.433012701892219, 0"/><frame name="f2" pos="-0.25, -0.433012701892219, 0"/></body>
<free a="ground" b="box"/><torque on="box" value="0, 0, )" +
           std::to_string(torque) + R"( N.m"/>
<contact name="a" a="ground" b="box.f0" normal="z" mu="0.3"/>
<contact name="b" a="ground" b="box.f1" normal="z" mu="0.3"/>
<contact name="c" a="ground" b="box.f2" normal="z" mu="0.3"/>
<output name="w" of="box" quantity="angular_velocity" component="z"/>)";
  };
  const double most = 0.3 * 2.0 * g / 75.0 * std::sqrt(0.75);
  for (const double part : {0.5, 0.99}) {
    CoSimulationDriver simulation = simulated(box(part * most) + "<init method=\"statics\"/>",
                                              "auto", "rtol=\"1e-10\" atol=\"1e-10\"", false);
    simulation.advance(1.0);
    EXPECT_NEAR(simulation.output(0), 0.0, 1e-10);
  }
  for (const double part : {1.01, 2.0, 15.0, 45.0})
    EXPECT_NE(
        refusal(box(part * most), false).find("friction of 'a', 'b', 'c' together cannot hold it"),
        std::string::npos)
        << part;
}

// The weight of a table on four legs is near each of them in turn: the three legs that are tried
// first cannot bear it where it lies outside of their triangle.
TEST(EquilibriumOnContacts, TableOnFourLegsRestsWhereverItsWeightIs) {
  for (const char* com :
       {"0.2, 0.25, 0.5", "-0.2, 0.25, 0.5", "-0.2, -0.25, 0.5", "0.2, -0.25, 0.5"}) {
    SCOPED_TRACE(com);
    CoSimulationDriver simulation = simulated(
        R"(<gravity g="0, 0, -9.81 m/s^2"/><body name="t" mass="10 kg" inertia="1, 1, 1" com=")" +
            std::string(com) +
            R"("><frame name="a" pos="0.4, 0.3, 0"/><frame name="b" pos="-0.4, 0.3, 0"/>
<frame name="c" pos="-0.4, -0.3, 0"/><frame name="d" pos="0.4, -0.3, 0"/></body>
<free a="ground" b="t"/><force on="t" value="3 N, 5 N, 0 N"/>
<contact name="a" a="ground" b="t.a" normal="z" mu="0.2"/>
<contact name="b" a="ground" b="t.b" normal="z" mu="0.2"/>
<contact name="c" a="ground" b="t.c" normal="z" mu="0.2"/>
<contact name="d" a="ground" b="t.d" normal="z" mu="0.2"/>
<output name="A" of="a" quantity="force"/><output name="B" of="b" quantity="force"/>
<output name="C" of="c" quantity="force"/><output name="D" of="d" quantity="force"/>
<output name="x" of="t" quantity="position" component="x"/><init method="statics"/>)",
        "auto", "rtol=\"1e-10\" atol=\"1e-10\"", false);
    double sum = 0.0;
    for (int k = 0; k < 4; ++k) {
      EXPECT_GE(simulation.output(k), 0.0);
      sum += simulation.output(k);
    }
    EXPECT_NEAR(sum, 10.0 * g, 1e-9);
    const double x = com[0] == '-' ? -0.2 : 0.2;
    EXPECT_NEAR(0.4 * (simulation.output(0) - simulation.output(1) - simulation.output(2) +
                       simulation.output(3)),
                10.0 * g * x, 1e-9);
    simulation.advance(5.0);
    EXPECT_NEAR(simulation.output(4), 0.0, 1e-12);
  }
}

// A running belt takes the block along until the spring balances sliding friction.
TEST(EquilibriumOnContacts, BlockOnARunningBeltRestsSliding) {
  CoSimulationDriver simulation = simulated(R"(<body name="block" mass="2 kg"/>
<prismatic name="slide" a="ground" b="block" axis="x" stiffness="50 N/m"/>
<friction name="belt" joint="slide" force="5 N" static="1.6" speed="0.3 m/s"/>
<output name="x" of="slide" quantity="q"/><output name="F" of="belt" quantity="force"/>
<init method="statics"/>)");
  EXPECT_NEAR(simulation.output(0), 0.1, 1e-12);
  EXPECT_NEAR(simulation.output(1), 5.0, 1e-12);
  simulation.advance(3.0);
  EXPECT_NEAR(simulation.output(0), 0.1, 1e-9);
}

TEST(EquilibriumOnContacts, BodyThatTouchesNothingIsReported) {
  const std::string text =
      refusal(R"(<gravity g="0, -9.81 m/s^2"/><particle name="ball" mass="2 kg"/>
<free a="ground" b="ball" pos="0, 1 m"/><contact name="floor" a="ground" b="ball" normal="y"/>)");
  EXPECT_NE(text.find("Open contacts hold nothing, these are 'floor': let what is to rest there "
                      "touch at the start."),
            std::string::npos)
      << text;
}

TEST(EquilibriumOnContacts, StartInsideOfAWallIsRefused) {
  const std::string text =
      refusal(R"(<gravity g="0, -9.81 m/s^2"/><particle name="ball" mass="2 kg"/>
<free a="ground" b="ball" pos="0, -1 mm"/><contact name="floor" a="ground" b="ball" normal="y"/>)");
  EXPECT_NE(text.find("inside of what is touched: 'floor' by 0.001"), std::string::npos) << text;
}

}  // namespace
}  // namespace mbs::test
