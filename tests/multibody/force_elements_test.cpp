// Force elements against closed forms, most of them written down by hand for one state.

#include <gtest/gtest.h>
#include <Eigen/Dense>

#include <cmath>
#include <numbers>

#include "tests/multibody/assembled.hpp"

namespace mbs::test {
namespace {

State solved(const Assembled& m) {
  State x = m.start();
  m.solve(x);
  return x;
}

// r' of all states.
Vector rates(const Assembled& m, const State& x) {
  m->position(m.context(), x, want_position_all, *m.ws);
  m->velocity(m.context(), x, *m.ws);
  m->force(m.context(), x, want_force_all, *m.ws);
  return m.ws->b;
}

std::string with(std::string lines, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = lines.find(from, at)) != std::string::npos; at += to.size()) {
    lines.replace(at, from.size(), to);
  }
  return lines;
}

// The two particles of elements_test.cpp: length 5 along (0.6, 0.8), its rate 2.
TEST(Cable, PullsAndDoesNotPush) {
  const std::string bodies = R"(<particle name="a" mass="2"/><particle name="b" mass="4"/>
    <free b="a" pos="1, 1" vel="1, 0"/><free b="b" pos="4, 5" vel="VEL"/>
    <output name="T" of="s" quantity="force"/><output name="E" quantity="potential_energy"/>
    <output name="x" of="s" quantity="value" component="elongation"/>
    <output name="xd" of="s" quantity="value" component="rate"/>)";
  const struct {
    const char *velocity, *line;
    double tension, energy, x, rate;
  } cases[] = {
      {"3, 1", R"(length="4.5" damping="0.5")", 2.5, 0.375, 0.5, 2},
      {"3, 1", R"(length="4.5" damping="2")", 3.0, 0.375, 0.5, 2},  // no more than twice 1.5
      {"-1, -1", R"(length="4.5" damping="0.5")", 0.5, 0.375, 0.5, -2},
      {"-1, -1", R"(length="4.5" damping="2")", 0.0, 0.375, 0.5, -2},  // it does not push
      {"3, 1", R"(length="6" damping="2")", 0.0, 0.0, -1, 2},          // slack
      {"3, 1", R"(length="6" preload="6")", 3.0, 0.5 * 3 - 6, -1, 2},
      {"3, 1", R"(length="9" preload="6")", 0.0, -6, -4, 2}};  // slack at x = -2
  for (const auto& c : cases) {
    SCOPED_TRACE(c.line);
    const Assembled m(planar(with(bodies, "VEL", c.velocity) + R"(<spring name="s" a="a" b="b"
        stiffness="3" tension_only="true" )" +
                             c.line + "/>"));
    const State x = solved(m);
    EXPECT_NEAR(m.output(x, "T"), c.tension, 1e-13);
    EXPECT_NEAR(m.output(x, "E"), c.energy, 1e-13);
    EXPECT_NEAR(m.output(x, "x"), c.x, 1e-14);
    EXPECT_NEAR(m.output(x, "xd"), c.rate, 1e-14);
    EXPECT_NEAR(x.a[0], 0.6 * c.tension / 2, 1e-13);
    EXPECT_NEAR(x.a[3], -0.8 * c.tension / 4, 1e-13);
  }
}

