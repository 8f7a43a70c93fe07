// Linearisation and modes against closed forms (template_modes_test.cpp has all templates).

#include "engine/analysis/linearise.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "engine/analysis/modes.hpp"
#include "engine/equations/static_equilibrium.hpp"
#include "tests/multibody/assembled.hpp"

namespace mbs::test {
namespace {

std::vector<Mode> modes_at(const Assembled& model, const State& x) {
  return find_modes(linearise(*model, model.context(), x,
                              {.states = static_cast<int>(model.model.states.size())}));
}

State at_rest(const Assembled& model) {
  State x = model.start();
  const Equilibrium found = find_equilibrium(*model, model.context(), x);
  EXPECT_TRUE(found.ok) << found.message;
  return x;
}

TEST(Modes, AgreeWithTheFormulaOfADampedPendulum) {
  const Assembled model(planar(R"(
    <gravity g="0, -9.81"/>
    <body name="rod" mass="2" com="0.4, 0" inertia="0.15"/>
    <revolute name="hinge" a="ground" b="rod" q="-90 deg" damping="0.3"/>)"));
  const double J = 0.15 + 2.0 * 0.16, k = 2.0 * 9.81 * 0.4;
  const std::vector<Mode> modes = modes_at(model, at_rest(model));
  ASSERT_EQ(modes.size(), 1u);
  const double omega = std::sqrt(k / J), zeta = 0.3 / (2.0 * std::sqrt(k * J));
  EXPECT_NEAR(modes[0].frequency, omega / (2.0 * std::numbers::pi), 1e-11);
  EXPECT_NEAR(modes[0].damping, zeta, 1e-11);
}

// Three equal masses between walls by equal springs: omega_k = 2 sqrt(k/m) sin(k pi / 8).
TEST(Modes, AgreeWithTheFormulaOfAChainOfSprings) {
  std::string lines;
  for (int i = 1; i <= 3; ++i) {
    const std::string n = std::to_string(i);
    lines += "<body name='b" + n + "' mass='2' inertia='1'/><prismatic name='g" + n +
             "' a='ground' b='b" + n + "' axis='1, 0' q='" + n + "'/>";
  }
  const auto spring = [](const char* joint, const std::string& law) {
    return "<force joint='" + std::string(joint) + "' value='" + law + "'/>";
  };
  lines += spring("g1", "-800*(g1.q - 1 m)*1 N/m - 800*(g1.q - g2.q + 1 m)*1 N/m");
  lines += spring("g2", "-800*(g2.q - g1.q - 1 m)*1 N/m - 800*(g2.q - g3.q + 1 m)*1 N/m");
  lines += spring("g3", "-800*(g3.q - 3 m)*1 N/m - 800*(g3.q - g2.q - 1 m)*1 N/m");
  const Assembled model(planar(lines));
  const std::vector<Mode> modes = modes_at(model, at_rest(model));
  ASSERT_EQ(modes.size(), 3u);
  for (int k = 1; k <= 3; ++k) {
    const double omega = 2.0 * std::sqrt(400.0) * std::sin(k * std::numbers::pi / 8.0);
    EXPECT_NEAR(modes[k - 1].eigenvalue.imag(), omega, 1e-11);
  }
  // The first shape: 1/sqrt 2, 1, 1/sqrt 2, in phase.
  const Eigen::VectorXcd& shape = modes[0].shape;
  const double side = std::abs(shape[model.v("b1.vx")]);
  EXPECT_NEAR(side, std::sqrt(0.5), 1e-11);
  EXPECT_NEAR(std::abs(shape[model.v("b2.vx")]), 1.0, 1e-11);
}

// A state that follows an input, and what reaches outputs: all four matrices against formulas.
TEST(LinearSystems, AreThoseOfAMotorOnARod) {
  const Assembled model(planar(R"(
    <input name="U" unit="N.m"/>
    <gravity g="0, -9.81"/>
    <body name="rod" mass="2" com="0.4, 0" inertia="0.15"/>
    <revolute name="hinge" a="ground" b="rod" q="-90 deg"/>
    <state name="T" start="0 N.m" der="(U - T)/0.05 s"/>
    <torque joint="hinge" value="T"/>
    <output name="w" of="hinge" quantity="qd"/>
    <output name="acc" of="hinge" quantity="qdd"/>
    <output name="both" value="3*T + U"/>)"));
  const LinearSystem s = linearise(*model, model.context(), at_rest(model));
  const double J = 0.15 + 2.0 * 0.16, k = 2.0 * 9.81 * 0.4;
  ASSERT_EQ(s.A.rows(), 3);
  EXPECT_EQ(s.states.back(), "T");
  EXPECT_NEAR(s.A(2, 2), -20.0, 1e-12);
  EXPECT_NEAR(s.B(2, 0), 20.0, 1e-12);
  // whichever coordinate is independent, dphi is: rows of dq and dv of the angle
  const int phi = model.v("rod.omega");
  const Eigen::RowVectorXd dphi = s.dq.row(phi), dw = s.dv.row(phi);
  EXPECT_NEAR((dw * s.A.col(2))(0), 1.0 / J, 1e-12);
  EXPECT_NEAR((s.C.row(0) - dw).norm(), 0.0, 1e-9);
  Eigen::RowVectorXd acceleration = -k / J * dphi;
  acceleration[2] += 1.0 / J;
  EXPECT_NEAR((s.C.row(1) - acceleration).norm(), 0.0, 1e-8);
  EXPECT_NEAR(s.C(2, 2), 3.0, 1e-9);
  EXPECT_NEAR(s.D(2, 0), 1.0, 1e-9);
  EXPECT_NEAR(s.D(0, 0), 0.0, 1e-12);
}

// A spinning symmetric top in space, free: precession of the spin axis's disturbance, body axes
// turning with the top, lambda = (I3 - I1)/I1 w3.
TEST(Modes, AgreeWithTheFormulaOfAFreeSpinningBody) {
  const Assembled model(spatial(R"(
    <body name="top" mass="3" inertia="0.2, 0.2, 0.3"/>
    <free name="f" a="ground" b="top" omega="0, 0, 4"/>)"));
  State x = model.start();
  const LinearSystem s = linearise(*model, model.context(), x);
  EXPECT_EQ(s.A.rows(), 12);
  double closest = 1e300;
  for (const Mode& mode : find_modes(s))
    closest = std::min(closest, std::abs(mode.eigenvalue - std::complex<double>(0.0, 2.0)));
  EXPECT_LT(closest, 1e-7);  // a defective neighbourhood: rates of turning of the frozen axes
}

TEST(LinearSystems, ADerivativeThatIsNoNumberIsNamed) {
  const Assembled model(planar(R"x(
    <body name="a" mass="1" inertia="1"/>
    <revolute name="h" a="ground" b="a" q="0"/>
    <torque joint="h" value="1 N.m*sqrt(h.q)"/>)x"));
  const State x = model.start();
  try {
    linearise(*model, model.context(), x);
    FAIL() << "no error";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("the force on 'a."), std::string::npos)
        << error.what();
  }
}

// A flap on two hinges, five rows too many: dropped it has the frequency of a pendulum, otherwise
// the message says how.
TEST(LinearSystems, RedundantRowsAreDroppedOrNamed) {
  const auto flap = [](const std::string& solver) {
    return spatial(R"xml(
      <gravity g="0, -9.81, 0"/>
      <body name="flap" mass="2" com="0, -0.3, 0.5" inertia="0.1, 0.2, 0.3">
        <frame name="far" pos="0, 0, 1"/></body>
      <frame name="post" pos="0, 0, 1"/>
      <revolute name="near" a="ground" b="flap" axis="z"/>
      <revolute name="far" a="post" b="flap.far" axis="z"/>
      <output name="fn" of="near" quantity="reaction" component="fy"/>
      <output name="ff" of="far" quantity="reaction" component="fy"/>)xml" +
                   solver);
  };
  const Assembled dropped(flap("<solver redundancy=\"drop\"/>"));
  const std::vector<Mode> modes = modes_at(dropped, at_rest(dropped));
  ASSERT_FALSE(modes.empty());
  const double omega = std::sqrt(2 * 9.81 * 0.3 / (0.3 + 2 * 0.09));
  EXPECT_NEAR(std::abs(modes[0].eigenvalue), omega, 1e-9);
  const Assembled shared(flap("<solver redundancy=\"minimum_norm\"/>"));
  const State x = at_rest(shared);  // the weight is in the middle
  EXPECT_NEAR(shared.output(x, "fn"), 9.81, 1e-8);
  EXPECT_NEAR(shared.output(x, "ff"), 9.81, 1e-8);
  try {
    linearise(*shared, shared.context(), x);
    FAIL() << "no error";
  } catch (const std::runtime_error& error) {
    const std::string text = error.what();
    for (const char* keyword : {"redundancy=\"drop\"", "'near'", "'far'"}) {
      EXPECT_NE(text.find(keyword), std::string::npos) << text;
    }
  }
}

TEST(LinearSystems, WhatKeepsItFromEquilibriumIsNamed) {
  const Assembled model(planar(R"(
    <gravity g="0, -9.81"/>
    <body name="a" mass="1" com="1, 0" inertia="1"/>
    <revolute name="h" a="ground" b="a" q="0"/>)"));
  State x = model.start();
  EXPECT_NE(unrest(*model, model.context(), x).find("the acceleration of 'a."), std::string::npos);
  x = at_rest(model);
  EXPECT_EQ(unrest(*model, model.context(), x), "");
}

}  // namespace
}  // namespace mbs::test
