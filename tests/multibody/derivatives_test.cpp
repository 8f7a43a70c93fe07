// Every element, in the plane and in space: exact Jacobian blocks against differences at random
// points that satisfy no constraint, G = g_p Z, gamma.

#include <gtest/gtest.h>

#include "tests/multibody/assembled.hpp"

namespace mbs::test {
namespace {

const std::string plane_bodies = R"xml(
  <parameter name="c" value="1.3"/>
  <input name="u"/>
  <gravity g="0.4, -9.81"/>
  <frame name="nail" pos="0.3, -0.2" rot="0.4"/>
  <body name="a" mass="1.5" com="0.1, 0.2" inertia="0.7"><frame name="f" pos="0.5, -0.3" rot="0.7"/></body>
  <body name="b" mass="0.5*c" com="-0.2, 0.3" inertia="0.2"><frame name="f" pos="-0.4, 0.6"/></body>
  <particle name="dot" mass="0.3"/>
)xml";

const std::string space_bodies = R"xml(
  <parameter name="c" value="1.3"/>
  <input name="u"/>
  <gravity g="0.4, -0.3, -9.81"/>
  <frame name="nail" pos="0.3, -0.2, 0.1" rot="0.4, -0.3, 0.8"/>
  <body name="a" mass="1.5" com="0.1, 0.2, -0.1" inertia="0.7, 0.8, 0.9, 0.02, -0.03, 0.04">
    <frame name="f" pos="0.5, -0.3, 0.2" rot="0.7, 0.2, -0.5"/></body>
  <body name="b" mass="0.5*c" com="-0.2, 0.3, 0.4" inertia="0.2, 0.3, 0.25">
    <frame name="f" pos="-0.4, 0.6, -0.7"/></body>
  <particle name="dot" mass="0.3"/>
)xml";