// J q'' = -(preload + k x + d q') and minus a law with a table.
TEST(TorsionSpring, ActsWithItsDamper) {
  const std::string lines = R"(<curve name="f" x_unit="rad" y_unit="N.m" points="0 0; 1 4"
      interpolation="linear"/>
    <revolute name="r" a="ground" b="b" q="0.7" qd="-1.5" target="exact"/>
    <torsion_spring name="s" joint="r" stiffness="6" angle="0.2" damping="0.4" preload="0.3"/>
    <torsion_spring name="t" joint="r" law="f(2*x) + (0.1 N.m.s/rad)*xd"/>
    <torsion_damper name="d" joint="r" damping="0.8"/>
    <torsion_damper name="e" joint="r" law="(0.2 N.m.s^2/rad^2)*abs(xd)*xd"/>
    <output name="qdd" of="r" quantity="qdd"/><output name="M_s" of="s" quantity="force"/>
    <output name="x" of="s" quantity="value" component="angle"/>
    <output name="M_t" of="t" quantity="value" component="torque"/>
    <output name="M_d" of="d" quantity="force"/><output name="M_e" of="e" quantity="force"/>
    <output name="E" quantity="potential_energy"/>)";
  const double s = 0.3 + 6 * 0.5 - 0.4 * 1.5, t = 5.6 - 0.15, d = -0.8 * 1.5, e = -0.2 * 2.25;
  for (const bool in_space : {false, true}) {
    const Assembled m(in_space
                          ? spatial(R"(<body name="b" mass="1" inertia="1, 1.1, 0.8"/>)" + lines)
                          : planar(R"(<body name="b" mass="1" inertia="0.8"/>)" + lines));
    const State x = solved(m);
    EXPECT_NEAR(m.output(x, "qdd"), -(s + t + d + e) / 0.8, 1e-12);
    EXPECT_NEAR(m.output(x, "M_s"), s, 1e-13);
    EXPECT_NEAR(m.output(x, "x"), 0.5, 1e-14);
    EXPECT_NEAR(m.output(x, "M_t"), t, 1e-13);
    EXPECT_NEAR(m.output(x, "M_d"), d, 1e-13);
    EXPECT_NEAR(m.output(x, "M_e"), e, 1e-13);
    EXPECT_NEAR(m.output(x, "E"), 0.5 * 6 * 0.25 + 0.3 * 0.5, 1e-13);
  }
}

