// Static equilibrium: closed forms, stable ones from far away, and what cannot rest.

#include "engine/analysis/equilibrium.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <numbers>

#include "engine/simulation/simulation.hpp"
#include "tests/multibody/assembled.hpp"

namespace mbs::test {
namespace {

Equilibrium rest(const Assembled& model, State& x) {
  x = model.start();
  Equilibrium found = find_equilibrium(*model, model.given(), x);
  if (found.ok) {
    State again = x;
    model.solve(again);
    EXPECT_LT(again.a.cwiseAbs().maxCoeff(), 1e-8);
    EXPECT_LT((again.lambda - x.lambda).cwiseAbs().maxCoeff(),
              1e-7 * (1.0 + x.lambda.cwiseAbs().maxCoeff()));
  }
  return found;
}

std::string pendulum(const std::string& angle) {
  return planar(R"(
    <gravity g="0, -9.81"/>
    <body name="rod" mass="2" com="0.4, 0" inertia="0.15"/>
    <revolute name="hinge" a="ground" b="rod" q=")" +
                angle + R"("/>
    <output name="q" of="hinge" quantity="q"/>)");
}

TEST(Equilibria, APendulumHangsFromWhereverItStarts) {
  for (const char* angle : {"-80 deg", "0 deg", "60 deg", "89 deg", "-170 deg"}) {
    SCOPED_TRACE(angle);
    const Assembled model(pendulum(angle));
    State x;
    const Equilibrium found = rest(model, x);
    ASSERT_TRUE(found.ok) << found.message;
    EXPECT_NEAR(std::cos(x.p[model.p("rod.phi")]), 0.0, 1e-9);
    EXPECT_NEAR(std::sin(x.p[model.p("rod.phi")]), -1.0, 1e-9);
  }
}

// A mass on a stiffening spring: m g = k x + c x^3 at x = 0.5.
TEST(Equilibria, ANonlinearSpringCarriesItsWeight) {
  const Assembled model(planar(R"(
    <gravity g="0, -10"/>
    <body name="b" mass="6" inertia="1"/>
    <prismatic name="rail" a="ground" b="b" axis="0, -1" q="0"/>
    <force joint="rail" value="-100 N/m*rail.q - 80 N/m^3*rail.q^3"/>
    <output name="q" of="rail" quantity="q"/>)"));
  State x;
  ASSERT_TRUE(rest(model, x).ok);
  EXPECT_NEAR(model.output(x, "q"), 0.5, 1e-10);
}

// First-order states come to rest as well: a controller's integral holds the load.
TEST(Equilibria, AnIntegralHoldsTheLoad) {
  const Assembled model(planar(R"(
    <gravity g="0, -10"/>
    <body name="b" mass="6" inertia="1"/>
    <prismatic name="rail" a="ground" b="b" axis="0, 1" q="0"/>
    <state name="I" start="0 m.s" der="0.3 m - rail.q"/>
    <force joint="rail" value="500 N/m*(0.3 m - rail.q) + 40 N/m/s*I - 100 N.s/m*rail.qd"/>
    <output name="q" of="rail" quantity="q"/>)"));
  State x;
  const Equilibrium found = rest(model, x);
  ASSERT_TRUE(found.ok) << found.message;
  EXPECT_NEAR(model.output(x, "q"), 0.3, 1e-10);
  EXPECT_NEAR(x.r[0], 60.0 / 40.0, 1e-9);
}

// A ladder in a loop: four bars with a spring across; the reactions carry all weight.
TEST(Equilibria, TheReactionsOfTheTruckCarryItsWeight) {
  const Assembled model =
      Assembled::from_file(std::string(std::getenv("MBS_TEMPLATES")) + "/truck/truck.mbs.xml");
  State x;
  const Equilibrium found = rest(model, x);
  ASSERT_TRUE(found.ok) << found.message;
}

TEST(Equilibria, WhatFallsFreelyHasNone) {
  const Assembled model(planar(R"(
    <gravity g="0, -9.81"/>
    <body name="stone" mass="1" inertia="1"/>)"));
  State x = model.start();
  const State before = x;
  const Equilibrium found =
      find_equilibrium(*model, model.given(), x, {.max_iterations = 50, .max_relaxations = 200});
  EXPECT_FALSE(found.ok);
  EXPECT_NE(found.message.find("'stone.vy'"), std::string::npos) << found.message;
  EXPECT_EQ(x.p, before.p);
}

TEST(Equilibria, AreTheStartOfASimulation) {
  const Assembled model(pendulum("-60 deg"));
  SolverChoice choice;
  choice.statics = true;
  Simulation simulation(model.equations, choice);
  const InitialReport report = simulation.initialise(0.0);
  ASSERT_TRUE(report.ok) << report.message;
  ASSERT_FALSE(report.moved_p.empty());
  EXPECT_NEAR(simulation.output(0), -std::numbers::pi / 2.0, 1e-9);
  simulation.advance(2.0);
  EXPECT_NEAR(simulation.output(0), -std::numbers::pi / 2.0, 1e-7);
}

}  // namespace
}  // namespace mbs::test
