// Events of model files: the language's ways to say what, against closed forms.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <numbers>
#include <string>
#include <vector>

#include "engine/model/reader.hpp"
#include "engine/multibody/assemble.hpp"
#include "engine/simulation/co_simulation_driver.hpp"

namespace mbs {
namespace {

CoSimulationDriver simulate(const std::string& inside) {
  Diagnostics diagnostics;
  const Model model =
      read_model_text(R"(<?xml version="1.0"?><mbs name="Test" version="1" planar="xy">)" + inside +
                          R"(<solver rtol="1e-10" atol="1e-12"/></mbs>)",
                      "test.mbs.xml", diagnostics);
  auto equations = assemble(model, diagnostics);
  EXPECT_TRUE(diagnostics.ok()) << diagnostics.text();
  CoSimulationDriver simulation(equations, solver_choice(model.solver));
  EXPECT_TRUE(simulation.initialise(0.0).ok);
  return simulation;
}

// x'' = -w^2 x from x = 0 with x' = 1: x = sin(w t) / w.
constexpr const char* oscillator = R"(
<body name="mass" mass="1 kg"/>
<prismatic name="rail" a="ground" b="mass" axis="x" qd="1 m/s"/>
<frame name="wall" pos="-1 m, 0"/>
<spring name="spring" a="wall" b="mass" stiffness="40 N/m" length="1 m"/>)";
const double w = std::sqrt(40.0);

TEST(ModelEvents, PositionsRatesAccelerationsAndOutputs) {
  CoSimulationDriver simulation = simulate(std::string(oscillator) + R"(
<event name="turn" when="rail.qd == 0"/>
<event name="out" when="rail.q > 10 cm"/>
<event name="back" when="10 cm > rail.q"/>
<event name="middle" when="rail.qdd &lt;= 0"/>
<event name="pull" when="tension >= 3 N"/>
<event name="late" when="time > 0.7 s"/>
<output name="tension" of="spring" quantity="force"/>
<output name="turns" of="turn" quantity="events"/>
<output name="when" of="turn" quantity="event_time" unit="ms"/>)");
  simulation.advance(1.0);  // 1.007 periods
  const double pi = std::numbers::pi, far = std::asin(0.1 * w), strong = std::asin(3.0 / 40.0 * w);
  struct {
    int function;
    double phase;
  } expected[] = {{4, strong},  {1, far},      {0, 0.5 * pi}, {2, pi - far},
                  {5, 0.7 * w}, {0, 1.5 * pi}, {3, 2 * pi}};
  const auto events = simulation.events();
  ASSERT_EQ(events.size(), std::size(expected));
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].function, expected[i].function) << i;
    EXPECT_NEAR(events[i].t, expected[i].phase / w, 1e-9) << i;
  }
  EXPECT_EQ(simulation.output(1), 2.0);
  EXPECT_NEAR(simulation.output(2), 1.5 * pi / w, 1e-9);
}

TEST(ModelEvents, OneEndsTheSimulation) {
  CoSimulationDriver simulation = simulate(std::string(oscillator) + R"(
<parameter name="limit" value="10 cm" variability="tunable"/>
<event name="far" when="rail.q > limit" terminate="true" tolerance="1 um"/>
<output name="x" of="rail" quantity="q"/>)");
  EXPECT_EQ(simulation.advance(1.0), CoSimulationDriver::Advance::terminated);
  EXPECT_NEAR(simulation.time(), std::asin(0.1 * w) / w, 1e-9);
  EXPECT_NEAR(simulation.output(0), 0.1, 1e-9);
  EXPECT_GE(simulation.output(0), 0.1);
  EXPECT_NE(simulation.system().events().end_message().find("'far'"), std::string::npos);
}

TEST(ModelEvents, AJumpOfAnInputIsOne) {
  CoSimulationDriver simulation = simulate(R"(<input name="u"/><event name="on" when="u > 0.5"/>
<body name="mass" mass="1 kg"/><prismatic name="rail" a="ground" b="mass" axis="x"/>)");
  simulation.advance(0.3);
  EXPECT_TRUE(simulation.events().empty());
  simulation.set_input(0, 1.0);
  simulation.advance(0.4);
  ASSERT_EQ(simulation.events().size(), 1u);
  EXPECT_EQ(simulation.events()[0].t, 0.3);
}

