// Couplings between coordinates, and force laws that name reactions: against closed forms.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/multibody/assembled.hpp"

namespace mbs::test {
namespace {

// A pinion turned by a torque moves a rack: (I + m r^2) phi'' = T, x = -r phi.
const std::string rack_and_pinion = R"xml(
  <parameter name="r" value="0.05 m"/>
  <body name="pinion" mass="1" inertia="INERTIA"/><body name="rack" mass="5" inertia="INERTIA"/>
  <revolute name="shaft" a="ground" b="pinion" q="0.4" qd="2" target="exact"/>
  <prismatic name="rail" a="ground" b="rack" axis="x" q="0.3"/>
  <coupling name="teeth" relation="rail.q + shaft.q*r"/>
  <torque joint="shaft" value="3"/>
  <output name="x" of="rail" quantity="q"/><output name="xd" of="rail" quantity="qd"/>
  <output name="phi_dd" of="shaft" quantity="qdd"/><output name="x_dd" of="rail" quantity="qdd"/>)xml";

std::string with_inertia(std::string lines, bool in_space) {
  for (std::size_t at; (at = lines.find("INERTIA")) != std::string::npos;) {
    lines.replace(at, 7, in_space ? "0.1, 0.1, 0.01" : "0.01");
  }
  return in_space ? spatial(lines) : planar(lines);
}

TEST(Coupling, RackFollowsThePinion) {
  for (const bool in_space : {false, true}) {
    SCOPED_TRACE(in_space);
    const Assembled m(with_inertia(rack_and_pinion, in_space));
    State x = m.start();
    m.solve(x);
    const double r = 0.05, phi_dd = 3.0 / (0.01 + 5.0 * r * r);
    EXPECT_NEAR(m.output(x, "x"), -0.4 * r, 1e-14);
    EXPECT_NEAR(m.output(x, "xd"), -2.0 * r, 1e-14);
    EXPECT_NEAR(m.output(x, "phi_dd"), phi_dd, 1e-12 * phi_dd);
    EXPECT_NEAR(m.output(x, "x_dd"), -r * phi_dd, 1e-12 * phi_dd);
    // lambda is what pulls the rack: m x'' = -lambda.
    EXPECT_NEAR(x.lambda[m.lambda("teeth")], 5.0 * r * phi_dd, 1e-11);
  }
}

// Factors are functions of parameters.
TEST(Coupling, FollowsItsParameters) {
  Assembled m(with_inertia(rack_and_pinion, false));
  m.set("r", -0.2);
  State x = m.start();
  m.solve(x);
  EXPECT_NEAR(m.output(x, "x"), 0.08, 1e-14);
  EXPECT_NEAR(m.output(x, "phi_dd"), 3.0 / (0.01 + 5.0 * 0.04), 1e-11);
}

// A gear in space after many turns: the angles go on counting.
TEST(Coupling, GearKeepsItsRatioOverManyTurns) {
  const Assembled m(spatial(R"xml(
    <body name="a" mass="1" inertia="1, 1, 1"/><body name="b" mass="1" inertia="1, 1, 1"/>
    <frame name="there" pos="1, 0, 0"/>
    <revolute name="ra" a="ground" b="a" axis="z" q="15" target="exact"/>
    <revolute name="rb" a="there" b="b" axis="z"  q="-7.4"/>
    <coupling relation="ra.q + 2*rb.q"/>
    <output name="qa" value="ra.q"/><output name="qb" value="rb.q"/>)xml"));
  const State x = m.start();
  EXPECT_NEAR(m.output(x, "qa"), 15.0, 1e-13);
  EXPECT_NEAR(m.output(x, "qb"), -7.5, 1e-13);
}

// A block slides down: x'' = g (sin - mu cos), N = m g cos, in the plane and in space.
TEST(Friction, SlowsASlidingBlock) {
  const double slope = 0.5, mu = 0.3, g = 9.81;
  for (const bool in_space : {false, true}) {
    SCOPED_TRACE(in_space);
    const std::string lines = R"xml(<frame name="hill" rot=")xml" +
                              std::string(in_space ? "0, 0, -0.5" : "-0.5") + R"xml("/>
      <gravity g=")xml" + (in_space ? "0, -9.81, 0" : "0, -9.81") +
                              R"xml("/>
      <body name="block" mass="2" inertia="INERTIA"/>
      <prismatic name="slope" a="hill" b="block" axis="x" qd="1" target="exact"/>
      <measure name="N" of="slope" quantity="reaction" component="fy"/>
      <force name="friction" joint="slope" value="-0.3*abs(N)*sign(slope.qd/(1 m/s))"/>
      <output name="a" of="slope" quantity="qdd"/><output name="press" value="N"/>
      <output name="fy" of="slope" quantity="reaction" component="fy"/>)xml";
    const Assembled m(with_inertia(lines, in_space));
    ASSERT_TRUE(m->structure().f_depends_on_lambda);
    State x = m.start();
    m.solve(x);
    EXPECT_NEAR(m.output(x, "a"), g * (std::sin(slope) - mu * std::cos(slope)), 1e-12);
    EXPECT_NEAR(m.output(x, "press"), 2.0 * g * std::cos(slope), 1e-12);
    EXPECT_EQ(m.output(x, "press"), m.output(x, "fy"));
  }
}