struct Case {
  std::string name, lines;
  bool in_space;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

class Derivatives : public testing::TestWithParam<Case> {};

TEST_P(Derivatives, AreExact) {
  const Case& c = GetParam();
  const Assembled model(c.in_space ? spatial(space_bodies + c.lines)
                                   : planar(plane_bodies + c.lines));
  for (int seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    expect_exact_derivatives(model, random_state(*model, seed));
    expect_exact_friction(model, random_state(*model, seed));
  }
}

const Case plane_cases[] = {
    {"free", R"xml(<free b="a"/>)xml", false},
    {"revolute", R"xml(<revolute a="a.f" b="b.f" damping="0.3" stiffness="2" rest="0.1"/>)xml",
     false},
    {"knife_edge", R"xml(<knife_edge a="nail" b="a.f" across="0.3, 0.8"/>
      <knife_edge a="a.f" b="b.f"/>)xml",
     false},
    {"rolling", R"xml(<rolling a="nail" b="a.f" normal="0.5, 0.7" radius="0.3*c"/>
      <rolling a="a.f" b="b" normal="-x" radius="0.4" touches="false"/>)xml",
     false},
    {"point_on_curve",
     R"xml(<point_on_curve a="nail" b="a.f" x="1.2*s*1 m" y="0.2*sin(c*s)*1 m" distance="0.1"/>
      <point_on_curve a="a.f" b="dot" x="s*1 m + 0.1*s^2*1 m" y="0.1*exp(s)*1 m + 0.2*s^3*1 m"/>)xml",
     false},
    {"drive",
     R"xml(<input name="um" unit="m"/><curve name="y" interpolation="spline" points="-1 0; 0.2 1; 1 -1; 2 3"/>
      <revolute name="r" a="a.f" b="b.f" axis="-z"/><prismatic name="p" a="nail" b="a" axis="1, 0.5"/>
      <revolute name="t" a="nail" b="b.f"/>
      <drive joint="r" q="c*sin(time*3 rad/s) + y(time/(1 s))"/>
      <drive joint="p" input="um" lag="0.7 s"/><drive joint="t" input="u" lag="0"/>)xml",
     false},
    {"revolute_back", R"xml(<revolute a="b.f" b="nail" axis="-z" damping="0.3" stiffness="2"/>)xml",
     false},
    {"revolute_particle", R"xml(<revolute a="a.f" b="dot"/>)xml", false},
    {"prismatic",
     R"xml(<prismatic a="a.f" b="b.f" axis="0.6, 0.9" damping="0.3" stiffness="2"/>)xml", false},
    {"prismatic_nail",
     R"xml(<prismatic a="nail" b="b.f" axis="-y" damping="0.3" stiffness="2"/>)xml", false},
    {"weld", R"xml(<weld a="b.f" b="a.f"/>)xml", false},
    {"spring",
     R"xml(<spring a="a.f" b="b.f" stiffness="3" length="0.2" damping="0.4" preload="0.5"/>)xml",
     false},
    {"spring_start", R"xml(<spring a="a.f" b="dot" stiffness="3"/>)xml", false},
    {"spring_law", R"xml(<algebraic name="w" start="1" residual="w + 0.1*w^3 - u*m/(1 m/s)"/>
       <measure name="m" of="b" quantity="velocity" component="norm"/>
       <spring a="a.f" b="b.f" length="0.2" law="(3 + w)*(1 N/m)*x + (1 N.s/m^4)*x^3*xd + u*time*m*(1 N/m)"/>)xml",
     false},
    {"damper", R"xml(<damper a="a.f" b="b.f" damping="1.2"/>)xml", false},
    {"damper_law", R"xml(<damper a="a.f" b="nail" law="2 N.s/m * xd + 0.1 N.s^3/m^3 * xd^3"/>)xml",
     false},
    {"force",
     R"xml(<measure name="m" of="b.f" quantity="position" component="x" in="a.f" relative_to="nail"/>
       <force on="b.f" in="a.f" reaction_on="a" value="(2 + u)*(1 N), m*(3 N/m)"/>)xml",
     false},
    {"torque", R"xml(<measure name="w" of="b" quantity="angular_velocity" relative_to="a"/>
       <measure name="o" of="b" quantity="orientation" relative_to="a"/>
       <torque on="b" reaction_on="a" value="-c*w*(1 N.m.s/rad) - sin(o)*(2 N.m)"/>)xml",
     false},
    {"on_joint",
     R"xml(<revolute name="r" a="a.f" b="b.f"/><prismatic name="p" a="nail" b="a" axis="x"/>
       <state name="s" start="0" der="(u - s)/(1 s) + r.q*p.qd/(1 m.rad)"/>
       <torque joint="r" value="s*p.q*(1 N) - r.qd*r.q*(1 N.m.s/rad^2)"/><force joint="p" value="u*r.qd*(1 N.s/rad) + c*p.q*(1 N/m)"/>)xml",
     false},
    {"reaction",
     R"xml(<measure name="N" of="r" quantity="reaction" component="norm"/>
       <measure name="fx" of="p" quantity="reaction" component="fx" in="b.f"/>
       <measure name="m" of="p" quantity="reaction" component="m"/>
       <revolute name="r" a="a.f" b="b.f"/><prismatic name="p" a="nail" b="a" axis="0.6, 0.9"/>
       <force on="b.f" in="a.f" reaction_on="a" value="-0.3*N*sin(u), 0.2*fx*abs(fx)*(1/(1 N))"/>
       <torque joint="r" value="m*r.q*(0.4/(1 rad)) + fx*(0.1 m)"/>)xml",
     false},
    {"reaction_states",
     R"xml(<measure name="fy" of="r" quantity="reaction" component="fy"/>
       <revolute name="r" a="a.f" b="b.f"/>
       <state name="s" start="0" der="(fy/(1 N) - s)/(1 s)"/>
       <algebraic name="w" start="1" residual="w + 0.1*w^3 - fy/(1 N) + u"/>
       <algebraic name="k" start="1" residual="2*k - w"/>
       <spring a="a.f" b="nail" length="0.2" law="3 N/m*x + k*(1 N) + fy*x*(0.2/(1 m))"/>)xml",
     false},
    {"reaction_weld",
     R"xml(<measure name="m" of="w" quantity="reaction" component="m"/><weld name="w" a="nail" b="a"/>
       <torque on="b" reaction_on="a" value="-0.2*m"/>)xml",
     false},
    {"coupling",
     R"xml(<revolute name="r" a="a.f" b="b.f"/><prismatic name="p" a="nail" b="a" axis="0.6, 0.9"/>
       <coupling relation="2*c*p.q - (r.q - 0.3)*(0.4 m)/c + 0.1 m"/>)xml",
     false},
    {"coupling_free",
     R"xml(<coupling relation="0.7*f.x - 2*f.y + r.q*(0.4 m)"/><free name="f" b="a"/>
       <revolute name="r" a="a.f" b="b.f" axis="-z"/>)xml",
     false},
};