// Its function rose, fell and rises again in the jump of the velocity, all in one step.
TEST(ModelEvents, AJumpOfTheStateIsOneHoweverLongTheStep) {
  CoSimulationDriver simulation = simulate(R"(<gravity g="0, -9.81 m/s^2"/>
<particle name="ball" mass="1 kg"/><free a="ground" b="ball" pos="0, 1 m"/>
<contact name="floor" a="ground" b="ball" normal="y" restitution="0.8"/>
<output name="vy" of="ball" quantity="velocity" component="y"/>
<event name="up" when="vy > 0 m/s"/>)");
  simulation.advance(4.0);
  EXPECT_EQ(simulation.system().events().count(0), simulation.system().events().count(1));
  EXPECT_GT(simulation.system().events().count(0), 15.0);
}

// Whoever takes step after step learns of it too, once.
TEST(ModelEvents, StepAheadReportsAJumpThatEndsTheSimulation) {
  CoSimulationDriver simulation = simulate(R"(<input name="u"/>
<event name="half" when="rail.q > 0.05 m"/><event name="off" when="u > 0.5" terminate="true"/>
<body name="mass" mass="1 kg"/>
<prismatic name="rail" a="ground" b="mass" axis="x" qd="1 m/s" target="exact"/>)");
  simulation.advance(0.1);
  ASSERT_EQ(simulation.events().size(), 1u);  // half
  simulation.set_input(0, 1.0);
  EXPECT_EQ(simulation.step_ahead(1.0), 0.1);
  ASSERT_EQ(simulation.events().size(), 1u);
  EXPECT_EQ(simulation.events()[0].function, 1);
  EXPECT_EQ(simulation.events()[0].t, 0.1);
  EXPECT_NE(simulation.system().events().end_message().find("'off'"), std::string::npos);
}

// A bead leaves a hoop when nothing presses it on: from the top at rest (but for a push), at the
// angle whose cosine is 2/3. What presses is a reaction.
TEST(ModelEvents, ReactionsThroughOutputs) {
  CoSimulationDriver simulation = simulate(R"(<gravity g="0, -9.81 m/s^2"/>
<body name="bead" mass="1 kg" com="1 m, 0" inertia="0 kg.m^2"/>
<revolute name="hoop" a="ground" b="bead" q="89.999 deg"/>
<output name="fx" of="hoop" quantity="reaction" component="fx" in="bead"/>
<event name="free" when="fx &lt; 0" terminate="true"/>
<output name="phi" of="hoop" quantity="q" unit="rad"/>)");
  ASSERT_EQ(simulation.advance(10.0), CoSimulationDriver::Advance::terminated);
  EXPECT_NEAR(std::sin(simulation.output(1)), 2.0 / 3.0, 1e-8);
}

// benchmarks, section 4: the model of the template with 32 insulators.
TEST(ModelEvents, TheTopInsulatorOfTheTemplate) {
  const char* source = std::getenv("MBS_SOURCE");
  ASSERT_NE(source, nullptr);
  Diagnostics diagnostics;
  const std::vector<Override> overrides{{"N", "32"}};
  const Model model =
      read_model(std::string(source) + "/model_templates/insulator_chain/insulator_chain.mbs.xml",
                 diagnostics, overrides);
  ASSERT_TRUE(diagnostics.ok()) << diagnostics.text();
  CoSimulationDriver simulation(assemble(model, diagnostics), solver_choice(model.solver));
  ASSERT_TRUE(simulation.initialise(0.0).ok);
  simulation.advance(0.2);
  ASSERT_EQ(simulation.events().size(), 4u);
  EXPECT_NEAR(simulation.events()[0].t, 0.1282957667041752, 1e-6);
  EXPECT_NEAR(simulation.events()[1].t, 0.15331348, 1e-6);
  EXPECT_NEAR(simulation.events()[2].t, 0.17453903, 1e-6);
  EXPECT_NEAR(simulation.events()[3].t, 0.19345152, 1e-6);
}

}  // namespace
}  // namespace mbs
