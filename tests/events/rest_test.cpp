// Static equilibrium with contacts and dry friction (<init method="statics"/>) against closed
// forms.

#include "engine/events/rest.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/events/simulated.hpp"

namespace mbs::test {
namespace {

constexpr double g = 9.81;

std::string refusal(const std::string& inside) {
  Diagnostics diagnostics;
  const Model model =
      read_model_text(R"(<?xml version="1.0"?><mbs name="T" version="1" planar="xy">)" + inside +
                          R"(<init method="statics"/></mbs>)",
                      "t.mbs.xml", diagnostics);
  auto equations = assemble(model, diagnostics);
  EXPECT_TRUE(diagnostics.ok()) << diagnostics.text();
  Simulation simulation(equations, solver_choice(model));
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

TEST(RestOnContacts, AContactThatWouldPullOpens) {
  const double k = 300.0;  // it lifts the ball off
  Simulation simulation = simulated(ball_on_a_spring(0.0, k));
  EXPECT_NEAR(simulation.output(0), 0.2 - 2.0 * g / k, 1e-12);
  EXPECT_EQ(simulation.output(1), 0.0);
  simulation.advance(2.0);  // and nothing moves
  EXPECT_NEAR(simulation.output(0), 0.2 - 2.0 * g / k, 1e-9);
}

TEST(RestOnContacts, OneThatIsPenetratedCloses) {
  const double k = 50.0;  // the ball would hang below the floor
  Simulation simulation = simulated(ball_on_a_spring(0.1, k));
  EXPECT_NEAR(simulation.output(0), 0.0, 1e-14);
  EXPECT_NEAR(simulation.output(1), 2.0 * g - 0.2 * k, 1e-10);
  simulation.advance(2.0);
  EXPECT_NEAR(simulation.output(0), 0.0, 1e-14);
  EXPECT_TRUE(simulation.events().empty());
}

// A beam on three supports, one of which it does not touch.
TEST(RestOnContacts, LoadsOfABeamOnTwoOfThreeSupports) {
  Simulation simulation = simulated(R"(<gravity g="0, -9.81 m/s^2"/>
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

TEST(RestOnContacts, FrictionHoldsOnASlopeWhereTheStartIs) {
  Simulation simulation =
      simulated(on_a_slope(0.3, 0.32) + R"(<init method="statics"/>)");  // tan: 0.309
  EXPECT_EQ(simulation.output(0), 0.0);
  EXPECT_NEAR(simulation.output(1), 3.0 * g * std::cos(0.3), 1e-11);
  simulation.advance(10.0);
  EXPECT_NEAR(simulation.output(0), 0.0, 1e-13);
}

TEST(RestOnContacts, TooSteepASlopeIsRefusedWithFigures) {
  const std::string text = refusal(on_a_slope(0.3, 0.3));
  EXPECT_NE(text.find("there is no rest here: friction of 'floor' would have to hold 8.69716 and "
                      "can hold 8.43467"),
            std::string::npos)
      << text;
}

// A running belt takes the block along until the spring holds against sliding friction.
TEST(RestOnContacts, ABlockOnARunningBeltRestsSliding) {
  Simulation simulation = simulated(R"(<body name="block" mass="2 kg"/>
<prismatic name="slide" a="ground" b="block" axis="x" stiffness="50 N/m"/>
<friction name="belt" joint="slide" force="5 N" static="1.6" speed="0.3 m/s"/>
<output name="x" of="slide" quantity="q"/><output name="F" of="belt" quantity="force"/>
<init method="statics"/>)");
  EXPECT_NEAR(simulation.output(0), 0.1, 1e-12);
  EXPECT_NEAR(simulation.output(1), 5.0, 1e-12);
  simulation.advance(3.0);
  EXPECT_NEAR(simulation.output(0), 0.1, 1e-9);
}

TEST(RestOnContacts, WhatTouchesNothingIsSaid) {
  const std::string text =
      refusal(R"(<gravity g="0, -9.81 m/s^2"/><particle name="ball" mass="2 kg"/>
<free a="ground" b="ball" pos="0, 1 m"/><contact name="floor" a="ground" b="ball" normal="y"/>)");
  EXPECT_NE(text.find("Open contacts hold nothing, these are 'floor': let what is to rest there "
                      "touch at the start."),
            std::string::npos)
      << text;
}

TEST(RestOnContacts, AStartInsideOfAWallIsRefused) {
  const std::string text =
      refusal(R"(<gravity g="0, -9.81 m/s^2"/><particle name="ball" mass="2 kg"/>
<free a="ground" b="ball" pos="0, -1 mm"/><contact name="floor" a="ground" b="ball" normal="y"/>)");
  EXPECT_NE(text.find("inside of what is touched: 'floor' by 0.001"), std::string::npos) << text;
}

}  // namespace
}  // namespace mbs::test