const Case space_cases[] = {
    {"knife_edge", R"xml(<knife_edge a="nail" b="a.f" across="0.3, 0.8, -0.4"/>
      <knife_edge a="a.f" b="b.f"/>)xml",
     true},
    {"rolling_ball", R"xml(<rolling a="nail" b="a.f" normal="0.5, 0.7, 0.1" radius="0.3*c"/>
      <rolling a="a.f" b="b" normal="-x" radius="0.4" across="false"/>)xml",
     true},
    {"rolling_disc",
     R"xml(<rolling a="nail" b="a.f" normal="0.5, 0.7, 0.1" axis="1, 0.2, 0.3" radius="0.3*c"/>
      <rolling a="a.f" b="b.f" normal="-x" axis="y" radius="0.4" touches="false"/>)xml",
     true},
    {"point_on_surface", R"xml(<point_on_surface a="nail" b="a.f" distance="0.1"
        x="(s1 + 0.2*s2)*1 m" y="s2*1 m + 0.1*s1^2*1 m" z="0.1*sin(c*s1)*cos(s2)*1 m + 0.05*s1*s2^2*1 m"/>
      <point_on_surface a="a.f" b="dot" x="s1*1 m" y="s2*1 m" z="(0.1*s1^2 + 0.2*s1*s2)*1 m"/>)xml",
     true},
    {"drive",
     R"xml(<input name="um" unit="m"/><curve name="y" interpolation="spline" points="-1 0; 0.2 1; 1 -1; 2 3"/>
      <revolute name="r" a="a.f" b="b.f" axis="1, 2, 3"/><prismatic name="p" a="nail" b="a" axis="1, 0.5, 2"/>
      <revolute name="t" a="nail" b="b.f" axis="y"/>
      <drive joint="r" q="c*sin(time*3 rad/s) + y(time/(1 s))"/>
      <drive joint="p" input="um" lag="0.7 s"/><drive joint="t" input="u" lag="0"/>)xml",
     true},
    {"free", R"xml(<free b="a"/>)xml", true},
    {"revolute",
     R"xml(<revolute a="a.f" b="b.f" axis="1, 2, -1" damping="0.3" stiffness="2" rest="0.1"/>)xml",
     true},
    {"revolute_back", R"xml(<revolute a="b.f" b="nail" axis="-z" damping="0.3"/>)xml", true},
    {"prismatic",
     R"xml(<prismatic a="a.f" b="b.f" axis="0.6, 0.9, 0.2" damping="0.3" stiffness="2"/>)xml",
     true},
    {"weld", R"xml(<weld a="b.f" b="a.f"/>)xml", true},
    {"spherical", R"xml(<spherical a="b.f" b="a.f"/>)xml", true},
    {"spherical_particle", R"xml(<spherical a="dot" b="a.f"/>)xml", true},
    {"spring",
     R"xml(<spring a="a.f" b="b.f" stiffness="3" length="0.2" damping="0.4" preload="0.5"/>)xml",
     true},
    {"spring_law", R"xml(<measure name="m" of="b" quantity="velocity" component="norm"/>
       <spring a="a.f" b="b.f" length="0.2" law="3 N/m * x + (1 N.s/m^4)*x^3*xd + u*time*m*(1 N/m)"/>)xml",
     true},
    {"damper", R"xml(<damper a="a.f" b="dot" damping="1.2"/>)xml", true},
    {"force",
     R"xml(<measure name="m" of="b.f" quantity="velocity" component="z" in="a.f" relative_to="b"/>
       <measure name="n" of="b.f" quantity="velocity" component="z" in="nail" relative_to="a.f"/>
       <force on="b.f" in="a.f" reaction_on="a" value="(2 + u)*(1 N), m*(3 N.s/m), n*(1 N.s/m)"/>)xml",
     true},
    {"torque",
     R"xml(<measure name="w" of="b" quantity="angular_velocity" component="y" in="b" relative_to="a"/>
       <measure name="o" of="b" quantity="orientation" component="12" relative_to="a"/>
       <measure name="rx" of="b" quantity="orientation" component="rx" relative_to="a"/>
       <measure name="ry" of="b" quantity="orientation" component="ry" relative_to="nail"/>
       <measure name="rz" of="b" quantity="orientation" component="rz" relative_to="a"/>
       <torque on="b" in="a.f" reaction_on="a" value="-c*w*(1 N.m.s/rad) + rx*(1 N.m/rad), ry*rz*(1 N.m/rad^2), o*(1 N.m)"/>)xml",
     true},
    {"on_joint", R"xml(<revolute name="r" a="a.f" b="b.f" axis="y"/>
       <prismatic name="p" a="nail" b="a" axis="x"/>
       <state name="s" start="0" der="(u - s)/(1 s) + r.q*p.qd/(1 m.rad)"/>
       <torque joint="r" value="s*p.q*(1 N) - r.qd*r.q*(1 N.m.s/rad^2)"/><force joint="p" value="u*r.qd*(1 N.s/rad) + c*p.q*(1 N/m)"/>)xml",
     true},
    {"reaction",
     R"xml(<measure name="N" of="r" quantity="reaction" component="norm"/>
       <measure name="M" of="p" quantity="reaction" component="mnorm"/>
       <measure name="fx" of="p" quantity="reaction" component="fx" in="b.f"/>
       <measure name="my" of="r" quantity="reaction" component="my"/>
       <revolute name="r" a="a.f" b="b.f" axis="1, 2, -1"/>
       <prismatic name="p" a="nail" b="a" axis="0.6, 0.9, 0.2"/>
       <force on="b.f" in="a.f" reaction_on="a" value="-0.3*N*sin(u), 0.2*fx*abs(fx)*(1/(1 N)), M/(5 m)"/>
       <torque joint="r" value="my*r.q*(0.4/(1 rad)) + fx*(0.1 m)"/>)xml",
     true},
    {"reaction_states",
     R"xml(<measure name="fy" of="r" quantity="reaction" component="fy"/>
       <spherical name="r" a="a.f" b="b.f"/>
       <state name="s" start="0" der="(fy/(1 N) - s)/(1 s)"/>
       <algebraic name="w" start="1" residual="w + 0.1*w^3 - fy/(1 N) + u"/>
       <spring a="a.f" b="nail" length="0.2" law="3 N/m*x + w*(1 N) + fy*x*(0.2/(1 m))"/>)xml",
     true},
    {"coupling", R"xml(<revolute name="r" a="a.f" b="b.f" axis="1, 2, -1"/>
       <prismatic name="p" a="nail" b="a" axis="0.6, 0.9, 0.2"/><free name="f" a="a" b="b"/>
       <coupling relation="2*c*p.q - (r.q - 0.3)*(0.4 m)/c + 0.1 m - 0.3*f.y"/>)xml",
     true},
};

