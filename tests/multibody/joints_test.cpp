// Joints: reactions, coordinates, sides, turns.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/multibody/assembled.hpp"

namespace mbs::test {
namespace {

// A beam welded to a wall carries its weight and its moment.
TEST(Weld, CantileverBearsItsWeightInThePlane) {
  const Assembled m(planar(R"xml(
    <gravity g="0, -10 m/s^2"/>
    <frame name="wall" pos="1, 2" rot="90 deg"/>
    <body name="beam" mass="3" com="0.5, 0" inertia="0.2"/>
    <weld name="w" a="wall" b="beam"/>
    <output name="fx" of="w" quantity="reaction" component="fx"/>
    <output name="fy" of="w" quantity="reaction" component="fy"/>
    <output name="m" of="w" quantity="reaction" component="m"/>
    <output name="n" of="w" quantity="reaction" component="norm"/>)xml"));
  State x = m.start();
  m.solve(x);
  EXPECT_NEAR(x.a.norm(), 0.0, 1e-13);
  // The beam stands upright: the force is along its axis, and there is no moment.
  EXPECT_NEAR(m.output(x, "fx"), 30.0, 1e-12);
  EXPECT_NEAR(m.output(x, "fy"), 0.0, 1e-12);
  EXPECT_NEAR(m.output(x, "m"), 0.0, 1e-12);
  EXPECT_NEAR(m.output(x, "n"), 30.0, 1e-12);
}

TEST(Weld, CantileverBearsItsWeightInSpace) {
  const std::string lines = R"xml(
    <gravity g="0, 0, -10 m/s^2"/>
    <frame name="wall" pos="1, 2, 3" rot="0, 0, 90 deg"/>
    <body name="beam" mass="3" com="0.5, 0, 0" inertia="0.01, 0.2, 0.2"/>
    <force on="beam" in="wall" value="0, 4, 0"/>
    <output name="fx" of="w" quantity="reaction" component="fx"/>
    <output name="fy" of="w" quantity="reaction" component="fy"/>
    <output name="fz" of="w" quantity="reaction" component="fz"/>
    <output name="mx" of="w" quantity="reaction" component="mx"/>
    <output name="my" of="w" quantity="reaction" component="my"/>
    <output name="mz" of="w" quantity="reaction" component="mz"/>)xml";
  // The joint holds the beam, at its end in the axes of the wall: 30 up, -4 across, and the moment
  // -(0.5 e_x x (-30 e_z)) = -15 e_y; and what the beam does to the wall is the opposite.
  for (const double side : {1.0, -1.0}) {
    const Assembled m(spatial(lines + (side > 0 ? R"(<weld name="w" a="wall" b="beam"/>)"
                                                : R"(<weld name="w" a="beam" b="wall"/>)")));
    State x = m.start();
    m.solve(x);
    const double expected[] = {0, -4, 30, 0, -15, 0};
    const char* names[] = {"fx", "fy", "fz", "mx", "my", "mz"};
    for (int i = 0; i < 6; ++i) {
      EXPECT_NEAR(m.output(x, names[i]), side * expected[i], 1e-11) << names[i];
    }
  }
}

// Which side is a and which is b is a matter of keywords: the motion is the same, the coordinate
// and the reaction change their sign.
TEST(Sides, DoNotMatter) {
  const auto text = [](const std::string& joint) {
    return spatial(R"xml(
      <gravity g="0, 0, -9.81"/>
      <body name="one" mass="1.5" com="0.1, 0.2, -0.1" inertia="0.7, 0.8, 0.9, 0.02, -0.03, 0.04">
        <frame name="f" pos="0.5, -0.3, 0.2"/></body>
      <body name="two" mass="0.5" com="-0.2, 0.3, 0.4" inertia="0.2, 0.3, 0.25"/>
      <spherical name="s" a="ground" b="one" rot="0.4, 0.1, 0.2" omega="1, 2, 3"/>
      <output name="q" of="j" quantity="q"/> <output name="qd" of="j" quantity="qd"/>
      <output name="qdd" of="j" quantity="qdd"/>)xml" +
                   joint);
  };
  for (const std::string kind : {"revolute", "prismatic"}) {
    const std::string rest = R"( axis="1, 2, 3" damping="0.4" stiffness="3" )";
    const Assembled m(
        text("<" + kind + R"( name="j" a="one.f" b="two" q="0.3" qd="2")" + rest + "/>"));
    const Assembled n(
        text("<" + kind + R"( name="j" a="two" b="one.f" q="-0.3" qd="-2")" + rest + "/>"));
    State x = m.start(), y = n.start();
    EXPECT_LT((x.p - y.p).norm(), 1e-12) << kind;
    EXPECT_LT((x.v - y.v).norm(), 1e-11) << kind;
    y.p = x.p;
    y.v = x.v;
    m.solve(x);
    n.solve(y);
    EXPECT_LT((x.a - y.a).norm(), 1e-10) << kind;
    for (const char* name : {"q", "qd", "qdd"}) {
      EXPECT_NEAR(m.output(x, name), -n.output(y, name), 1e-10) << kind << " " << name;
    }
    EXPECT_NEAR(m.output(x, "q"), 0.3, 1e-12);
    EXPECT_NEAR(m.output(x, "qd"), 2.0, 1e-12);
  }
}

// A wheel in space that has turned many times: q keeps counting, forwards and backwards.
TEST(Turns, AreCountedInSpace) {
  const Assembled m(spatial(R"xml(
    <body name="wheel" mass="1" inertia="0.1, 0.1, 0.2"/>
    <revolute name="r" a="ground" b="wheel" axis="z" q="400 deg" target="exact" stiffness="0.3"/>
    <output name="q" of="r" quantity="q"/>)xml"));
  State x = m.start();
  ASSERT_EQ(m->sizes().r, 1);
  EXPECT_EQ(m->structure().r_names[0], "r.q.turned");
  const double start = 400.0 * std::numbers::pi / 180.0;
  EXPECT_NEAR(m.output(x, "q"), start, 1e-13);
  for (double turned = -70.0; turned <= 70.0; turned += 0.37) {
    const double q = start + turned;
    x.p.tail<4>() << std::cos(0.5 * q), 0, 0, std::sin(0.5 * q);
    x.v[5] = 0.7;
    x.r[0] = q + 1.5 * std::sin(turned);  // integrated separately, with any error below half a turn
    EXPECT_NEAR(m.output(x, "q"), q, 1e-12);
    m.solve(x);
    EXPECT_NEAR(x.a[5], -0.3 * q / 0.2, 1e-10);
    m->force(m.context(), x, want_force_all, *m.ws);
    EXPECT_NEAR(m.ws->b[0], 0.7, 1e-15);
  }
}

// A coordinate that nobody reads has no counter.
TEST(Turns, AreNotCountedWithoutUse) {
  const Assembled m(spatial(R"xml(<body name="wheel" mass="1" inertia="0.1, 0.1, 0.2"/>
    <revolute name="r" a="ground" b="wheel" qd="2" damping="0.1"/>
    <output name="qd" of="r" quantity="qd"/>)xml"));
  EXPECT_EQ(m->sizes().r, 0);
  EXPECT_NEAR(m.output(m.start(), "qd"), 2.0, 1e-13);
}

// Bodies are placed through joints in either direction, from ground outwards.
TEST(Start, WalksTheJoints) {
  const Assembled m(spatial(R"xml(
    <body name="end" mass="1" inertia="1, 1, 1" com="0.1, 0, 0"/>
    <body name="middle" mass="1" inertia="1, 1, 1"><frame name="f" pos="0, 1, 0" rot="0, 90 deg, 0"/></body>
    <revolute name="far" a="end" b="middle.f" axis="x" q="30 deg" qd="1"/>
    <prismatic name="near" a="middle" b="ground" axis="y" q="0.5" qd="2"/>)xml"));
  State x = m->initial(m.context(), 0.0);
  const State y = m.start();
  EXPECT_LT((x.p - y.p).norm(), 1e-14);
  EXPECT_LT((x.v - y.v).norm(), 1e-13);
  EXPECT_NEAR(x.p[m.p("middle.y")], -0.5, 1e-15);
  EXPECT_NEAR(x.v[m.v("middle.vy")], -2.0, 1e-15);
  // The far body turns about its own x at -1 against the middle one: omega in its own axes.
  EXPECT_NEAR(x.v[m.v("end.omega_x")], -1.0, 1e-15);
}

}  // namespace
}  // namespace mbs::test
