// Every attribute of every element against Newton's and Euler's laws written down by hand.

#include <gtest/gtest.h>
#include <Eigen/Dense>

#include <cmath>

#include "tests/multibody/assembled.hpp"

namespace mbs::test {
namespace {

State solved(const Assembled& m) {
  State x = m.start();
  m.solve(x);
  return x;
}

// J q'' = -stiffness (q - rest) - damping q', whichever way the axis points.
TEST(Revolute, HasStiffnessOffsetAndDamping) {
  const std::string rest =
      R"( q="0.7" qd="-1.5" stiffness="6" rest="0.2 rad" damping="0.4" target="exact"/>)";
  const std::string outputs =
      R"(<output name="q" of="r" quantity="q"/><output name="qdd" of="r" quantity="qdd"/>)";
  const double expected = (-6.0 * (0.7 - 0.2) + 0.4 * 1.5) / 0.8;
  for (const double sign : {1.0, -1.0}) {
    const std::string axis = sign > 0 ? R"( axis="z")" : R"( axis="-z")";
    const Assembled plane(planar(R"(<body name="b" mass="1" inertia="0.8"/>
      <revolute name="r" a="ground" b="b")" +
                                 axis + rest + outputs));
    const State x = solved(plane);
    EXPECT_NEAR(plane.output(x, "qdd"), expected, 1e-13);
    EXPECT_NEAR(x.p[2], sign * 0.7, 1e-14);
    EXPECT_NEAR(x.a[2], sign * expected, 1e-13);
    const Assembled space(spatial(R"(<body name="b" mass="1" inertia="1, 1.1, 0.8"/>
      <revolute name="r" a="ground" b="b")" +
                                  axis + rest + outputs));
    const State y = solved(space);
    EXPECT_NEAR(space.output(y, "q"), 0.7, 1e-13);
    EXPECT_NEAR(space.output(y, "qdd"), expected, 1e-12);
    EXPECT_NEAR(y.a[5], sign * expected, 1e-12);
  }
}

// m q'' = m g.u - stiffness (q - rest) - damping q', with the rail's direction u.
TEST(Prismatic, HasAxisStiffnessOffsetAndDamping) {
  const std::string rest =
      R"( q="0.7" qd="-1.5" stiffness="6" rest="0.2" damping="0.4" target="exact"/>
      <output name="qdd" of="p" quantity="qdd"/><output name="e" quantity="potential_energy"/>)";
  const double forces = -6.0 * 0.5 + 0.4 * 1.5;
  const Assembled plane(planar(R"(<gravity g="1, -10"/><body name="b" mass="2" inertia="1"/>
      <prismatic name="p" a="ground" b="b" axis="3, 4")" +
                               rest));
  const State x = solved(plane);
  const double slope = 1 * 0.6 - 10 * 0.8;
  EXPECT_NEAR(plane.output(x, "qdd"), slope + forces / 2.0, 1e-12);
  EXPECT_NEAR(plane.output(x, "e"), -2.0 * slope * 0.7 + 0.5 * 6.0 * 0.25, 1e-12);
  EXPECT_NEAR(x.p[0], 0.6 * 0.7, 1e-13);
  const Assembled space(
      spatial(R"(<gravity g="1, -10, 2"/><body name="b" mass="2" inertia="1, 1, 1"/>
      <prismatic name="p" a="ground" b="b" axis="2, -1, 2")" +
              rest));
  EXPECT_NEAR(space.output(solved(space), "qdd"), (2 + 10 + 4) / 3.0 + forces / 2.0, 1e-12);
}

