// Force elements in motion against closed forms, by every method in every choice of coordinates.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/multibody/assembled.hpp"
#include "tests/multibody/run_model.hpp"

namespace mbs::test {
namespace {

constexpr double g = 9.81, pi = std::numbers::pi;

// u'' + 2 a u' + w0^2 u = 0, a < w0.
struct Oscillator {
  double a, w0, u0, v0;
  double u = 0.0, v = 0.0;

  void at(double t) {
    const double w = std::sqrt(w0 * w0 - a * a), B = (v0 + a * u0) / w, e = std::exp(-a * t);
    const double c = std::cos(w * t), s = std::sin(w * t);
    u = e * (u0 * c + B * s);
    v = e * ((w * B - a * u0) * c - (w * u0 + a * B) * s);
  }
};

// q'' = -q - q^3 from rest at A: the period is 4 K(k)/sqrt(1 + A^2), k^2 = A^2/(2 (1 + A^2)). A
// spring by its law pulls two bodies of 2 and 2 kg, one by a joint's coordinate turns a flap.
TEST(ElementMotion, SpringsFollowNonlinearLaws) {
  const double A = 1.2, k = A / std::sqrt(2.0 * (1.0 + A * A)),
               period = 4.0 * std::comp_ellint_1(k) / std::sqrt(1.0 + A * A);
  const std::string text = planar(R"xml(
    <body name="a" mass="2" inertia="1"/><body name="b" mass="2" inertia="1"/>
    <body name="flap" mass="1" inertia="0.5"/>
    <free name="fly" b="a" vel="0.3, 0"/>
    <prismatic name="way" a="a" b="b" axis="0, 1" q="4.2" target="exact"/>
    <revolute name="hinge" a="ground" b="flap" q="1.2" target="exact"/>
    <spring a="a" b="b" length="3" law="1 N/m*x + 1 N/m^3*x^3"/>
    <torsion_spring joint="hinge" law="0.5 N.m/rad*x + 0.5 N.m/rad^3*x^3"/>
    <output name="x" value="way.q"/><output name="v" value="way.qd"/>
    <output name="q" value="hinge.q"/>)xml");
  in_every_way(text, 1e-11, [&](ModelRun& run) {
    run.simulation->advance(0.5 * period);
    EXPECT_NEAR(run.output("x"), 3.0 - A, 1e-8);
    EXPECT_NEAR(run.output("v"), 0.0, 1e-8);
    EXPECT_NEAR(run.output("q"), -A, 1e-8);
    run.simulation->advance(2.0 * period);
    EXPECT_NEAR(run.output("x"), 3.0 + A, 1e-8);
  });
}

// A table that is linear on each side, 50 N/m where it is pulled and 200 N/m where it is pressed:
// half a period of each, from 0.1 m to -0.05 m; likewise a damper.
TEST(ElementMotion, SpringsAndDampersFollowTables) {
  const std::string text = planar(R"xml(
    <curve name="f" x_unit="m" y_unit="N" interpolation="linear" beyond="linear"
           points="-1 -200; 0 0; 1 50"/>
    <curve name="d" x_unit="rad/s" y_unit="N.m" interpolation="linear" beyond="linear"
           points="-10 -20; 0 0; 10 40"/>
    <body name="a" mass="2" inertia="1"/><body name="fan" mass="2" inertia="0.5"/>
    <prismatic name="rail" a="ground" b="a" axis="x" q="1.1" target="exact"/>
    <revolute name="axle" a="ground" b="fan" qd="3" target="exact"/>
    <spring a="ground" b="a" length="1" law="f(x)"/>
    <torsion_damper joint="axle" law="d(xd)"/>
    <output name="x" value="rail.q"/><output name="v" value="rail.qd"/>
    <output name="w" value="axle.qd"/><output name="q" value="axle.q"/>)xml");
  in_every_way(text, 1e-11, [&](ModelRun& run) {
    const double small = 1e-8;
    run.simulation->advance(pi / 5.0 / 2.0);  // half of pi/w, w = 5
    EXPECT_NEAR(run.output("x"), 1.0, small);
    EXPECT_NEAR(run.output("v"), -0.5, small);
    const double t = pi / 10.0 + pi / 20.0;
    run.simulation->advance(t);
    EXPECT_NEAR(run.output("x"), 1.0 - 0.05, small);
    EXPECT_NEAR(run.output("v"), 0.0, 5 * small);
    EXPECT_NEAR(run.output("w"), 3.0 * std::exp(-8.0 * t), 1e-8);
    EXPECT_NEAR(run.output("q"), 3.0 / 8.0 * (1.0 - std::exp(-8.0 * t)), 1e-8);
  });
}

// A weight falls freely into its cable, is caught by it and thrown back to where it came from.
TEST(ElementMotion, CableCatchesAWeight) {
  const std::string text = planar(R"xml(
    <gravity g="0, -9.81"/><frame name="hook" pos="0, 2"/>
    <particle name="b" mass="2"/><free name="fall" b="b" pos="0, 1.5"/>
    <spring name="s" a="hook" b="b" length="1" stiffness="800" tension_only="true"/>
    <output name="y" value="fall.y"/><output name="v" value="fall.yd"/>
    <output name="F" of="s" quantity="force"/>)xml");
  // Taut from t1 on: s = g/w^2 (1 - cos w t) + v1/w sin w t, until w t = 2 pi - 2 atan(w v1/g).
  const double w = 20.0, t1 = std::sqrt(2.0 * 0.5 / g), v1 = g * t1,
               t2 = t1 + (2.0 * pi - 2.0 * std::atan(w * v1 / g)) / w;
  in_every_way(text, 1e-11, [&](ModelRun& run) {
    const double small = 1e-8;
    run.simulation->advance(t1 + 0.05);
    const double s = g / (w * w) * (1.0 - std::cos(1.0)) + v1 / w * std::sin(1.0);
    EXPECT_NEAR(run.output("y"), 1.0 - s, small);
    EXPECT_NEAR(run.output("F"), 800.0 * s, 800.0 * small);
    run.simulation->advance(t2 + t1);
    EXPECT_EQ(run.output("F"), 0.0);
    EXPECT_NEAR(run.output("y"), 1.5, 5 * small);
    EXPECT_NEAR(run.output("v"), 0.0, 10 * small);
  });
}

// Falling, the speed relative to the air, which rises, comes to u_t tanh(g t/u_t); a disc in air
// that brakes as the square of the rate: w = w0/(1 + c w0 t/J).
TEST(ElementMotion, DragFollowsAWindAndAFan) {
  const std::string text = spatial(R"xml(
    <gravity g="0, 0, -9.81"/><input name="wind" unit="m/s" start="4"/>
    <body name="b" mass="2" inertia="1, 1, 1"><drag name="d" area="0.2" cd="1.5" density="10"
      flow="0, 0, wind"/></body>
    <body name="fan" mass="2" inertia="1, 1, 0.5"/>
    <free name="fall" b="b" pos="0, 0, 1" vel="0, 0, 3" omega="0.1, 0, 0"/>
    <revolute name="axle" a="ground" b="fan" qd="2" target="exact"/>
    <torsion_damper joint="axle" law="30 mN.m.s^2/rad^2 * abs(xd)*xd"/>
    <output name="z" value="fall.z"/><output name="v" value="fall.zd"/>
    <output name="q" value="axle.q"/><output name="w" value="axle.qd"/>)xml");
  const double u_t = std::sqrt(2.0 * g / 1.5), c = 0.03 * 2.0 / 0.5;
  in_every_way(text, 3e-12, [&](ModelRun& run) {
    for (const double t : {0.3, 1.0, 3.0}) {
      run.simulation->advance(t);
      const double a = std::atanh(1.0 / u_t), b = a + g * t / u_t;
      EXPECT_NEAR(run.output("v"), 4.0 - u_t * std::tanh(b), 1e-8);
      EXPECT_NEAR(run.output("z"),
                  1.0 + 4.0 * t - u_t * u_t / g * std::log(std::cosh(b) / std::cosh(a)), 1e-8);
      EXPECT_NEAR(run.output("w"), 2.0 / (1.0 + c * t), 1e-8);
      EXPECT_NEAR(run.output("q"), 2.0 / c * std::log(1.0 + c * t), 1e-8);
    }
  });
}

// Each direction of a bushing is an oscillator of its own; a turn about one axis in space is that
// of a pendulum: from rest at 2 rad half a period later it is at -2 rad, 2 K(sin 1)/w.
TEST(ElementMotion, BushingsSwing) {
  const std::string plane = planar(R"xml(
    <frame name="seat" pos="1, 2"/><body name="b" mass="2" inertia="0.5"/>
    <free name="f" a="seat" b="b" pos="0.1, -0.2" vel="0.3, 1" rot="0.4" omega="-2"/>
    <bushing a="seat" b="b" stiffness="30, 50" damping="2, 3" rotational_stiffness="9"
             rotational_damping="0.4"/>
    <output name="x" value="f.x"/><output name="y" value="f.y"/>
    <output name="phi" value="f.phi"/>)xml");
  Oscillator x{.a = 0.5, .w0 = std::sqrt(15.0), .u0 = 0.1, .v0 = 0.3},
      y{.a = 0.75, .w0 = 5.0, .u0 = -0.2, .v0 = 1.0},
      phi{.a = 0.4, .w0 = std::sqrt(18.0), .u0 = 0.4, .v0 = -2.0};
  in_every_way(plane, 1e-10, [&](ModelRun& run) {
    for (const double t : {0.4, 1.7}) {
      run.simulation->advance(t);
      for (Oscillator* u : {&x, &y, &phi}) u->at(t);
      EXPECT_NEAR(run.output("x"), x.u, 1e-8);
      EXPECT_NEAR(run.output("y"), y.u, 1e-8);
      EXPECT_NEAR(run.output("phi"), phi.u, 1e-8);
    }
  });
  const std::string space = spatial(R"xml(
    <body name="b" mass="2" inertia="0.5, 0.7, 0.9"/>
    <free name="f" b="b" pos="0.1, -0.2, 0.3" rot="0, 2, 0"/>
    <bushing name="m" a="ground" b="b" stiffness="30, 50, 20" rotational_stiffness="2, 3, 7"/>
    <output name="x" value="f.x"/><output name="y" value="f.y"/><output name="z" value="f.z"/>
    <output name="turn" of="b" quantity="orientation" component="ry"/>
    <output name="angle" of="m" quantity="value" component="angle"/>)xml");
  const double half = 2.0 * std::comp_ellint_1(std::sin(1.0)) / std::sqrt(3.0 / 0.7);
  in_every_way(space, 1e-10, [&](ModelRun& run) {
    run.simulation->advance(half);
    EXPECT_NEAR(run.output("x"), 0.1 * std::cos(std::sqrt(15.0) * half), 1e-8);
    EXPECT_NEAR(run.output("y"), -0.2 * std::cos(5.0 * half), 1e-8);
    EXPECT_NEAR(run.output("z"), 0.3 * std::cos(std::sqrt(10.0) * half), 1e-8);
    EXPECT_NEAR(run.output("angle"), 2.0, 1e-8);
  });
}

// Both strands of a belt pull all the time: its stretch x = R_a q_a - R_b q_b is an oscillator with
// 2 k and 2 d, and J_a q_a/R_a + J_b q_b/R_b goes on as it was.
TEST(ElementMotion, BeltsSwing) {
  const std::string text = planar(R"xml(
    <frame name="there" pos="2, 0"/>
    <body name="small" mass="1" inertia="0.1"/><body name="large" mass="1" inertia="0.4"/>
    <revolute name="p" a="ground" b="small" q="0.02" qd="2" target="exact"/>
    <revolute name="q" a="there" b="large" qd="0.5" target="exact"/>
    <belt name="b" a="p" b="q" radius_a="0.3" radius_b="0.6" stiffness="400" damping="1"
          preload="100"/>
    <output name="pa" value="p.q"/><output name="qb" value="q.q"/>
    <output name="t2" of="b" quantity="value" component="strand_2"/>)xml");
  const double by = 0.09 / 0.1 + 0.36 / 0.4;  // acceleration of x by the difference of the strands
  Oscillator x{.a = by, .w0 = std::sqrt(800.0 * by), .u0 = 0.006, .v0 = 0.3};
  in_every_way(text, 1e-11, [&](ModelRun& run) {
    for (const double t : {0.1, 0.5, 1.3}) {
      run.simulation->advance(t);
      x.at(t);
      const double p = run.output("pa"), q = run.output("qb");
      EXPECT_NEAR(0.3 * p - 0.6 * q, x.u, 1e-8);
      EXPECT_NEAR(0.1 / 0.3 * p + 0.4 / 0.6 * q, 0.1 / 0.3 * (0.02 + 2.0 * t) + 0.4 / 0.6 * 0.5 * t,
                  1e-8);
      EXPECT_NEAR(run.output("t2"), 100.0 - 400.0 * x.u - x.v, 1e-5);
      EXPECT_GT(run.output("t2"), 10.0);
    }
  });
}

// A thrust that turns with its body, the same in the axes of another frame, a torque and its
// opposite: v' = (F/m)(cos w t, sin w t) with w constant, and a body driven against another.
TEST(ElementMotion, AppliedForcesActInAnyFrame) {
  const std::string text = planar(R"xml(
    <frame name="turned" rot="90 deg"/>
    <body name="a" mass="2" inertia="0.5"/><body name="b" mass="2" inertia="0.5"/>
    <body name="c" mass="2" inertia="0.5"/>
    <free name="fa" b="a" omega="3"/><free name="fb" b="b" pos="0, 5" omega="2"/>
    <free name="fc" b="c" pos="5, 0"/>
    <force on="a" value="4, 0" in="a"/>
    <force on="b" value="4, 1 N/s*time" in="turned" reaction_on="c"/>
    <torque on="c" value="0.6" reaction_on="b"/>
    <output name="xa" value="fa.x"/><output name="ya" value="fa.y"/>
    <output name="xb" value="fb.x"/><output name="yb" value="fb.y"/>
    <output name="pb" value="fb.phi"/><output name="pc" value="fc.phi"/>
    <output name="yc" value="fc.y"/>)xml");
  in_every_way(text, 1e-11, [&](ModelRun& run) {
    for (const double t : {0.5, 2.0}) {
      run.simulation->advance(t);
      EXPECT_NEAR(run.output("xa"), 2.0 / 9.0 * (1.0 - std::cos(3.0 * t)), 1e-8);
      EXPECT_NEAR(run.output("ya"), 2.0 / 9.0 * (3.0 * t - std::sin(3.0 * t)), 1e-8);
      EXPECT_NEAR(run.output("xb"), -t * t * t / 12.0, 1e-8);
      EXPECT_NEAR(run.output("yb"), 5.0 + t * t, 1e-8);
      EXPECT_NEAR(run.output("yc"), -t * t, 1e-8);
      EXPECT_NEAR(run.output("pb"), 2.0 * t - 0.6 * t * t, 1e-8);
      EXPECT_NEAR(run.output("pc"), 0.6 * t * t, 1e-8);
    }
  });
}

// An actuator's effort comes up to its limit, e = E (1 - exp(-t/T)); a servo that holds a mass by
// it, x''' + x''/T + (k/(m T)) x = 0 about 1 m, with a third of k/(m T) known by its roots: -4 and
// -3 +- 2 i (k = 52 m T, d = 37 m T, 1/T = 10).
TEST(ElementMotion, ActuatorsFollowWithALag) {
  const std::string text = planar(R"xml(
    <body name="a" mass="2" inertia="1"/><body name="b" mass="2" inertia="1"/>
    <prismatic name="rail" a="ground" b="a" axis="x"/><prismatic name="way" a="ground" b="b" axis="y"/>
    <force name="winch" joint="rail" value="50 N" lag="0.2 s" limit="15 N" start="3 N"/>
    <force name="servo" joint="way" value="10.4 N/m*(1 m - way.q) - 7.4 N.s/m*way.qd" lag="0.1 s"/>
    <output name="x" value="rail.q"/><output name="e" value="winch.effort"/>
    <output name="y" value="way.q"/><output name="f" value="servo.effort"/>)xml");
  in_every_way(text, 1e-11, [&](ModelRun& run) {
    for (const double t : {0.1, 0.4, 1.5}) {
      run.simulation->advance(t);
      const double T = 0.2, e = std::exp(-t / T);
      EXPECT_NEAR(run.output("e"), 15.0 - 12.0 * e, 1e-8);
      EXPECT_NEAR(run.output("x"), (15.0 * t * t / 2.0 - 12.0 * T * (t - T * (1.0 - e))) / 2.0,
                  1e-8);
      // y - 1 = A exp(-4 t) + exp(-3 t)(B cos 2t + C sin 2t), -1, 0 and 0 at the start with its
      // two derivatives: A = -13/5, B = 8/5, C = -14/5.
      const double A = -13.0 / 5.0, B = 8.0 / 5.0, C = -14.0 / 5.0;
      const double c = std::cos(2.0 * t), s = std::sin(2.0 * t), E = std::exp(-3.0 * t);
      EXPECT_NEAR(run.output("y"), 1.0 + A * std::exp(-4.0 * t) + E * (B * c + C * s), 1e-8);
      const double ydd =
          16.0 * A * std::exp(-4.0 * t) + E * ((5.0 * B - 12.0 * C) * c + (5.0 * C + 12.0 * B) * s);
      EXPECT_NEAR(run.output("f"), 2.0 * ydd, 1e-7);
    }
  });
}

// L i' = u - R i - K w, J w' = K i with K = n k: the deviation of w from u/K is an oscillator with
// 2 a = R/L and w0^2 = K^2/(J L), from rest without a current.
TEST(ElementMotion, DcMotorRunsUp) {
  const std::string text = planar(R"xml(
    <body name="b" mass="2" inertia="0.5"/><revolute name="r" a="ground" b="b"/>
    <dc_motor name="m" joint="r" voltage="12 V" resistance="2" inductance="0.4" constant="0.3"
              ratio="5"/>
    <output name="w" value="r.qd"/><output name="i" value="m.current" unit="A"/>
    <output name="P" of="m" quantity="value" component="power"/>)xml");
  const double K = 1.5;
  Oscillator w{.a = 2.5, .w0 = K / std::sqrt(0.5 * 0.4), .u0 = -12.0 / K, .v0 = 0.0};
  in_every_way(text, 1e-11, [&](ModelRun& run) {
    for (const double t : {0.2, 0.8, 2.0}) {
      run.simulation->advance(t);
      w.at(t);
      EXPECT_NEAR(run.output("w"), 12.0 / K + w.u, 1e-8);
      EXPECT_NEAR(run.output("i"), 0.5 / K * w.v, 1e-8);
      EXPECT_NEAR(run.output("P"), 12.0 * 0.5 / K * w.v, 1e-7);
    }
  });
}

// The piston is held: sqrt(p_s - p_a) and sqrt(p_b - p_t) fall linearly with the volume that the
// valve has let through, K beta/(2 V) integral y, while y = 1 - exp(-t/T); nearly without a laminar
// range. What holds the piston bears A_a p_a - A_b p_b.
TEST(ElementMotion, FixedHydraulicCylinderBuildsUpPressure) {
  const std::string text = planar(R"xml(
    <body name="table" mass="500" inertia="1"/>
    <prismatic name="guide" a="ground" b="table" axis="y"/>
    <drive name="hold" joint="guide" q="0.7 m"/>
    <hydraulic_cylinder name="h" a="ground" b="table" command="1" length="0.5" stroke="0.4"
       area_a="20 cm^2" area_b="12 cm^2" dead_volume="0.1 l" supply="210 bar" tank="2 bar"
       start_a="60 bar" start_b="150 bar" valve_flow="0.01 l/s" valve_drop="35 bar" laminar="1 Pa"
       bulk_modulus="1.2 GPa" valve_lag="50 ms"/>
    <output name="pa" value="h.pressure_a"/><output name="pb" value="h.pressure_b"/>
    <output name="y" value="h.opening"/><output name="F" of="hold" quantity="force"/>)xml");
  const double K = 1e-5 / std::sqrt(35e5), V_a = 1e-4 + 2e-3 * 0.2, V_b = 1e-4 + 1.2e-3 * 0.2;
  in_every_way(text, 1e-11, [&](ModelRun& run) {
    for (const double t : {0.03, 0.2}) {
      run.simulation->advance(t);
      const double e = std::exp(-t / 0.05), open = t - 0.05 * (1.0 - e);
      const double a = std::sqrt(150e5) - K * 1.2e9 / (2.0 * V_a) * open,
                   b = std::sqrt(148e5) - K * 1.2e9 / (2.0 * V_b) * open;
      ASSERT_GT(std::min(a, b), 100.0);
      const double p_a = 210e5 - a * a, p_b = 2e5 + b * b;
      EXPECT_NEAR(run.output("y"), 1.0 - e, 1e-8);
      EXPECT_NEAR(run.output("pa"), p_a, 1e-8 * p_a);
      EXPECT_NEAR(run.output("pb"), p_b, 1e-8 * p_b);
      EXPECT_NEAR(run.output("F"), 1.2e-3 * p_b - 2e-3 * p_a, 1e-8 * 2e-3 * p_a);
    }
  });
}

}  // namespace
}  // namespace mbs::test
