// Every force element, in the plane and in space, at random points: exact Jacobian blocks, those of
// own states too, against differences; and conservative ones keep the energy.

#include <gtest/gtest.h>

#include "tests/multibody/assembled.hpp"

namespace mbs::test {
namespace {

const std::string plane_bodies = R"xml(
  <parameter name="c" value="1.3"/>
  <input name="u"/>
  <curve name="bump" x_unit="m" y_unit="N" interpolation="spline" points="-3 -4; -1 -1; 0 0; 0.7 1; 3 9"/>
  <frame name="nail" pos="0.3, -0.2" rot="0.4"/>
  <frame name="road" pos="0.1, -0.3" rot="0.2"/>
  <body name="a" mass="1.5" com="0.1, 0.2" inertia="0.7"><frame name="f" pos="0.5, -0.3" rot="0.7"/></body>
  <body name="b" mass="0.5*c" com="-0.2, 0.3" inertia="0.2"><frame name="f" pos="-0.4, 0.6"/></body>
  <body name="d" mass="0.4" com="0.1, 0" inertia="0.3"/>
  <particle name="dot" mass="0.3"/>
)xml";

const std::string space_bodies = R"xml(
  <parameter name="c" value="1.3"/>
  <input name="u"/>
  <curve name="bump" x_unit="m" y_unit="N" interpolation="spline" points="-3 -4; -1 -1; 0 0; 0.7 1; 3 9"/>
  <frame name="nail" pos="0.3, -0.2, 0.1" rot="0.4, -0.3, 0.8"/>
  <frame name="road" pos="0.1, 0.2, -0.3" rot="0.1, 0.2, -0.1"/>
  <body name="a" mass="1.5" com="0.1, 0.2, -0.1" inertia="0.7, 0.8, 0.9, 0.02, -0.03, 0.04">
    <frame name="f" pos="0.5, -0.3, 0.2" rot="0.7, 0.2, -0.5"/></body>
  <body name="b" mass="0.5*c" com="-0.2, 0.3, 0.4" inertia="0.2, 0.3, 0.25">
    <frame name="f" pos="-0.4, 0.6, -0.7"/></body>
  <body name="d" mass="0.4" com="0.1, 0, 0" inertia="0.3, 0.3, 0.3"/>
  <particle name="dot" mass="0.3"/>
)xml";

struct Case {
  std::string name, lines;
  bool in_space = false;
  bool conservative = false;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

class ForceDerivatives : public testing::TestWithParam<Case> {};

TEST_P(ForceDerivatives, AreExact) {
  const Case& c = GetParam();
  const Assembled model(c.in_space ? spatial(space_bodies + c.lines)
                                   : planar(plane_bodies + c.lines));
  for (int seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    expect_exact_derivatives(model, random_state(*model, seed));
    expect_exact_friction(model, random_state(*model, seed));
  }
}

// d(kinetic + potential)/dt = 0 along p' = Z v, v' = a, by central differences.
TEST_P(ForceDerivatives, ConservativeOnesKeepTheEnergy) {
  const Case& c = GetParam();
  if (!c.conservative) GTEST_SKIP() << "not conservative";
  const Assembled m(c.in_space ? spatial(space_bodies + c.lines) : planar(plane_bodies + c.lines));
  for (int seed = 1; seed <= 3; ++seed) {
    State x = random_state(*m, seed);
    ASSERT_EQ(m->sizes().lambda, 0);
    m.solve(x);
    m->position(m.context(), x, want_position_all, *m.ws);
    m->velocity(m.context(), x, *m.ws);
    const Vector p_dot = m.ws->p_dot;
    const auto energy = [&](double h, double& size) {
      State moved = x;
      moved.p += h * p_dot;
      moved.v += h * x.a;
      m->normalise(moved);
      const auto [kinetic, potential] = m->energy(m.context(), moved, *m.ws);
      size = std::abs(kinetic) + std::abs(potential);
      return kinetic + potential;
    };
    constexpr double h = 1e-4;
    double size = 0.0;
    const double rate = (energy(h, size) - energy(-h, size)) / (2 * h);
    EXPECT_NEAR(rate, 0.0, 1e-7 * (1.0 + size));
    EXPECT_GT(std::abs(m->energy(m.context(), x, *m.ws).potential), 1e-3);
  }
}

const std::string cylinder =
    R"xml(<hydraulic_cylinder name="h" a="a.f" b="b.f" area_a="1.1" area_b="0.8" length="0.2"
      stroke="9" dead_volume="0.7" bulk_modulus="1.9" supply="3" tank="-3" valve_flow="0.9"
      valve_drop="1.3" laminar="0.4" leakage="0.3" damping="0.2" )xml";