// Two particles and a line of length 5 with the direction (0.6, 0.8): the rate of its length is
// 0.6*2 + 0.8*1, tension T pulls them together.
TEST(Spring, UsesAllOfItsAttributes) {
  const std::string bodies = R"(<particle name="a" mass="2"/><particle name="b" mass="4"/>
    <free b="a" pos="1, 1" vel="1, 0"/><free b="b" pos="4, 5" vel="3, 1"/>
    <output name="T" of="s" quantity="force"/><output name="E" quantity="potential_energy"/>)";
  const double rate = 0.6 * 2 + 0.8 * 1;
  const struct {
    const char* line;
    double tension, energy;
  } cases[] = {
      {R"(<spring name="s" a="a" b="b" stiffness="3" length="4.5"/>)", 1.5, 0.5 * 3 * 0.25},
      {R"(<spring name="s" a="a" b="b" stiffness="3" length="4.5" damping="0.5" preload="-2"/>)",
       1.5 + 0.5 * rate - 2, 0.5 * 3 * 0.25 - 2 * 0.5},
      {R"(<spring name="s" a="a" b="b" stiffness="3" preload="7"/>)", 7, 0},
      {R"(<spring name="s" a="a" b="b" length="4" law="(2 N/m)*x - (3 N/m^3)*x^3 + (1 N.s/m)*xd"/>)",
       2 - 3 + rate, 0},
      {R"(<damper name="s" a="a" b="b" damping="0.5"/>)", 0.5 * rate, 0},
      {R"(<damper name="s" a="a" b="b" law="(2 N.s^2/m^2)*xd^2"/>)", 2 * rate * rate, 0}};
  for (const auto& c : cases) {
    const Assembled m(planar(bodies + c.line));
    const State x = solved(m);
    EXPECT_NEAR(m.output(x, "T"), c.tension, 1e-12) << c.line;
    EXPECT_NEAR(m.output(x, "E"), c.energy, 1e-12) << c.line;
    EXPECT_NEAR(x.a[0], 0.6 * c.tension / 2, 1e-12) << c.line;
    EXPECT_NEAR(x.a[1], 0.8 * c.tension / 2, 1e-12) << c.line;
    EXPECT_NEAR(x.a[2], -0.6 * c.tension / 4, 1e-12) << c.line;
    EXPECT_NEAR(x.a[3], -0.8 * c.tension / 4, 1e-12) << c.line;
  }
}

