// Cylindrical, universal, planar and screw joints; points on lines and in planes, parallel axes,
// rods; gears and racks: against closed forms, in every choice of coordinates.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "engine/multibody/assemble.hpp"
#include "engine/simulation/co_simulation_driver.hpp"
#include "tests/multibody/assembled.hpp"

namespace mbs::test {
namespace {

constexpr double g = 9.81, pi = std::numbers::pi;

class MoreJoints : public testing::TestWithParam<const char*> {
 protected:
  Assembled assembled(const std::string& text) const { return Assembled(text, GetParam()); }
  static State solved(const Assembled& m) {
    State x = m.start();
    m.solve(x);
    return x;
  }
  // Outputs after a time.
  Vector after(const std::string& text, double t) const {
    Diagnostics diagnostics;
    Model model = read_model_text(text, "test.mbs.xml", diagnostics);
    model.solver.coordinates = GetParam();
    model.solver.rtol = model.solver.atol = 1e-10;
    const auto equations = diagnostics.ok() ? assemble(model, diagnostics) : nullptr;
    if (!equations) throw std::runtime_error(diagnostics.text());
    CoSimulationDriver simulation(equations, solver_choice(model));
    const InitialReport report = simulation.initialise(0.0);
    if (!report.ok) throw std::runtime_error(report.text());
    simulation.advance(t);
    Vector y(equations->sizes().y);
    for (int i = 0; i < y.size(); ++i) y[i] = simulation.output(i);
    return y;
  }
};

// (J + m h^2) q'' = M - m g sin(slope) h,  h = pitch/(2 pi): the axis rises by the slope.
TEST_P(MoreJoints, ScrewMovesOnAnInclinedThread) {
  for (const std::string pitch : {"40 mm", "-40 mm"}) {
    const std::string text = spatial(R"xml(
      <gravity g="0, 0, -9.81"/>
      <frame name="bar" pos="1, 2, 3" rot="0, -30 deg, 0"/>
      <body name="nut" mass="2" inertia="0.01, 0.02, 0.02"/>
      <screw name="s" a="bar" b="nut" axis="x" pitch=")xml" +
                                     pitch +
                                     R"xml(" q="900 deg" qd="3" target="exact"/>
      <torque joint="s" value="0.3"/>
      <output name="q" of="s" quantity="q"/><output name="qdd" of="s" quantity="qdd"/>
      <output name="x" of="nut" quantity="position" component="x" relative_to="bar" in="bar"/>
      <output name="mx" of="s" quantity="reaction" component="mx"/>
      <output name="fx" of="s" quantity="reaction" component="fx"/>)xml");
    const double h = (pitch[0] == '-' ? -0.04 : 0.04) / (2 * pi);
    const double qdd = (0.3 - 2 * g * 0.5 * h) / (0.01 + 2 * h * h);
    const Assembled m = assembled(text);
    const State x = solved(m);
    EXPECT_NEAR(m.output(x, "qdd"), qdd, 1e-9 * std::abs(qdd));
    EXPECT_NEAR(m.output(x, "q"), 5 * pi, 1e-9);
    EXPECT_NEAR(m.output(x, "x"), h * 5 * pi, 1e-9);
    // Along the thread m (g sin(slope) + h q''); the torque of the thread is -h of it.
    EXPECT_NEAR(m.output(x, "fx"), 2 * (0.5 * g + h * qdd), 1e-7);
    EXPECT_NEAR(m.output(x, "mx"), -h * 2 * (0.5 * g + h * qdd), 1e-8);
    // Over many turns.
    const Vector y = after(text, 2.0);
    const double q = 5 * pi + 3 * 2.0 + 0.5 * qdd * 4.0;
    EXPECT_GT(q, 50.0);
    EXPECT_NEAR(y[0], q, 1e-6 * q);
    EXPECT_NEAR(y[2], h * q, 1e-6 * std::abs(h * q));
  }
}

// Slide and turn go their own ways: a helix.
TEST_P(MoreJoints, CylindricalIsAHelix) {
  const std::string text = spatial(R"xml(
    <gravity g="0, 0, -9.81"/>
    <body name="b" mass="2" inertia="0.01, 0.02, 0.03"/>
    <cylindrical name="c" a="ground" b="b" axis="z" q="0.2" qd="5" s="1" sd="0.7" target="exact"/>
    <torque on="b" value="0, 0, 0.06"/>
    <output name="q" of="c" quantity="q" component="q"/>
    <output name="s" of="c" quantity="q" component="s"/>
    <output name="twice" value="2*c.sd/(1 m/s) + c.qd/(1 rad/s)"/>
    <output name="qdd" of="c" quantity="qdd" component="q"/>
    <output name="f" of="c" quantity="reaction" component="fz"/>)xml");
  const Vector y = after(text, 1.5);
  EXPECT_NEAR(y[0], 0.2 + 5 * 1.5 + 0.5 * 2 * 1.5 * 1.5, 1e-7);
  EXPECT_NEAR(y[1], 1 + 0.7 * 1.5 - 0.5 * g * 1.5 * 1.5, 1e-7);
  EXPECT_NEAR(y[2], 2 * (0.7 - g * 1.5) + 5 + 2 * 1.5, 1e-7);
  EXPECT_NEAR(y[3], 2.0, 1e-9);
  EXPECT_NEAR(y[4], 0.0, 1e-8);
}

// Hooke: with the shafts at an angle b and the driving pin turned by q from the normal of their
// plane, w2/w1 = cos b/(1 - sin^2 b sin^2 q): w2 e2 - w1 e1 lies in the plane of the two pins.
TEST_P(MoreJoints, UniversalJointTurnsUnevenly) {
  for (const double q : {0.0, 0.4, 1.1, 2.5}) {
    const Assembled m = assembled(spatial(R"xml(
      <parameter name="angle_at_rest" value="0.5"/>
      <frame name="out" rot="0, 0, angle_at_rest"/>
      <body name="one" mass="1" inertia="0.1, 0.2, 0.2"/>
      <body name="two" mass="1" inertia="0.3, 0.2, 0.2"><frame name="end" pos="1, 0, 0"/></body>
      <revolute name="in" a="ground" b="one" axis="x" q=")xml" +
                                          std::to_string(q) +
                                          R"xml(" qd="3" target="exact"/>
      <universal name="u" a="one" b="two" axis="z" second="y" q1="angle_at_rest"/>
      <in_line name="l" a="out" b="two.end" axis="x"/>
      <output name="w" of="two" quantity="angular_velocity" component="x" in="out"/>
      <output name="wy" of="two" quantity="angular_velocity" component="y" in="out"/>
      <output name="q1" of="u" quantity="q" component="q1"/>
      <output name="q2" of="u" quantity="q" component="q2"/>
      <output name="end" of="two.end" quantity="position" component="y" in="out"/>)xml"));
    const State x = m.start();
    const double b = 0.5, s = std::sin(b) * std::sin(q);
    EXPECT_NEAR(m.output(x, "w"), 3.0 * std::cos(b) / (1 - s * s), 1e-8);
    EXPECT_NEAR(m.output(x, "wy"), 0.0, 1e-8);
    EXPECT_NEAR(m.output(x, "end"), 0.0, 1e-9);
    // Shaft two lies along e2: q1 and q2 from its components in the axes of shaft one.
    const double e[] = {std::cos(b), std::sin(b) * std::cos(q), -std::sin(b) * std::sin(q)};
    const double q1 = m.output(x, "q1"), q2 = m.output(x, "q2");
    EXPECT_NEAR(std::cos(q1) * std::cos(q2), e[0], 1e-9);
    EXPECT_NEAR(std::sin(q1) * std::cos(q2), e[1], 1e-9);
    EXPECT_NEAR(-std::sin(q2), e[2], 1e-9);
  }
}

TEST_P(MoreJoints, PlanarJointMovesAsItsFormulasInSpace) {
  const Assembled m = assembled(spatial(R"xml(
    <gravity g="0, 0, -9.81"/>
    <body name="b" mass="2" inertia="0.3, 0.2, 0.4"/>
    <planar name="p" a="ground" b="b" x="0.3" yd="0.5" q="0.7" qd="2" target="exact"/>
    <force on="b" value="3, 5, 7"/> <torque on="b" value="0.1, 0.2, 0.8"/>
    <output name="x" of="p" quantity="q" component="x"/><output name="q" of="p" quantity="q" component="q"/>
    <output name="yd" of="p" quantity="qd" component="y"/><output name="qd" value="p.qd"/>
    <output name="xdd" of="p" quantity="qdd" component="x"/><output name="ydd" of="p" quantity="qdd" component="y"/>
    <output name="qdd" of="p" quantity="qdd" component="q"/>
    <output name="fz" of="p" quantity="reaction" component="fz"/><output name="fx" of="p" quantity="reaction" component="fx"/>
    <output name="mz" of="p" quantity="reaction" component="mz"/>)xml"));
  const State x = solved(m);
  const std::pair<const char*, double> expected[] = {
      {"x", 0.3},   {"q", 0.7},   {"yd", 0.5},           {"qd", 2.0}, {"xdd", 1.5},
      {"ydd", 2.5}, {"qdd", 2.0}, {"fz", 2.0 * g - 7.0}, {"fx", 0.0}, {"mz", 0.0}};
  for (const auto& [name, value] : expected) EXPECT_NEAR(m.output(x, name), value, 1e-9) << name;
}

// w^2 = g/(L cos t), tension m g/cos t.
TEST_P(MoreJoints, ConicalPendulumTurnsOnARod) {
  const double t = 0.6, w = std::sqrt(g / (2.0 * std::cos(t)));
  const std::string text = spatial(
      "<parameter name=\"t\" value=\"0.6\"/><parameter name=\"w\" value=\"sqrt(9.81/(2*cos(t)))\"/>"
      R"xml(<gravity g="0, 0, -9.81"/>
    <particle name="bob" mass="3"/>
    <free b="bob" pos="2*sin(t), 0, -2*cos(t)" vel="0, 2*sin(t)*w, 0" target="exact"/>
    <rod name="rod" a="ground" b="bob"/>
    <output name="x" of="bob" quantity="position" component="x"/>
    <output name="z" of="bob" quantity="position" component="z"/>
    <output name="pull" of="rod" quantity="reaction" component="norm"/>)xml");
  const Vector y = after(text, 1.7);
  EXPECT_NEAR(y[0], 2 * std::sin(t) * std::cos(w * 1.7), 1e-7);
  EXPECT_NEAR(y[1], -2 * std::cos(t), 1e-8);
  EXPECT_NEAR(y[2], 3 * g / std::cos(t), 1e-6);
}

// A length is kept where it is given, and what is too short to reach is refused.
TEST_P(MoreJoints, RodThatCannotReachIsRefused) {
  const std::string lines = R"xml(
    <body name="arm" mass="1" inertia="0.1"><frame name="tip" pos="1, 0"/></body>
    <revolute name="hinge" a="ground" b="arm" q="0.3"/> <frame name="wall" pos="3, 0"/>
    <rod name="strut" a="wall" b="arm.tip" length=")xml";
  const Assembled fits = assembled(planar(lines + "2.5\"/><output name=\"q\" value=\"hinge.q\"/>"));
  // 1 + 9 - 6 cos q = 6.25
  EXPECT_NEAR(fits.output(fits.start(), "q"), std::acos(3.75 / 6.0), 1e-9);
  for (const char* length : {"4.5", "1.5"}) {
    const Assembled m = assembled(planar(lines + length + "\"/>"));
    State x = m->initial(m.context(), 0.0);
    const InitialReport report = make_consistent(*m, m.context(), x);
    EXPECT_FALSE(report.ok);
    EXPECT_NE(report.message.find("'strut'"), std::string::npos) << report.message;
  }
}

TEST_P(MoreJoints, BeadSlidesDownARamp) {
  const Assembled m = assembled(spatial(R"xml(
    <gravity g="0, 0, -9.81"/>
    <frame name="ramp" rot="0, 0.4, 0"/>
    <particle name="bead" mass="0.5"/>
    <in_plane name="p" a="ramp" b="bead" axis="z"/>
    <output name="along" of="bead" quantity="acceleration" component="x" in="ramp"/>
    <output name="across" of="bead" quantity="acceleration" component="z" in="ramp"/>
    <output name="N" of="p" quantity="reaction" component="norm"/>)xml"));
  const State x = solved(m);
  EXPECT_NEAR(m.output(x, "along"), g * std::sin(0.4), 1e-11);
  EXPECT_NEAR(m.output(x, "across"), 0.0, 1e-11);
  EXPECT_NEAR(m.output(x, "N"), 0.5 * g * std::cos(0.4), 1e-11);
}

// A uniform bar of length L slides down floor and wall: t'' = 3 g sin t/(2 L), t from the wall.
TEST_P(MoreJoints, BarSlidesDownTheWall) {
  const Assembled m = assembled(planar(R"xml(
    <gravity g="0, -9.81"/>
    <body name="bar" mass="3" inertia="3*2^2/12">
      <frame name="foot" pos="1, 0"/><frame name="top" pos="-1, 0"/></body>
    <free b="bar" pos="sin(0.5), cos(0.5)" rot="0.5 - pi/2"/>
    <in_line name="floor" a="ground" b="bar.foot" axis="x"/>
    <in_line name="wall" a="ground" b="bar.top" axis="y"/>
    <output name="t" of="bar" quantity="orientation"/>
    <output name="tdd" of="bar" quantity="angular_acceleration"/>
    <output name="N" of="floor" quantity="reaction" component="fy"/>)xml"));
  const State x = solved(m);
  EXPECT_NEAR(m.output(x, "t"), 0.5 - pi / 2, 1e-9);
  EXPECT_NEAR(m.output(x, "tdd"), 1.5 * g / 2 * std::sin(0.5), 1e-9);
  // m (g + y''), y = cos t: y'' = -sin t t''
  EXPECT_NEAR(m.output(x, "N"), 3 * (g - std::sin(0.5) * 0.75 * g * std::sin(0.5)), 1e-8);
}

TEST_P(MoreJoints, ParallelAxesStayParallel) {
  const Assembled m = assembled(spatial(R"xml(
    <body name="b" mass="2" inertia="0.3, 0.2, 0.4"/>
    <parallel name="p" a="ground" b="b" axis="z"/>
    <force on="b" value="2, 4, 6"/> <torque on="b" value="0.1, 0.2, 0.8"/>
    <output name="ax" of="b" quantity="angular_acceleration" component="x"/>
    <output name="az" of="b" quantity="angular_acceleration" component="z"/>
    <output name="z" of="b" quantity="acceleration" component="z"/>
    <output name="mx" of="p" quantity="reaction" component="mx"/>)xml"));
  const State x = solved(m);
  EXPECT_NEAR(m.output(x, "ax"), 0.0, 1e-12);
  EXPECT_NEAR(m.output(x, "az"), 2.0, 1e-12);
  EXPECT_NEAR(m.output(x, "z"), 3.0, 1e-12);
  EXPECT_NEAR(m.output(x, "mx"), -0.1, 1e-12);
  // A tray on a rod in the plane swings without turning.
  const Assembled n = assembled(planar(R"xml(
    <gravity g="0, -9.81"/> <body name="tray" mass="2" inertia="0.3"/>
    <free b="tray" pos="2*sin(0.4), -2*cos(0.4)"/>
    <rod a="ground" b="tray"/> <parallel name="p" a="ground" b="tray"/>
    <output name="x" of="tray" quantity="acceleration" component="x"/>
    <output name="t" of="tray" quantity="angular_acceleration"/>)xml"));
  const State y = solved(n);
  EXPECT_NEAR(n.output(y, "x"), -g * std::sin(0.4) * std::cos(0.4), 1e-9);
  EXPECT_NEAR(n.output(y, "t"), 0.0, 1e-12);
}

// (J1 + n^2 J2) q1'' = M; and a planetary gear by Willis: w_sun/w_carrier = 1 + z_ring/z_sun.
TEST_P(MoreJoints, GearsKeepTheirRatio) {
  const Assembled m = assembled(planar(R"xml(
    <frame name="there" pos="1, 0"/>
    <body name="one" mass="1" inertia="0.2"/> <body name="two" mass="1" inertia="0.9"/>
    <revolute name="in" a="ground" b="one" q="0.3" qd="4" target="exact"/>
    <revolute name="out" a="there" b="two"/>
    <gear name="stage" a="in" b="out" ratio="-20/60" offset="0.5"/>
    <torque joint="in" value="1.5"/>
    <output name="q" value="out.q"/><output name="qd" value="out.qd"/>
    <output name="a1" of="in" quantity="qdd"/><output name="a2" of="out" quantity="qdd"/>)xml"));
  const State x = solved(m);
  const double a1 = 1.5 / (0.2 + 0.9 / 9);
  EXPECT_NEAR(m.output(x, "q"), 0.5 - 0.1, 1e-10);
  EXPECT_NEAR(m.output(x, "qd"), -4.0 / 3, 1e-10);
  EXPECT_NEAR(m.output(x, "a1"), a1, 1e-10);
  EXPECT_NEAR(m.output(x, "a2"), -a1 / 3, 1e-10);

  const Assembled p = assembled(planar(R"xml(
    <body name="carrier" mass="1" inertia="0.4"><frame name="pin" pos="1, 0"/></body>
    <body name="sun" mass="1" inertia="0.1"/> <body name="planet" mass="1" inertia="0.05"/>
    <revolute name="ring" a="carrier" b="ground"/>
    <revolute name="s" a="carrier" b="sun"/> <revolute name="p" a="carrier.pin" b="planet"/>
    <free name="f" b="sun" omega="8" target="exact"/>
    <gear a="s" b="p" ratio="-24/30"/> <gear a="p" b="ring" ratio="30/84"/>
    <output name="w_sun" of="sun" quantity="angular_velocity"/>
    <output name="w_carrier" of="carrier" quantity="angular_velocity"/>
    <output name="w_planet" of="planet" quantity="angular_velocity" relative_to="carrier"/>)xml"));
  const State y = p.start();
  EXPECT_NEAR(p.output(y, "w_sun"), 8.0, 1e-9);
  EXPECT_NEAR(p.output(y, "w_carrier"), 8.0 / (1 + 84.0 / 24), 1e-9);
  EXPECT_NEAR(p.output(y, "w_planet"), -24.0 / 30 * (8.0 - 8.0 / 4.5), 1e-9);
}

// (J + m r^2) q'' = M
TEST_P(MoreJoints, RackFollowsThePinion) {
  for (const bool in_space : {false, true}) {
    const std::string lines = R"xml(
      <body name="pinion" mass="1" inertia="INERTIA0.3"/> <body name="bar" mass="5"/>
      <revolute name="shaft" a="ground" b="pinion" q="0.7" target="exact"/> <prismatic name="rail" a="ground" b="bar" axis="x"/>
      <rack name="teeth" a="shaft" b="rail" radius="-0.2" offset="0.1"/>
      <torque joint="shaft" value="2"/>
      <output name="q" value="rail.q"/><output name="a" of="rail" quantity="qdd"/>)xml";
    std::string text = lines;
    text.replace(text.find("INERTIA"), 7, in_space ? "0.2, 0.2, " : "");
    const Assembled m = assembled(in_space ? spatial(text) : planar(text));
    State x = m.start();
    m.solve(x);
    EXPECT_NEAR(m.output(x, "a"), -0.2 * 2.0 / (0.3 + 5 * 0.04), 1e-10);
    EXPECT_NEAR(m.output(x, "q"), 0.1 - 0.2 * 0.7, 1e-10);
  }
}

const auto name_of = [](const auto& info) { return std::string(info.param); };
INSTANTIATE_TEST_SUITE_P(Every, MoreJoints, testing::Values("absolute", "joint", "mixed"), name_of);

// In a mirrored subsystem threads become left-handed, slides change their sense, and what is
// published means the same.
TEST(Mirrored, HandedJointsMoveAsTheirImages) {
  const std::string half = R"xml(<mbs name="U" version="1">
      <body name="nut" mass="2" com="0.1, 0.2, 0" inertia="0.1, 0.12, 0.15"/>
      <body name="bolt" mass="1" inertia="0.2, 0.12, 0.15"/><body name="puck" mass="1" inertia="0.2, 0.12, 0.15"/>
      <screw name="s" a="ground" b="nut" axis="1, 2, 3" pitch="0.3" q="0.4" qd="2" target="exact"/>
      <cylindrical name="c" a="ground" b="bolt" axis="1, -1, 2" q="0.2" s="0.5" sd="0.3" qd="1" target="exact"/>
      <planar name="p" a="ground" b="puck" axis="0, 1, 1" along="x" x="0.2" y="0.3" q="0.1" yd="1" qd="2" target="exact"/>
      <force on="nut" value="1, 2, 3"/><force on="bolt" value="1, 2, 3"/><force on="puck" value="1, 2, 3"/>
      <torque on="bolt" value="1, -2, 2"/>
      <output name="a" of="s" quantity="qdd"/><output name="z" of="nut" quantity="position" component="z"/>
      <output name="x" of="nut" quantity="position" component="x"/>
      <output name="cs" of="c" quantity="q" component="s"/><output name="csdd" of="c" quantity="qdd" component="s"/>
      <output name="cqdd" of="c" quantity="qdd" component="q"/><output name="bx" of="bolt" quantity="position" component="x"/>
      <output name="pxdd" of="p" quantity="qdd" component="x"/><output name="pydd" of="p" quantity="qdd" component="y"/>
      <output name="pqd" value="p.qd"/><output name="py" of="puck" quantity="position" component="y"/></mbs></use>)xml";
  const Assembled m(spatial("<use name=\"l\">" + half + "<use name=\"r\" mirror=\"x\">" + half));
  State x = m.start();
  m.solve(x);
  for (const std::string name :
       {"a", "z", "x", "cs", "csdd", "cqdd", "bx", "pxdd", "pydd", "pqd", "py"}) {
    const double left = m.output(x, "l." + name);
    EXPECT_NEAR(m.output(x, "r." + name), left, 1e-9 * (1 + std::abs(left))) << name;
    EXPECT_GT(std::abs(left), 1e-3) << name;
  }
}

// Off the constraints, in every choice of coordinates.
TEST(MoreJointsDerivatives, AreExact) {
  const std::string lines = R"xml(
    <gravity g="0.3, -0.2, -9.81"/> <frame name="nail" pos="0.3, -0.2, 0.1" rot="0.4, -0.3, 0.8"/>
    <body name="a" mass="1.5" com="0.1, 0.2, -0.1" inertia="0.7, 0.8, 0.9, 0.02, -0.03, 0.04">
      <frame name="f" pos="0.5, -0.3, 0.2" rot="0.7, 0.2, -0.5"/></body>
    <body name="b" mass="0.5" com="-0.2, 0.3, 0.4" inertia="0.2, 0.3, 0.25"><frame name="f" pos="-0.4, 0.6, -0.7"/></body>
    <particle name="dot" mass="0.3"/>)xml";
  const std::string cases[] = {
      R"xml(<cylindrical name="j" a="a.f" b="b.f" axis="1, 2, -1" damping="0.3" axial_damping="0.2"/>
            <torque on="a" value="j.q*(1 N.m/rad), j.sd*(1 N.s), 0"/>)xml",
      R"xml(<planar name="j" a="nail" b="b.f" axis="1, 2, -1" along="2, -1, 0" damping="0.3" angular_damping="0.2"/>
            <torque on="a" value="j.q*(1 N.m/rad), j.yd*(1 N.s), j.x*(2 N)"/>)xml",
      R"xml(<universal name="j" a="a.f" b="b.f" axis="1, 2, -1" second="2, -1, 0" damping="0.3"/>
            <torque on="a" value="j.q1*(1 N.m/rad), j.q2*(2 N.m/rad), j.q2d*(1 N.m.s/rad)"/>)xml",
      R"xml(<screw name="j" a="a.f" b="b.f" axis="1, 2, -1" pitch="0.7" damping="0.3"/>)xml",
      R"xml(<in_line a="a.f" b="dot" axis="1, 2, -1"/><in_plane a="nail" b="b.f" axis="0, 1, 1"/>)xml",
      R"xml(<parallel a="a.f" b="b.f" axis="1, 2, -1"/><rod a="a.f" b="b.f" length="0.7"/><rod a="nail" b="dot"/>)xml",
      R"xml(<revolute name="r" a="nail" b="a.f" axis="1, 1, 0"/><revolute name="s" a="a" b="b.f" axis="y"/>
            <gear a="r" b="s" ratio="-2.5" offset="0.3"/>)xml",
      R"xml(<revolute name="r" a="nail" b="a.f" axis="1, 1, 0"/><prismatic name="s" a="a" b="b.f" axis="y"/>
            <rack a="r" b="s" radius="-0.4" offset="0.3"/>)xml"};
  for (const std::string& joints : cases) {
    for (const char* coordinates : {"absolute", "joint", "mixed"}) {
      SCOPED_TRACE(joints + coordinates);
      const Assembled m(spatial(lines + joints), coordinates);
      for (int seed = 1; seed <= 2; ++seed) expect_exact_derivatives(m, random_state(*m, seed));
    }
  }
  const std::string plane =
      R"xml(<gravity g="0.4, -9.81"/><frame name="nail" pos="0.3, -0.2" rot="0.4"/>
    <body name="a" mass="1.5" com="0.1, 0.2" inertia="0.7"><frame name="f" pos="0.5, -0.3" rot="0.7"/></body>
    <body name="b" mass="0.5" com="-0.2, 0.3" inertia="0.2"><frame name="f" pos="-0.4, 0.6"/></body>
    <in_line a="a.f" b="b.f" axis="1, 2"/><parallel a="nail" b="a.f"/><rod a="a" b="b" length="0.7"/><rod a="nail" b="b"/>)xml";
  for (const char* coordinates : {"absolute", "joint", "mixed"}) {
    const Assembled m(planar(plane), coordinates);
    for (int seed = 1; seed <= 2; ++seed) expect_exact_derivatives(m, random_state(*m, seed));
  }
}

// Errors name the place and the element.
TEST(MoreJointsRefused, GiveTheReasonAtAssembly) {
  const std::string two = R"xml(<body name="a" mass="1" inertia="1, 1, 1"/>
<body name="b" mass="1" inertia="1, 1, 1"/><particle name="dot" mass="1"/>
<revolute name="r" a="ground" b="a"/><revolute name="s" a="ground" b="b"/><prismatic name="p" a="ground" b="b" axis="x"/>
<parameter name="zero" value="0"/>
)xml";
  const std::pair<std::string, std::string> cases[] = {
      {R"(<universal name="u" a="a" b="b" axis="x" second="-x"/>)",
       "the two axes of universal 'u' are parallel"},
      {R"(<universal name="u" a="a" b="b" axis="x" second="1, 1, 0"/>)",
       "the two axes of universal 'u' are not perpendicular"},
      {R"(<planar name="f" a="a" b="b" axis="x"/>)", "the two axes of planar 'f' are parallel"},
      {R"(<screw name="w" a="a" b="b" pitch="0"/>)", "pitch of screw 'w' is zero"},
      {R"(<screw name="w" a="a" b="b" pitch="1 m*zero"/>)", "pitch of screw 'w' is zero"},
      {R"(<gear name="g" a="r" b="s" ratio="0"/>)", "ratio of gear 'g' is zero"},
      {R"(<gear name="g" a="r" b="s" ratio="2*zero"/>)", "ratio of gear 'g' is zero"},
      {R"(<gear name="g" a="r" b="r" ratio="2"/>)", "gear 'g' has both sides on one joint"},
      {R"(<rack name="k" a="r" b="p" radius="0"/>)", "radius of rack 'k' is zero"},
      {R"(<cylindrical name="c" a="dot" b="b"/>)",
       "cylindrical 'c' acts on an orientation, and particle 'dot' has none"},
      {R"(<universal name="u" a="a" b="dot"/>)",
       "universal 'u' acts on an orientation, and particle 'dot' has none"},
      {R"(<screw name="w" a="a" b="dot" pitch="1 mm"/>)",
       "screw 'w' acts on an orientation, and particle 'dot' has none"},
      {R"(<parallel name="l" a="a" b="dot"/>)",
       "parallel 'l' acts on an orientation, and particle 'dot' has none"},
      {R"(<in_line name="l" a="dot" b="b" axis="x"/>)",
       "in_line 'l' acts on an orientation, and particle 'dot' has none"},
      {R"(<in_plane name="l" a="dot" b="b" axis="x"/>)",
       "in_plane 'l' acts on an orientation, and particle 'dot' has none"},
      {R"(<rod name="l" a="a" b="a" length="1"/>)", "rod 'l' has both sides on body 'a'"},
      {R"(<cylindrical name="c" a="a" b="b"/><output name="o" of="g" quantity="reaction" component="fx"/>
<gear name="g" a="r" b="s" ratio="2"/>)",
       "gear 'g' has no frame at which a reaction could act"},
  };
  for (const auto& [lines, message] : cases) {
    const std::string text = errors_of(spatial(two + lines));
    EXPECT_NE(text.find(message), std::string::npos) << lines << "\n" << text;
    EXPECT_NE(text.find("test.mbs.xml:"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace mbs::test
