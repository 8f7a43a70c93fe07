// Tyre and wheel on rail against closed forms.

#include <gtest/gtest.h>
#include <Eigen/Dense>

#include <cmath>
#include <numbers>

#include "tests/multibody/assembled.hpp"

namespace mbs::test {
namespace {

Vector rates(const Assembled& m, const State& x) {
  m->position(m.context(), x, want_position_all, *m.ws);
  m->velocity(m.context(), x, *m.ws);
  m->force(m.context(), x, want_force_all, *m.ws);
  return m.ws->b;
}

const std::string tyre_outputs = R"(<output name="Fz" of="t" quantity="force"/>
  <output name="Fx" of="t" quantity="value" component="longitudinal"/>
  <output name="x" of="t" quantity="value" component="deflection"/>)";

// Sunk in by 10 mm, at 12 m/s, spinning too fast; the road is turned by 30 deg.
TEST(Tyre, ActsInThePlane) {
  const double R = 0.3, x0 = 0.01, v = 12, spin = 45, kappa = 0.02;
  const Assembled m(planar(R"(<frame name="road" pos="1, 2" rot="30 deg"/>
    <body name="wheel" mass="20" inertia="0.9"/>
    <free a="road" b="wheel" pos="5, 0.29" vel="12, -0.1" omega="-45"/>
    <tyre name="t" wheel="wheel" road="road" radius="0.3" stiffness="200 kN/m" damping="400"
      slip_stiffness="60 kN" friction="0.9" relaxation_x="0.2" start_x="0.02"/>)" +
                           tyre_outputs));
  State x = m.start();
  m.solve(x);
  const double F_z = 200e3 * x0 + 400 * 0.1;
  const double limit = 0.9 * F_z, F_x = limit * std::tanh(60e3 * kappa / limit);
  EXPECT_NEAR(m.output(x, "Fz"), F_z, 1e-9);
  EXPECT_NEAR(m.output(x, "x"), x0, 1e-14);
  EXPECT_NEAR(m.output(x, "Fx"), F_x, 1e-9);
  const double slip = v - spin * (R - x0 / 3);
  EXPECT_NEAR(rates(m, x)[0], (-slip - v * kappa) / 0.2, 1e-10);
  const double c = std::cos(std::numbers::pi / 6), s = 0.5;
  EXPECT_NEAR(x.a[0], (c * F_x - s * F_z) / 20, 1e-10);
  EXPECT_NEAR(x.a[1], (s * F_x + c * F_z) / 20, 1e-10);
  EXPECT_NEAR(x.a[2], F_x * (R - x0) / 0.9, 1e-10);  // driving, it is braked
}

TEST(Tyre, DoesNothingInTheAir) {
  const Assembled m(planar(R"(<body name="wheel" mass="20" inertia="0.9"/>
    <free b="wheel" pos="5, 0.31" vel="12, -0.1" omega="-45"/>
    <tyre name="t" wheel="wheel" radius="0.3" stiffness="200 kN/m" damping="400"
      slip_stiffness="60 kN" relaxation_x="0.2" start_x="0.02"/>)" +
                           tyre_outputs));
  State x = m.start();
  m.solve(x);
  EXPECT_EQ(x.a.norm(), 0.0);
  EXPECT_EQ(m.output(x, "Fz"), 0.0);
}

// Rolling at a slip angle of 0.05 and a camber of 0.2; steady slips give steady forces.
TEST(Tyre, ActsInSpace) {
  const double camber = 0.2, R = 0.3, height = 0.28, v = 10;
  const Assembled m(spatial(R"xml(<body name="wheel" mass="20" inertia="0.9, 0.9, 0.9"/>
    <free b="wheel" pos="5, 1, 0.28" rot="0.2, 0, 0" vel="10, 0.5, 0" omega="0, 34*cos(0.2), 34*sin(0.2)" target="exact"/>
    <tyre name="t" wheel="wheel" radius="0.3" stiffness="200 kN/m" cornering_stiffness="50 kN/rad"
      slip_stiffness="60 kN" friction="0.8" relaxation_x="0.2" relaxation_y="0.5" start_x="0.01"
      start_y="-0.05"/><output name="Fy" of="t" quantity="value" component="lateral"/>)xml" +
                            tyre_outputs));
  State x = m.start();
  m.solve(x);
  const double rho = height / std::cos(camber), deflection = R - rho, F_z = 200e3 * deflection;
  const double fx = 60e3 * 0.01, fy = 50e3 * -0.05, size = std::hypot(fx, fy) / (0.8 * F_z);
  const double f = std::tanh(size) / size;
  EXPECT_NEAR(m.output(x, "Fz"), F_z, 1e-8);
  EXPECT_NEAR(m.output(x, "Fx"), f * fx, 1e-8);
  EXPECT_NEAR(m.output(x, "Fy"), f * fy, 1e-8);
  EXPECT_NEAR(x.a[0], f * fx / 20, 1e-10);
  EXPECT_NEAR(x.a[1], f * fy / 20, 1e-10);
  EXPECT_NEAR(x.a[2], F_z / 20, 1e-9);
  // omega is about the tilted axis (0, cos, sin), the contact at rho (sin, -cos) from the centre.
  const Vector b = rates(m, x);
  EXPECT_NEAR(b[0], (-(v - 34 * (R - deflection / 3)) - v * 0.01) / 0.2, 1e-9);
  EXPECT_NEAR(b[1], (-0.5 - v * -0.05) / 0.5, 1e-10);
  // Moments about the centre, in the wheel's axes x, y.
  const Eigen::Vector3d arm(0, rho * std::sin(camber), -rho * std::cos(camber));
  const Eigen::Vector3d M = arm.cross(Eigen::Vector3d(f * fx, f * fy, F_z));
  EXPECT_NEAR(x.a[3], M[0] / 0.9, 1e-9);
  EXPECT_NEAR(x.a[4], (std::cos(camber) * M[1] + std::sin(camber) * M[2]) / 0.9, 1e-9);
}