const std::string tyre = R"xml(<tyre name="t" wheel="a.f" road="road" radius="9" stiffness="2"
      damping="0.02" slip_stiffness="7" friction="0.8" relaxation_x="0.6" )xml";

const Case plane_cases[] = {
    {"cable",
     R"xml(<spring a="a.f" b="b.f" stiffness="3" damping="0.1" preload="4" length="0.2" tension_only="true"/>)xml"},
    {"cable_elastic",
     R"xml(<spring a="a.f" b="b.f" stiffness="3" preload="4" length="0.2" tension_only="true"/>)xml",
     false, true},
    {"cable_slack",
     R"xml(<spring a="a.f" b="b.f" stiffness="3" damping="1" length="9" tension_only="true"/>
       <spring a="a.f" b="dot" stiffness="3" preload="1" length="0.1"/>)xml"},
    {"cable_limited",
     R"xml(<spring a="a.f" b="b.f" stiffness="3" damping="90" preload="1" length="0.1" tension_only="true"/>)xml"},
    {"cable_law",
     R"xml(<spring a="a.f" b="b.f" law="bump(x)*c + u*(4 N) + 5 N" length="0.2" tension_only="true"/>)xml"},
    {"curve_law", R"xml(<measure name="m" of="b" quantity="position" component="x"/>
       <spring a="a.f" b="b.f" length="0.2" law="bump(2*x - m) + bump(u*(1 m))*xd/(1 m/s)"/>)xml"},
    {"torsion_spring",
     R"xml(<revolute name="r" a="a.f" b="b.f"/><revolute name="s" a="nail" b="a" axis="-z"/>
       <torsion_spring joint="r" stiffness="3" angle="0.2" damping="0.4" preload="0.3"/>
       <torsion_spring joint="s" law="(2 N.m/rad^3)*x^3 + (0.3 N.m.s/rad)*xd*(1 + u)"/>
       <torsion_damper joint="r" damping="0.7"/><torsion_damper joint="s" law="(0.2 N.m.s^3/rad^3)*xd^3"/>)xml"},
    {"bushing", R"xml(<bushing a="a.f" b="b.f" stiffness="3, 4" damping="0.2, 0.5"
       rotational_stiffness="2" rotational_damping="0.6"/>)xml"},
    {"bushing_elastic",
     R"xml(<bushing a="a.f" b="b.f" stiffness="3, 4" rotational_stiffness="2"/>)xml", false, true},
    {"bushing_nail",
     R"xml(<bushing a="nail" b="b.f" stiffness="3, 4" damping="0.2" rotational_stiffness="2"/>)xml"},
    {"bushing_particle", R"xml(<bushing a="dot" b="b.f" stiffness="3" damping="0.2"/>)xml"},
    {"belt", R"xml(<revolute name="r" a="a.f" b="b.f"/><revolute name="s" a="a" b="d" axis="-z"/>
       <belt a="r" b="s" radius_a="0.3" radius_b="0.5" stiffness="2" damping="0.1" preload="6"/>
       <belt a="s" b="r" radius_a="0.2" radius_b="0.5" stiffness="2" damping="0.1" preload="9" rest="0.1" crossed="true"/>)xml"},
    {"drag", R"xml(<drag on="a.f" area="0.4" cd="1.1" flow="u*(1 m/s), 0.3*m" in="b.f"/>
       <measure name="m" of="b" quantity="velocity" component="x"/><drag on="dot" area="0.4" cd="1.1"/>)xml"},
    {"actuator",
     R"xml(<revolute name="r" a="a.f" b="b.f"/><prismatic name="p" a="nail" b="a" axis="x"/>
       <torque name="T" joint="r" value="u*(2 N.m) - r.qd*(0.3 N.m.s/rad)" lag="0.3"/>
       <force name="F" joint="p" value="T.effort*(1/(1 m)) - p.q*(0.3 N/m)" lag="0.2" limit="8"/>
       <force joint="p" value="F.effort*(0.1/(1 N))*(1 N)" limit="7"/>)xml"},
    {"dc_motor",
     R"xml(<revolute name="r" a="a.f" b="b.f"/><revolute name="s" a="nail" b="a" axis="-z"/>
       <dc_motor name="m" joint="r" voltage="u*(2 V) - s.q*(1 V/rad)" resistance="0.7" inductance="0.3" constant="0.4" ratio="3"/>
       <dc_motor name="n" joint="s" voltage="m.current*(1 Ohm)" resistance="0.7" constant="0.4"/>)xml"},
    {"hydraulic_cylinder", cylinder + R"xml(command="0.6 + 0.1*u"/>)xml"},
    {"hydraulic_back", cylinder + R"xml(command="-0.6 + 0.1*h.pressure_a/(1 Pa)"/>)xml"},
    {"hydraulic_lag", cylinder + R"xml(command="u + 0.2" valve_lag="0.4"/>)xml"},
    {"tyre", tyre + "/>"},
    {"tyre_moving_road",
     R"xml(<tyre name="t" wheel="a.f" road="b.f" radius="9" stiffness="2" damping="0.02"
       slip_stiffness="7" friction="0.8" relaxation_x="0.6"/>)xml"},
    {"wheel_rail", R"xml(<wheel_rail wheel="a.f" rail="b.f" radius="9" stiffness="2" damping="0.02"
       creep_x="4" low_speed="0.4"/>)xml"},
    {"wheel_rail_saturated",
     R"xml(<wheel_rail wheel="a.f" rail="road" radius="9" stiffness="2" creep_x="400" low_speed="0.4"/>)xml"},
};