// The spring lies in space along (1, 2, 2)/3 with length 3, and acts at a point off the centre of
// mass.
TEST(Spring, ActsOffTheCentreInSpace) {
  const Assembled m(spatial(R"(<body name="b" mass="2" com="0, 0, -1" inertia="0.5, 0.8, 1"/>
    <frame name="nail" pos="1, 2, 2"/>
    <spring a="b" b="nail" stiffness="6" length="1"/>)"));
  const State x = solved(m);
  // T = 12 on the body's origin, which is at (0, 0, 1) from its centre of mass.
  const Eigen::Vector3d force = 12.0 / 3.0 * Eigen::Vector3d(1, 2, 2);
  const Eigen::Vector3d torque = Eigen::Vector3d(0, 0, 1).cross(force);
  EXPECT_LT((x.a.head<3>() - force / 2.0).norm(), 1e-13);
  EXPECT_LT((x.a.tail<3>() - torque.cwiseQuotient(Eigen::Vector3d(0.5, 0.8, 1))).norm(), 1e-13);
}

// F in the axes of a turned frame, at a point of the body, its opposite on a particle.
TEST(Force, ActsOnInAndReactionOn) {
  const Assembled m(planar(R"(<body name="b" mass="2" inertia="0.5">
      <frame name="f" pos="0.3, -0.1"/></body>
    <particle name="p" mass="4"/><frame name="turned" rot="90 deg"/>
    <force name="F" on="b.f" in="turned" reaction_on="p" value="3, 4"/>
    <output name="size" of="F" quantity="force"/>)"));
  const State x = solved(m);  // F = (-4, 3)
  EXPECT_NEAR(x.a[0], -2.0, 1e-14);
  EXPECT_NEAR(x.a[1], 1.5, 1e-14);
  EXPECT_NEAR(x.a[2], (0.3 * 3 - 0.1 * 4) / 0.5, 1e-14);
  EXPECT_NEAR(x.a[3], 1.0, 1e-14);
  EXPECT_NEAR(x.a[4], -0.75, 1e-14);
  EXPECT_NEAR(m.output(x, "size"), 5.0, 1e-14);
}

TEST(Torque, ActsOnInAndReactionOn) {
  const Assembled m(spatial(R"(<body name="b" mass="2" inertia="0.5, 1, 1.2"/>
    <body name="c" mass="2" inertia="4, 5, 3"/><frame name="turned" rot="0, 0, 90 deg"/>
    <torque name="T" on="b" in="turned" reaction_on="c" value="3, 4, 12"/>
    <output name="size" of="T" quantity="force"/>)"));
  const State x = solved(m);  // T = (-4, 3, 12)
  const Eigen::Vector3d torque(-4, 3, 12);
  EXPECT_LT((x.a.segment<3>(3) - torque.cwiseQuotient(Eigen::Vector3d(0.5, 1, 1.2))).norm(), 1e-13);
  EXPECT_LT((x.a.segment<3>(9) + torque.cwiseQuotient(Eigen::Vector3d(4, 5, 3))).norm(), 1e-13);
  EXPECT_NEAR(m.output(x, "size"), 13.0, 1e-13);
}

// Between two bodies on one rail, on one axle: the coordinate is that of b against a.
TEST(JointLoads, PullOnBothSides) {
  const Assembled m(planar(R"(<particle name="dot" mass="1"/>
    <body name="a" mass="2" inertia="0.5"/><body name="b" mass="3" inertia="0.2"/>
    <prismatic a="ground" b="a" axis="x"/><prismatic name="p" a="a" b="b" axis="x"/>
    <body name="c" mass="1" inertia="0.5"/><body name="d" mass="1" inertia="0.2"/>
    <revolute a="ground" b="c"/><revolute name="r" a="c" b="d" axis="-z"/>
    <force joint="p" value="6"/><torque joint="r" value="6"/>)"));
  const State x = solved(m);
  EXPECT_NEAR(x.a[m.v("a.vx")], -3.0, 1e-13);
  EXPECT_NEAR(x.a[m.v("b.vx")], 2.0, 1e-13);
  EXPECT_NEAR(x.a[m.v("c.omega")], 12.0, 1e-13);
  EXPECT_NEAR(x.a[m.v("d.omega")], -30.0, 1e-13);
}

// Start values of <free> against a frame that moves itself: r = r_a + R_a pos,
// v = v_a + omega_a x R_a pos + R_a vel, omega = omega_a + R_a omega_rel.
TEST(Free, StartsAgainstAMovingFrame) {
  const Assembled m(
      planar(R"(<body name="a" mass="1" inertia="1"/><body name="b" mass="1" inertia="1"/>
    <free b="a" pos="1, 2" rot="90 deg" vel="3, 4" omega="2" target="exact"/>
    <free name="f" a="a" b="b" pos="5, 6" rot="0.3" vel="7, 8" omega="9" target="exact"/>
    <output name="xd" value="f.xd"/><output name="phid" value="f.phid"/>)"));
  const State x = m.start();
  const double expected_p[] = {1 - 6, 2 + 5, std::acos(0.0) + 0.3};
  const double expected_v[] = {3 - 2 * 5 - 8, 4 - 2 * 6 + 7, 2 + 9};
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(x.p[3 + k], expected_p[k], 1e-13);
    EXPECT_NEAR(x.v[3 + k], expected_v[k], 1e-13);
  }
  EXPECT_NEAR(m.output(x, "xd"), 7.0, 1e-13);
  EXPECT_NEAR(m.output(x, "phid"), 9.0, 1e-13);
}

// Products of inertia: J^-1 T of ((2, -0.5, 0), (-0.5, 3, 0), (0, 0, 4)), from rest.
TEST(Body, TakesProductsOfInertia) {
  const Assembled m(spatial(R"(<body name="b" mass="2" inertia="2, 3, 4, -0.5, 0, 0"/>
    <torque on="b" value="1, 2, 8"/>)"));
  const State x = solved(m);
  const double determinant = 2 * 3 - 0.25;
  EXPECT_NEAR(x.a[3], (3 * 1 + 0.5 * 2) / determinant, 1e-14);
  EXPECT_NEAR(x.a[4], (0.5 * 1 + 2 * 2) / determinant, 1e-14);
  EXPECT_NEAR(x.a[5], 2.0, 1e-14);
}

// A knot without mass does not pull at the body that bears it; a particle with mass falls.
TEST(Particle, WithoutMassHasNoWeight) {
  const Assembled m(planar(R"(<gravity g="0, -10"/><particle name="p" mass="3"/>
    <particle name="knot"/><prismatic a="ground" b="slide" axis="x"/>
    <body name="slide" mass="1" inertia="1"/><revolute name="r" a="slide" b="knot"/>
    <output name="fy" of="r" quantity="reaction" component="fy"/>)"));
  const State x = solved(m);
  EXPECT_NEAR(x.a[m.v("p.vy")], -10.0, 1e-13);
  EXPECT_NEAR(m.output(x, "fy"), 0.0, 1e-13);
}

}  // namespace
}  // namespace mbs::test