// After seven whole turns the spring has been wound up by them.
TEST(TorsionSpring, CountsTurns) {
  const Assembled m(spatial(R"(<body name="b" mass="1" inertia="1, 1, 2"/>
    <revolute name="r" a="ground" b="b" q="45" target="exact"/>
    <torsion_spring joint="r" stiffness="6"/><output name="qdd" of="r" quantity="qdd"/>)"));
  EXPECT_NEAR(m.output(solved(m), "qdd"), -6.0 * 45.0 / 2.0, 1e-10);
}

// The bushing acts in the axes of a, which is turned by 90 deg: u = (0.2, -0.1), u' of the two
// velocities.
TEST(Bushing, ActsInThePlane) {
  const Assembled m(planar(R"(<frame name="a" pos="1, 1" rot="90 deg"/>
    <body name="b" mass="2" inertia="0.5"/>
    <free b="b" pos="1.1, 1.2" vel="0.3, -0.4" rot="90.5 deg" omega="0.7"/>
    <bushing name="m" a="a" b="b" stiffness="30, 50" damping="2, 3" rotational_stiffness="9"
             rotational_damping="0.4"/>
    <output name="f1" of="m" quantity="value" component="f1"/>
    <output name="u" of="m" quantity="value" component="deflection"/>
    <output name="angle" of="m" quantity="value" component="angle"/>
    <output name="E" quantity="potential_energy"/>)"));
  const State x = solved(m);
  const double f1 = -30 * 0.2 - 2 * -0.4, f2 = -50 * -0.1 - 3 * -0.3;
  const double half = 0.5 * std::numbers::pi / 180;
  EXPECT_NEAR(x.a[0], -f2 / 2, 1e-13);
  EXPECT_NEAR(x.a[1], f1 / 2, 1e-13);
  EXPECT_NEAR(x.a[2], (-9 * half - 0.4 * 0.7) / 0.5, 1e-13);
  EXPECT_NEAR(m.output(x, "f1"), f1, 1e-13);
  EXPECT_NEAR(m.output(x, "u"), std::sqrt(0.05), 1e-14);
  EXPECT_NEAR(m.output(x, "angle"), half, 1e-14);
  EXPECT_NEAR(m.output(x, "E"), 0.5 * (30 * 0.04 + 50 * 0.01 + 9 * half * half), 1e-13);
}

// Small turns: T_i = -K_i theta_i; about one axis T = -K sin(theta) for any turn.
TEST(Bushing, TurnsInSpace) {
  const std::string lines = R"(<body name="b" mass="2" inertia="1, 1, 1"/>
    <free b="b" rot="ROT"/>
    <bushing name="m" a="ground" b="b" stiffness="3" rotational_stiffness="2, 3, 7"/>
    <output name="angle" of="m" quantity="value" component="angle"/>
    <output name="m2" of="m" quantity="value" component="m2"/>)";
  const Assembled small(spatial(with(lines, "ROT", "1e-6, 2e-6, -1e-6")));
  const State x = solved(small);
  EXPECT_NEAR(x.a[3], -2e-6, 2e-11);
  EXPECT_NEAR(x.a[4], -6e-6, 2e-11);
  EXPECT_NEAR(x.a[5], 7e-6, 2e-11);
  const Assembled large(spatial(with(lines, "ROT", "0, 2.5, 0")));
  const State y = solved(large);
  EXPECT_NEAR(y.a[4], -3 * std::sin(2.5), 1e-13);
  EXPECT_NEAR(large.output(y, "m2"), -3 * std::sin(2.5), 1e-13);
  EXPECT_NEAR(large.output(y, "angle"), 2.5, 1e-13);
}

// The force acts at b on both bodies: total momentum and moment of momentum do not change.
TEST(Bushing, ReactionEqualsAction) {
  const Assembled m(spatial(R"(<body name="a" mass="2" inertia="1, 2, 3"/>
    <body name="b" mass="3" inertia="2, 2, 1"/>
    <free b="a" pos="0.1, 0.2, 0.3" rot="0.3, -0.4, 1"/><free b="b" pos="1, -1, 2" rot="1, 0.2, 0.5"/>
    <bushing a="a" b="b" stiffness="30, 50, 20" rotational_stiffness="9, 4, 2"/>)"));
  const State x = solved(m);
  Eigen::Vector3d force = Eigen::Vector3d::Zero(), moment = force;
  for (int i = 0; i < 2; ++i) {
    const double mass = i == 0 ? 2 : 3;
    const Eigen::Vector3d J = i == 0 ? Eigen::Vector3d(1, 2, 3) : Eigen::Vector3d(2, 2, 1);
    const Eigen::Vector3d F = mass * x.a.segment<3>(6 * i);
    const Eigen::Quaterniond q(x.p[7 * i + 3], x.p[7 * i + 4], x.p[7 * i + 5], x.p[7 * i + 6]);
    force += F;
    moment += Eigen::Vector3d(x.p.segment<3>(7 * i)).cross(F) +
              q * Eigen::Vector3d(J.cwiseProduct(x.a.segment<3>(6 * i + 3)));
    EXPECT_GT(F.norm(), 10);
  }
  EXPECT_LT(force.norm(), 1e-12);
  EXPECT_LT(moment.norm(), 1e-12);
}

// x = 0.3*0.5 - 0.6*0.2 = 0.03: T_1 = 100 + 1200 + 60..., and once with the second strand slack.
TEST(Belt, TurnsBothPulleys) {
  const std::string lines = R"(<frame name="there" pos="2, 0POS"/>
    <body name="small" mass="1" inertia="SMALL"/><body name="large" mass="1" inertia="LARGE"/>
    <revolute name="p" a="ground" b="small" q="0.5" qd="2" target="exact"/>
    <revolute name="q" a="there" b="large" q="0.2" qd="0.5" target="exact"/>
    <belt name="b" a="p" b="q" radius_a="0.3" radius_b="0.6" stiffness="4000" damping="50"
          preload="PRELOAD" CROSSED/>
    <output name="pdd" of="p" quantity="qdd"/><output name="qdd" of="q" quantity="qdd"/>
    <output name="t1" of="b" quantity="value" component="strand_1"/>
    <output name="t2" of="b" quantity="value" component="strand_2"/>
    <output name="E" quantity="potential_energy"/>)";
  for (const bool in_space : {false, true}) {
    for (const double preload : {500.0, 80.0}) {
      for (const bool crossed : {false, true}) {
        std::string text = with(lines, "PRELOAD", std::to_string(preload));
        text = with(with(text, "SMALL", in_space ? "0.1, 0.1, 0.1" : "0.1"), "LARGE",
                    in_space ? "0.4, 0.4, 0.4" : "0.4");
        text = with(text, "POS", in_space ? ", 0" : "");
        text = with(text, "CROSSED", crossed ? "crossed=\"true\" rest=\"0.24\"" : "");
        const Assembled m(in_space ? spatial(text) : planar(text));
        const State x = solved(m);
        const double s = crossed ? -1 : 1, e = 4000 * 0.03;
        const double viscous = 50 * (0.3 * 2 - s * 0.6 * 0.5);  // less than the tensions
        const double t1 = preload + e + viscous, t2 = preload > e ? preload - e - viscous : 0.0;
        EXPECT_NEAR(m.output(x, "t1"), t1, 1e-10);
        EXPECT_NEAR(m.output(x, "t2"), t2, 1e-10);
        EXPECT_NEAR(m.output(x, "pdd"), -0.3 * (t1 - t2) / 0.1, 1e-9);
        EXPECT_NEAR(m.output(x, "qdd"), s * 0.6 * (t1 - t2) / 0.4, 1e-9);
        const double slack = std::max(preload - e, 0.0);
        const double energy =
            ((preload + e) * (preload + e) + slack * slack) / 8000 - preload * preload / 4000;
        EXPECT_NEAR(m.output(x, "E"), energy, 1e-12 * (1 + std::abs(energy)));
      }
    }
  }
}

// On the centre of mass no torque; u = v - flow with the flow in turned axes.
TEST(Drag, ActsAgainstTheFlow) {
  const Assembled m(planar(R"(<input name="wind" start="4"/><frame name="turned" rot="90 deg"/>
    <body name="b" mass="2" com="0.3, 0.4" inertia="0.5">
      <drag name="d" area="0.2" cd="1.5" density="10" flow="wind*(1 m/s), 0" in="turned"/></body>
    <free b="b" vel="3, 0"/>
    <output name="F" of="b.d" quantity="force"/>
    <output name="u" of="b.d" quantity="value" component="speed"/>)"));
  const State x = solved(m);  // u = (3, -4)
  EXPECT_NEAR(m.output(x, "u"), 5.0, 1e-14);
  EXPECT_NEAR(m.output(x, "F"), 0.5 * 10 * 1.5 * 0.2 * 25, 1e-13);
  EXPECT_NEAR(x.a[0], -1.5 * 5 * 3 / 2, 1e-13);
  EXPECT_NEAR(x.a[1], 1.5 * 5 * 4 / 2, 1e-13);
  EXPECT_NEAR(x.a[2], 0.0, 1e-13);
}

TEST(Actuator, FollowsWithALag) {
  const Assembled m(planar(R"(<state name="other" start="1" der="0"/>
    <body name="b" mass="2" inertia="0.5"/><revolute name="r" a="ground" b="b"/>
    <torque name="T" joint="r" value="30 N.m" lag="50 ms" limit="20 N.m" start="4 N.m"/>
    <torque joint="r" value="-9 N.m" limit="3 N.m"/>
    <output name="now" value="T.effort"/><output name="qdd" of="r" quantity="qdd"/>)"));
  ASSERT_EQ(m->structure().r_names, (std::vector<std::string>{"other", "T.effort"}));
  const State x = solved(m);
  EXPECT_EQ(m.output(x, "now"), 4.0);
  EXPECT_NEAR(m.output(x, "qdd"), (4.0 - 3.0) / 0.5, 1e-13);
  EXPECT_NEAR(rates(m, x)[1], (20.0 - 4.0) / 0.05, 1e-11);
}

TEST(DcMotor, FollowsItsEquations) {
  const std::string lines = R"(<body name="b" mass="2" inertia="0.5"/>
    <revolute name="r" a="ground" b="b" qd="4" target="exact"/>
    <dc_motor name="m" joint="r" voltage="12 V" resistance="2" INDUCTANCE constant="0.1" ratio="5"/>
    <output name="T" of="m" quantity="force"/><output name="i" of="m" quantity="value" component="current"/>
    <output name="P" of="m" quantity="value" component="power"/>)";
  const Assembled with_coil(planar(with(lines, "INDUCTANCE", "inductance=\"0.4\" start=\"3\"")));
  const State x = solved(with_coil);
  EXPECT_NEAR(with_coil.output(x, "T"), 1.5, 1e-14);
  EXPECT_NEAR(x.a[2], 3.0, 1e-13);
  EXPECT_NEAR(rates(with_coil, x)[0], (12 - 2 * 3 - 0.5 * 4) / 0.4, 1e-12);
  EXPECT_NEAR(with_coil.output(x, "P"), 36, 1e-12);
  const Assembled without(planar(with(lines, "INDUCTANCE", "")));
  EXPECT_EQ(without->sizes().r, 0);
  EXPECT_NEAR(without.output(solved(without), "i"), (12 - 2.0) / 2, 1e-13);
}

const std::string lift = R"(<body name="table" mass="500"/>
  <prismatic name="guide" a="ground" b="table" axis="y" q="0.7" qd="0.05" target="exact"/>
  <hydraulic_cylinder name="h" a="ground" b="table" command="COMMAND" length="0.5" stroke="0.4"
     area_a="20 cm^2" area_b="12 cm^2" dead_volume="0.1 l" supply="210 bar" tank="2 bar"
     start_a="60 bar" start_b="30 bar" valve_flow="0.5 l/s" valve_drop="35 bar" leakage="1e-12"
     damping="300" bulk_modulus="1.2 GPa" MORE/>
  <output name="F" of="h" quantity="force"/><output name="a" of="guide" quantity="qdd"/>
  <output name="stroke" of="h" quantity="value" component="stroke"/>
  <output name="qa" of="h" quantity="value" component="flow_a"/>
  <output name="pb" value="h.pressure_b" unit="bar"/>)";

TEST(HydraulicCylinder, FollowsItsEquations) {
  const double A_a = 2e-3, A_b = 1.2e-3, p_a = 60e5, p_b = 30e5, v = 0.05, leak = 1e-12 * 30e5;
  const double V_a = 1e-4 + A_a * 0.2, V_b = 1e-4 + A_b * 0.2, K = 0.5e-3 / std::sqrt(35e5);
  const auto root = [](double d) { return d / std::pow(d * d + 1e8, 0.25); };
  for (const double y : {0.4, -0.3, 7.0}) {
    const Assembled m(planar(with(with(lift, "COMMAND", std::to_string(y)), "MORE", "")));
    const State x = solved(m);
    const double open = std::min(y, 1.0);
    const double q_a = K * open * (y > 0 ? root(210e5 - p_a) : root(p_a - 2e5));
    const double q_b = -K * open * (y > 0 ? root(p_b - 2e5) : root(210e5 - p_b));
    const Vector b = rates(m, x);
    EXPECT_NEAR(b[0], 1.2e9 / V_a * (q_a - leak - A_a * v), 1e-12 * std::abs(b[0]));
    EXPECT_NEAR(b[1], 1.2e9 / V_b * (q_b + leak + A_b * v), 1e-12 * std::abs(b[1]));
    const double F = A_a * p_a - A_b * p_b - 300 * v;
    EXPECT_NEAR(m.output(x, "F"), F, 1e-9);
    EXPECT_NEAR(m.output(x, "a"), F / 500, 1e-11);
    EXPECT_NEAR(m.output(x, "stroke"), 0.2, 1e-14);
    EXPECT_NEAR(m.output(x, "qa"), q_a, 1e-15);
    EXPECT_EQ(m.output(x, "pb"), 30e5);
  }
  const Assembled m(
      planar(with(with(lift, "COMMAND", "2"), "MORE", R"(valve_lag="4 ms" start_opening="-0.3")")));
  EXPECT_NEAR(rates(m, solved(m))[2], (1.0 + 0.3) / 4e-3, 1e-10);
}

// With the valve closed the oil is a spring: omega^2 = beta/m (A_a^2/V_a + A_b^2/V_b), which the
// eigenvalues of the equations show.
TEST(HydraulicCylinder, HasItsNaturalFrequency) {
  std::string text = with(with(with(lift, "COMMAND", "0"), "MORE", ""), "leakage=\"1e-12\"", "");
  text = with(with(text, "damping=\"300\"", ""), "qd=\"0.05\"", "");
  const Assembled m(planar(text));
  const State x = solved(m);
  m->jacobian(m.context(), x, *m.ws);
  const Matrix J = m.ws->jacobian;
  const JacobianLayout at(m->sizes());
  // y' = v, m v' = f, r' = b along the guide.
  const int y = m.p("table.y"), v = m.v("table.vy");
  Eigen::Matrix4d A = Eigen::Matrix4d::Zero();
  A(0, 1) = 1.0;
  const int row[] = {-1, at.dynamics + v, at.r, at.r + 1};
  const int column[] = {at.col_p + y, at.col_v + v, at.col_r, at.col_r + 1};
  for (int i = 1; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) A(i, j) = J(row[i], column[j]) / (i == 1 ? 500.0 : 1.0);
  }
  // The pressures get a common scale for the sake of the eigenvalues.
  const Eigen::Vector4d scale(1.0, 100.0, 1e9, 1e9);
  const Eigen::Matrix4d scaled = scale.cwiseInverse().asDiagonal() * A * scale.asDiagonal();
  const double omega = scaled.eigenvalues().imag().maxCoeff();
  const double V_a = 1e-4 + 2e-3 * 0.2, V_b = 1e-4 + 1.2e-3 * 0.2;
  EXPECT_NEAR(omega, std::sqrt(1.2e9 / 500 * (4e-6 / V_a + 1.44e-6 / V_b)), 1e-8 * omega);
}

