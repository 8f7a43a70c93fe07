// Force laws written in the model file, with states and auxiliary unknowns of their own: motions
// against closed forms, by every method in every choice of coordinates, and exact Jacobian blocks.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/multibody/assembled.hpp"
#include "tests/multibody/run_model.hpp"

namespace mbs::test {
namespace {

void expect_exact_jacobians(const std::string& text) {
  for (const char* coordinates : {"absolute", "joint", "mixed"}) {
    SCOPED_TRACE(coordinates);
    const Assembled model(text, coordinates);
    for (int seed = 1; seed <= 3; ++seed) {
      State x = random_state(*model, seed);
      expect_exact_derivatives(model, x);
      expect_exact_friction(model, x);
    }
  }
}

// A spring k and a damper k T in series (Maxwell) hold a mass m: F' = k x' - F/T. The speed obeys
// v'' + v'/T + (k/m) v = 0 with v'(0) = -F(0)/m, and k x = F - F(0) + (m/T)(v(0) - v).
struct Maxwell {
  double m, k, T, v0, F0;
  double v = 0.0, x = 0.0, F = 0.0;

  void at(double t) {
    const double a = 0.5 / T, w = std::sqrt(k / m - a * a), B = (a * v0 - F0 / m) / w;
    const double c = std::cos(w * t), s = std::sin(w * t), e = std::exp(-a * t);
    v = e * (v0 * c + B * s);
    F = m * (a * v - e * w * (B * c - v0 * s));
    x = (F - F0 + m / T * (v0 - v)) / k;
  }
};

TEST(UserLaws, MaxwellElementRelaxesOnARail) {
  const std::string text = planar(R"xml(
    <body name="b" mass="2" inertia="1"/>
    <prismatic name="rail" a="ground" b="b" axis="0.6, 0.8" qd="1.5" target="exact"/>
    <state name="F" start="3 N" der="40 N/m*rail.qd - F/(0.3 s)"/>
    <force joint="rail" value="-F"/>
    <output name="x" value="rail.q"/><output name="v" value="rail.qd"/>
    <output name="F_" value="F"/>)xml");
  Maxwell exact{.m = 2, .k = 40, .T = 0.3, .v0 = 1.5, .F0 = 3};
  in_every_way(text, 3e-12, [&](ModelRun& run) {
    for (const double t : {0.2, 0.7, 1.5}) {
      run.simulation->advance(t);
      exact.at(t);
      EXPECT_NEAR(run.output("x"), exact.x, 1e-8) << t;
      EXPECT_NEAR(run.output("v"), exact.v, 1e-8) << t;
      EXPECT_NEAR(run.output("F_"), exact.F, 1e-8) << t;
    }
  });
  expect_exact_jacobians(text);
}

// A Maxwell element between two free bodies in space, as the law of a spring, sees the reduced mass
// m_1 m_2/(m_1 + m_2); the centre of mass moves on.
TEST(UserLaws, MaxwellElementRelaxesBetweenTwoBodies) {
  const std::string text = spatial(R"xml(
    <body name="a" mass="3" inertia="1, 1, 1"/><body name="b" mass="6" inertia="1, 1, 1"/>
    <free name="fly" b="a" vel="0.2, 0, 0.3"/>
    <prismatic name="way" a="a" b="b" axis="0.6, 0, 0.8" q="2" qd="1.5" target="exact"/>
    <state name="F" start="3 N" der="40 N/m*way.qd - F/(0.3 s)"/>
    <spring name="s" a="a" b="b" length="0.5" law="F"/>
    <output name="x" value="way.q"/><output name="v" value="way.qd"/>
    <output name="F_" of="s" quantity="force"/>
    <output name="z" of="a" quantity="position" component="z"/>)xml");
  Maxwell exact{.m = 2, .k = 40, .T = 0.3, .v0 = 1.5, .F0 = 3};
  in_every_way(text, 3e-12, [&](ModelRun& run) {
    const double vz = 0.3 + 0.8 * 1.5 * 6.0 / 9.0;  // of the centre of mass
    for (const double t : {0.2, 0.7, 1.5}) {
      run.simulation->advance(t);
      exact.at(t);
      EXPECT_NEAR(run.output("x"), 2.0 + exact.x, 1e-8) << t;
      EXPECT_NEAR(run.output("v"), exact.v, 1e-8) << t;
      EXPECT_NEAR(run.output("F_"), exact.F, 1e-8) << t;
      EXPECT_NEAR(run.output("z"), vz * t - 6.0 / 9.0 * 0.8 * exact.x, 1e-8) << t;
    }
  });
  expect_exact_jacobians(text);
}

// A linear and a cubic damper in series bear the same force w: v = w/c + d w^3. Of m v' = -w with
// v' = (1/c + 3 d w^2) w' follow, from w(0) to w,
//   t/m = ln(w(0)/w)/c + (3/2) d (w(0)^2 - w^2)
//   x/m = (w(0) - w)/c^2 + (4/3) (d/c)(w(0)^3 - w^3) + (3/5) d^2 (w(0)^5 - w^5)
struct DampersInSeries {
  double m, c, d, v0;
  double w0 = 0.0, w = 0.0, x = 0.0;

