// <contact>, <end_stop> and <friction> of model files against closed forms.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "engine/model/reader.hpp"
#include "engine/multibody/assemble.hpp"
#include "engine/simulation/simulation.hpp"

namespace mbs {
namespace {

constexpr double g = 9.81;

Simulation simulate(const std::string& inside) {
  Diagnostics diagnostics;
  const Model model =
      read_model_text(R"(<?xml version="1.0"?><mbs name="Test" version="1" planar="xy">)" + inside +
                          R"(<solver rtol="1e-10" atol="1e-10"/></mbs>)",
                      "test.mbs.xml", diagnostics);
  auto equations = assemble(model, diagnostics);
  EXPECT_TRUE(diagnostics.ok()) << diagnostics.text();
  Simulation simulation(equations, solver_choice(model));
  const InitialReport report = simulation.initialise(0.0);
  EXPECT_TRUE(report.ok) << report.message;
  return simulation;
}

TEST(ContactElements, ABallBouncesOnThePlaneItIsGiven) {
  Simulation simulation = simulate(R"(<gravity g="0, -9.81 m/s^2"/>
<particle name="ball" mass="2 kg"/><free a="ground" b="ball" pos="0, 1.1 m"/>
<contact name="floor" a="ground" b="ball" normal="y" radius_b="0.1 m" restitution="0.5"/>
<output name="push" of="floor" quantity="force"/>)");
  simulation.advance(3.0);
  const double fall = std::sqrt(2.0 / g);
  ASSERT_GE(simulation.events().size(), 10u);
  double t = fall, flight = fall;
  for (int k = 0; k < 10; ++k) {
    EXPECT_NEAR(simulation.events()[static_cast<std::size_t>(k)].t, t, 1e-9) << k;
    t += flight;
    flight *= 0.5;
  }
  EXPECT_NEAR(simulation.output(0), 2.0 * g, 1e-9);  // at rest
  EXPECT_NEAR(simulation.state().p[1], 0.1, 1e-12);
}

// A disc thrown along a floor slides, then rolls: v = 2/3 v0 for J = m R^2 / 2.
TEST(ContactElements, ASlidingDiscComesToRoll) {
  Simulation simulation = simulate(R"(<gravity g="0, -9.81 m/s^2"/>
<body name="disc" mass="2 kg" inertia="0.01 kg.m^2"/>
<free a="ground" b="disc" pos="0, 0.1 m" vel="3 m/s, 0"/>
<contact name="floor" a="ground" b="disc" normal="y" radius_b="0.1 m" mu="0.2"/>)");
  simulation.advance(2.0);
  ASSERT_EQ(simulation.events().size(), 1u);
  EXPECT_NEAR(simulation.events()[0].t, 3.0 / (3.0 * 0.2 * g), 1e-9);
  EXPECT_NEAR(simulation.state().v[0], 2.0, 1e-9);
  EXPECT_NEAR(simulation.state().v[2], -20.0, 1e-8);
}

TEST(ContactElements, ADoorSpringsBackFromItsStop) {
  Simulation simulation = simulate(R"(
<body name="door" mass="20 kg" inertia="2 kg.m^2"/>
<revolute name="hinge" a="ground" b="door" qd="-1 rad/s"/>
<end_stop name="frame" joint="hinge" lower="-0.25 rad" restitution="0.4"/>
<end_stop name="wall" joint="hinge" upper="0.5 rad" restitution="0"/>)");
  simulation.advance(4.0);
  ASSERT_EQ(simulation.events().size(), 2u);
  EXPECT_NEAR(simulation.events()[0].t, 0.25, 1e-10);
  EXPECT_NEAR(simulation.events()[1].t, 0.25 + 0.75 / 0.4, 1e-9);
  EXPECT_EQ(simulation.state().v[2], 0.0);
}

TEST(ContactElements, FrictionSticksAndSlipsOnABelt) {
  Simulation simulation = simulate(R"(
<body name="block" mass="2 kg"/>
<prismatic name="slide" a="ground" b="block" axis="x" stiffness="50 N/m" qd="0.3 m/s"/>
<friction name="belt" joint="slide" force="5 N" static="1.6" speed="0.3 m/s"/>)");
  const double omega = 5.0, X0 = 0.06, belt = 0.3;
  const double slip = 2.0 / omega * (std::numbers::pi - std::atan(X0 * omega / belt));
  simulation.advance(4.0);
  double t = 0.16 / belt;
  ASSERT_GE(simulation.events().size(), 4u);
  for (std::size_t k = 0; k < 4; k += 2) {
    EXPECT_NEAR(simulation.events()[k].t, t, 1e-9);
    EXPECT_NEAR(simulation.events()[k + 1].t, t + slip, 1e-9);
    t += slip + 2.0 * X0 / belt;
  }
}

TEST(ContactElements, CoordinatesAlongATreeAreRefused) {
  Diagnostics diagnostics;
  const Model model = read_model_text(
      R"(<mbs name="T" version="1" planar="xy"><body name="a" mass="1 kg" inertia="1 kg.m^2"/>
<revolute name="r" a="ground" b="a"/><end_stop joint="r" lower="-1 rad"/>
<solver coordinates="joint"/></mbs>)",
      "test.mbs.xml", diagnostics);
  EXPECT_EQ(assemble(model, diagnostics), nullptr);
  EXPECT_NE(diagnostics.text().find("need coordinates=\"absolute\""), std::string::npos)
      << diagnostics.text();
}

}  // namespace
}  // namespace mbs