// Errors that only show when the model is assembled.
TEST(ForceElements, SayWhatCannotBe) {
  const std::string bodies =
      R"(<body name="b" mass="1" inertia="INERTIA"/><particle name="dot" mass="1"/>
    <revolute name="r" a="ground" b="b"/>)";
  const struct {
    const char *line, *message;
    bool in_space;
  } cases[] = {
      {R"(<drag name="d" area="1" cd="1"/>)",
       "drag 'd' needs the attribute 'on' [missing-attribute]\n  hint: the frame it acts on; "
       "inside "
       "of a body it acts on the centre of mass",
       false},
      {R"(<belt name="l" a="r" b="r" radius_a="1" radius_b="1" stiffness="1" preload="1"/>)",
       "belt 'l' has both pulleys on one joint [belt-on-one-joint]", false},
      {R"(<bushing name="g" a="b" b="dot" rotational_stiffness="1"/>)",
       "bushing 'g' acts on an orientation, and particle 'dot' has none [no-orientation]", false},
      {R"(<tyre name="t" wheel="dot" radius="1" stiffness="1" slip_stiffness="1" relaxation_x="1"/>)",
       "tyre 't' acts on an orientation, and particle 'dot' has none [no-orientation]", false},
      {R"(<tyre name="t" wheel="b" radius="1" stiffness="1" slip_stiffness="1" relaxation_x="1"
            relaxation_y="1"/>)",
       "tyre 't' needs the attribute 'cornering_stiffness' in space [missing-attribute]", true},
      {R"(<wheel_rail name="w" wheel="dot" radius="1" stiffness="1" creep_x="1"/>)",
       "wheel_rail 'w' acts on an orientation, and particle 'dot' has none [no-orientation]", true},
      {R"(<revolute name="knot" a="ground" b="dot"/><torsion_damper name="t" joint="knot" damping="1"/>)",
       "torsion_damper 't' acts about an angle, but a particle does not turn [no-orientation]",
       false},
  };
  for (const auto& c : cases) {
    const std::string lines = with(bodies, "INERTIA", c.in_space ? "1, 1, 1" : "1") + c.line;
    const std::string text = errors_of(c.in_space ? spatial(lines) : planar(lines));
    EXPECT_NE(text.find(c.message), std::string::npos) << c.line << "\n" << text;
  }
}

}  // namespace
}  // namespace mbs::test