TEST(WheelRail, CreepsAndSaturates) {
  const double R = 0.46, x0 = 5e-5, N = 1e9 * x0, v = 20;
  for (const double spin : {43.3, 30.0}) {
    const Assembled m(planar(R"(<body name="wheel" mass="600" inertia="60"/>
      <free b="wheel" pos="0, 0.45995" vel="20, 0" omega="-)" +
                             std::to_string(spin) + R"("/>
      <wheel_rail name="c" wheel="wheel" radius="0.46" stiffness="1 GN/m" creep_x="8 MN"
        friction="0.25" low_speed="0.5"/>
      <output name="N" of="c" quantity="force"/>
      <output name="T" of="c" quantity="value" component="longitudinal"/>
      <output name="nu" of="c" quantity="value" component="creepage_x"/>)"));
    State x = m.start();
    m.solve(x);
    const double nu = (v - spin * R) / std::hypot(v, 0.5), u = 8e6 * std::abs(nu) / (0.25 * N);
    const double f = u < 3 ? 1 - u / 3 + u * u / 27 : 1 / u;
    EXPECT_NEAR(m.output(x, "N"), N, 1e-4);
    EXPECT_NEAR(m.output(x, "nu"), nu, 1e-14);
    EXPECT_NEAR(m.output(x, "T"), -8e6 * nu * f, 1e-4);
    EXPECT_NEAR(x.a[0], -8e6 * nu * f / 600, 1e-6);
    EXPECT_EQ(u > 3, spin < 40);
  }
}

// The hunting of a slow free wheelset: after a start with an offset y it crosses the middle at a
// quarter of the wavelength and at three quarters. Klingel's wavelength is 2 pi sqrt(r0 b/cone), b
// being half the distance of the contacts. The axle also rolls by cone y/b, which moves the
// contacts sideways by r0 times that and makes it longer by the root of 1 + cone r0/b. Classical
// Runge-Kutta.
TEST(WheelRail, HasKlingelsWavelength) {
  const double r0 = 0.46, b = 0.75, cone = 0.05, v = 5;
  const Assembled m(spatial(R"(<gravity g="0, 0, -9.81"/>
    <frame name="left" pos="0, 0.75, 0"/><frame name="right" pos="0, -0.75, 0"/>
    <body name="set" mass="500" inertia="200, 40, 200">
      <frame name="l" pos="0, 0.75, 0"/><frame name="r" pos="0, -0.75, 0"/></body>
    <free b="set" pos="0, 2 mm, 0.4599755" vel="5, 0, 0" omega="0, 10.8695652, 0"/>
    <wheel_rail wheel="set.l" rail="left" radius="0.46" cone="0, 0.05, 0" stiffness="100 MN/m"
      damping="80 kN.s/m" creep_x="1 MN" creep_y="1 MN"/>
    <wheel_rail wheel="set.r" rail="right" radius="0.46" cone="0, -0.05, 0" stiffness="100 MN/m"
      damping="80 kN.s/m" creep_x="1 MN" creep_y="1 MN"/>)"));
  State x = m.start();
  struct Slope {
    Vector p, v;
  };
  const auto slope = [&](const State& at) {
    State here = at;
    m.solve(here);
    Vector p_dot(m->sizes().p);
    m->apply_Z(m.context(), here, here.v, p_dot);
    return Slope{p_dot, here.a};
  };
  constexpr double h = 1e-3;
  std::vector<double> crossings;  // x where y changes its sign
  for (int step = 0; step < 3000 && crossings.size() < 2; ++step) {
    const State before = x;
    const auto moved = [&](double dt, const Slope& k) {
      State y = before;
      y.p += dt * k.p;
      y.v += dt * k.v;
      return y;
    };
    const Slope k1 = slope(before), k2 = slope(moved(h / 2, k1)), k3 = slope(moved(h / 2, k2)),
                k4 = slope(moved(h, k3));
    x.p += h / 6 * (k1.p + 2 * k2.p + 2 * k3.p + k4.p);
    x.v += h / 6 * (k1.v + 2 * k2.v + 2 * k3.v + k4.v);
    m->normalise(x);
    if (before.p[1] * x.p[1] < 0) {
      const double part = before.p[1] / (before.p[1] - x.p[1]);
      crossings.push_back(before.p[0] + part * (x.p[0] - before.p[0]));
    }
  }
  const double wavelength = 2 * std::numbers::pi * std::sqrt(r0 * b / cone * (1 + cone * r0 / b));
  ASSERT_EQ(crossings.size(), 2u);
  EXPECT_NEAR(2 * (crossings[1] - crossings[0]), wavelength, 1e-4 * wavelength);
  EXPECT_NEAR(x.v[0], v, 0.01);
}

}  // namespace
}  // namespace mbs::test