  double speed(double force) const { return force / c + d * force * force * force; }
  void at(double t) {
    w0 = c * v0;
    for (int k = 0; k < 100; ++k) w0 -= (speed(w0) - v0) / (1.0 / c + 3.0 * d * w0 * w0);
    double y = std::log(w0);  // of w
    for (int k = 0; k < 100; ++k) {
      const double e = std::exp(2.0 * y);
      y -= ((std::log(w0) - y) / c + 1.5 * d * (w0 * w0 - e) - t / m) / (-1.0 / c - 3.0 * d * e);
    }
    w = std::exp(y);
    const double one = w0 - w, three = std::pow(w0, 3) - std::pow(w, 3),
                 five = std::pow(w0, 5) - std::pow(w, 5);
    x = m * (one / (c * c) + 4.0 / 3.0 * d / c * three + 0.6 * d * d * five);
  }
};

TEST(UserLaws, DampersInSeriesNeedAnAuxiliaryUnknown) {
  const std::string text = planar(R"xml(
    <body name="b" mass="2" inertia="1"/>
    <prismatic name="rail" a="ground" b="b" axis="0.6, 0.8" qd="4" target="exact"/>
    <algebraic name="w" start="1 N"
               residual="w/(5 N.s/m) + 0.002 m/s/N^3*w^3 - rail.qd"/>
    <force joint="rail" value="-w"/>
    <output name="x" value="rail.q"/><output name="v" value="rail.qd"/>
    <output name="w_" value="w"/>)xml");
  DampersInSeries exact{.m = 2, .c = 5, .d = 0.002, .v0 = 4};
  in_every_way(text, 3e-12, [&](ModelRun& run) {
    exact.at(0.0);
    EXPECT_NEAR(run.output("w_"), exact.w0, 1e-10);
    for (const double t : {0.3, 1.0, 2.5}) {
      run.simulation->advance(t);
      exact.at(t);
      EXPECT_NEAR(run.output("x"), exact.x, 1e-8) << t;
      EXPECT_NEAR(run.output("v"), exact.speed(exact.w), 1e-8) << t;
      EXPECT_NEAR(run.output("w_"), exact.w, 1e-8) << t;
    }
  });
  expect_exact_jacobians(text);
}

// Dampers in series about a hinge in space drive a clutch that follows: r' = (w - r)/T, whose
// integral is known by the angle: r + integral r/T = r(0) + (1/T) integral w = J (omega(0) -
// omega)/T + r(0). So the clutch turns a wheel of inertia J_2 by J_2 omega_2 = T (r(0) - r) + J
// (omega(0) - omega).
TEST(UserLaws, AStateFollowsAnAuxiliaryUnknown) {
  const std::string text = spatial(R"xml(
    <body name="b" mass="2" com="0, 0.3, 0" inertia="1, 1, 2"/>
    <body name="wheel" mass="1" inertia="1, 0.5, 1"/>
    <revolute name="hinge" a="ground" b="b" axis="0, 1, 0" qd="4" target="exact"/>
    <revolute name="axle" a="ground" b="wheel" axis="y" qd="0" target="exact"/>
    <algebraic name="w" start="1 N.m"
               residual="w/(5 N.m.s/rad) + 0.002 rad/s/N^3/m^3*w^3 - hinge.qd"/>
    <state name="r" start="0.7 N.m" der="(w - r)/(0.4 s)"/>
    <torque joint="hinge" value="-w"/><torque joint="axle" value="r"/>
    <output name="q" value="hinge.q"/><output name="qd" value="hinge.qd"/>
    <output name="w_" value="w"/><output name="r_" value="r"/>
    <output name="axle_" value="axle.qd"/>)xml");
  DampersInSeries exact{.m = 1, .c = 5, .d = 0.002, .v0 = 4};
  in_every_way(text, 3e-12, [&](ModelRun& run) {
    for (const double t : {0.15, 0.5, 1.2}) {
      run.simulation->advance(t);
      exact.at(t);
      const double omega = exact.speed(exact.w);
      EXPECT_NEAR(run.output("q"), exact.x, 1e-8) << t;
      EXPECT_NEAR(run.output("qd"), omega, 1e-8) << t;
      EXPECT_NEAR(run.output("w_"), exact.w, 1e-8) << t;
      EXPECT_NEAR(0.5 * run.output("axle_"), 0.4 * (0.7 - run.output("r_")) + 1.0 * (4.0 - omega),
                  1e-8)
          << t;
    }
  });
  expect_exact_jacobians(text);
}

// A brake shoe whose lever presses it on the harder it pulls: the friction w = mu N, N = m g +
// w tan(lever). Solved by hand w = mu m g/(1 - mu tan(lever)); the rail bears N, whose measure the
// unknown uses.
TEST(UserLaws, ABrakePressesItselfOn) {
  const std::string text = planar(R"xml(
    <gravity g="0, -9.81"/>
    <measure name="N" of="rail" quantity="reaction" component="fy"/>
    <body name="b" mass="2" inertia="1"/>
    <prismatic name="rail" a="ground" b="b" axis="x" qd="4" target="exact"/>
    <algebraic name="w" start="1 N" residual="w - 0.3*N"/>
    <force on="b" value="-w, -0.8*w"/>
    <output name="x" value="rail.q"/><output name="v" value="rail.qd"/>
    <output name="w_" value="w"/><output name="N_" of="rail" quantity="reaction" component="fy"/>)xml");
  const double w = 0.3 * 2 * 9.81 / (1.0 - 0.3 * 0.8), N = 2 * 9.81 + 0.8 * w, t = 0.8;
  in_every_way(text, 3e-12, [&](ModelRun& run) {
    EXPECT_NEAR(run.output("w_"), w, 1e-9);
    run.simulation->advance(t);
    EXPECT_NEAR(run.output("x"), 4.0 * t - w / 2 * t * t / 2, 1e-8);
    EXPECT_NEAR(run.output("v"), 4.0 - w / 2 * t, 1e-8);
    EXPECT_NEAR(run.output("w_"), w, 1e-8);
    EXPECT_NEAR(run.output("N_"), N, 1e-8);
  });
  expect_exact_jacobians(text);
}

}  // namespace
}  // namespace mbs::test