std::vector<Case> space_cases() {
  std::vector<Case> cases;
  const std::string replaced[][2] = {
      {"axis=\"x\"", "axis=\"1, 2, -1\""},
      {"axis=\"-z\"", "axis=\"1, 0.3, -1\""},
      {"stiffness=\"3, 4\"", "stiffness=\"3, 4, 5\""},
      {"damping=\"0.2, 0.5\"", "damping=\"0.2, 0.5, 0.1\""},
      {"rotational_stiffness=\"2\"", "rotational_stiffness=\"2, 3, 4\""},
      {"flow=\"u*(1 m/s), 0.3*m\"", "flow=\"u*(1 m/s), 0.3*m, 1\""}};
  for (Case c : plane_cases) {
    for (const auto& [from, to] : replaced) {
      for (std::size_t at = 0; (at = c.lines.find(from, at)) != std::string::npos; at += to.size())
        c.lines.replace(at, from.size(), to);
    }
    if (c.name.starts_with("tyre")) {
      c.lines.insert(c.lines.find("/>"),
                     R"xml( axis="0.1, 1, 0.2" cornering_stiffness="5" relaxation_y="0.4")xml");
    }
    if (c.name.starts_with("wheel_rail")) {
      c.lines.insert(c.lines.find("/>"), R"xml( cone="0.01, 0.2, 0" creep_y="3")xml");
    }
    c.in_space = true;
    cases.push_back(c);
  }
  return cases;
}

const auto name_of = [](const auto& info) { return info.param.name; };
INSTANTIATE_TEST_SUITE_P(Plane, ForceDerivatives, testing::ValuesIn(plane_cases), name_of);
INSTANTIATE_TEST_SUITE_P(Space, ForceDerivatives, testing::ValuesIn(space_cases()), name_of);

}  // namespace
}  // namespace mbs::test