// In a mirrored subsystem reactions, coordinates and couplings mean the same.
TEST(Friction, ActsInAMirroredSubsystem) {
  const std::string half = R"xml(<mbs name="U" version="1" planar="xy">
      <frame name="hill" rot="-0.5"/>
      <body name="block" mass="2" inertia="0.1"/><body name="ball" mass="0.7" inertia="0.2"/>
      <prismatic name="slope" a="hill" b="block" axis="x" qd="1" target="exact"/>
      <free name="f" b="ball" omega="0.3"/>
      <coupling relation="f.x - 0.4*f.y + 2*slope.q + f.phi*(0.1 m)"/>
      <measure name="fx" of="slope" quantity="reaction" component="fx" in="ground"/>
      <measure name="fy" of="slope" quantity="reaction" component="fy"/>
      <measure name="m" of="slope" quantity="reaction" component="m"/>
      <force joint="slope" value="-0.3*fy"/><force on="ball" value="0.2*fx, 0.1*fx"/>
      <torque on="block" value="0.1*m + fx*(0.05 m)"/>
      <output name="along" of="slope" quantity="qdd"/><output name="fxdd" of="f" quantity="qdd" component="x"/>
      <output name="phi" of="f" quantity="qdd" component="phi"/>
      <output name="push" value="fx"/><output name="twist" value="m"/></mbs></use>)xml";
  const Assembled m(planar(R"xml(<gravity g="0, -9.81"/><use name="l">)xml" + half +
                           R"xml(<use name="r" mirror="x">)xml" + half));
  State x = m.start();
  m.solve(x);
  for (const std::string name : {"along", "fxdd", "phi", "push", "twist"}) {
    const double left = m.output(x, "l." + name);
    EXPECT_NEAR(m.output(x, "r." + name), left, 1e-12 * std::abs(left)) << name;
    EXPECT_GT(std::abs(left), 1e-3) << name;
  }
  expect_exact_derivatives(m, x);
  expect_exact_friction(m, x);
}

// The cable drum of Lubich et al. (1992), (5.4): F(2,2) = -mu, F(4,2) = -mu r2 and zeros elsewhere.
TEST(Friction, MatrixOfTheCableDrumIsThatOfTheReport) {
  Assembled m = Assembled::from_file(std::string(MBS_TEMPLATES) + "/cable_drum/cable_drum.mbs.xml");
  m.set("mu", 0.75);
  m.set("r2", 0.8);
  State x = m.start();
  m.solve(x);
  m->friction(m.context(), x, *m.ws);
  Matrix F = m.ws->F;
  double& along = F(m.v("drum.vx"), m.lambda("floor"));
  double& about = F(m.v("drum.omega"), m.lambda("floor"));
  EXPECT_NEAR(along, -0.75, 1e-15);
  EXPECT_NEAR(about, -0.75 * 0.8, 1e-15);
  along = about = 0.0;
  EXPECT_EQ(F.cwiseAbs().maxCoeff(), 0.0);
  expect_exact_friction(m, x);
}

}  // namespace
}  // namespace mbs::test