const auto name_of = [](const auto& info) { return info.param.name; };
INSTANTIATE_TEST_SUITE_P(Plane, Derivatives, testing::ValuesIn(plane_cases), name_of);
INSTANTIATE_TEST_SUITE_P(Space, Derivatives, testing::ValuesIn(space_cases), name_of);

// Norms have a tip at rest: central differences see the mean of all slopes there, which is 0.
TEST(AtRest, NormsHaveNoSlope) {
  const std::string law = R"xml(
    <measure name="v" of="b" quantity="velocity" component="norm"/>
    <measure name="w" of="b" quantity="angular_velocity" AXIS relative_to="a"/>
    <measure name="vx" of="b.f" quantity="velocity" component="x"/>
    <measure name="vy" of="b.f" quantity="velocity" component="y"/>
    <revolute a="ground" b="a"/>
    <spring a="a.f" b="b.f" length="0.2" law="v*(2 N.s/m) + w*(3 N.s/rad) + sqrt(vx^2 + vy^2)*(1 N.s/m) + x*(1 N/m)"/>)xml";
  for (const bool in_space : {false, true}) {
    std::string lines = law;
    lines.replace(lines.find("AXIS"), 4, in_space ? "component=\"norm\"" : "");
    const Assembled model(in_space ? spatial(space_bodies + lines) : planar(plane_bodies + lines));
    State x = random_state(*model, 4);
    x.v.setZero();
    expect_exact_derivatives(model, x);
  }
}

// Euler parameters off their norm: G = g_p Z and the Jacobian hold there too.
TEST(OffNorm, DerivativesStayExact) {
  const Assembled model(
      spatial(space_bodies + R"xml(<revolute a="a.f" b="b.f" axis="1, 2, -1"/>)xml"));
  State x = random_state(*model, 5);
  x.p *= 1.1;
  expect_exact_derivatives(model, x);
}

}  // namespace
}  // namespace mbs::test
