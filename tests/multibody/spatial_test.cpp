// Bodies in space against the closed forms of textbooks.

#include <gtest/gtest.h>
#include <Eigen/Geometry>

#include <cmath>

#include "tests/multibody/assembled.hpp"

namespace mbs::test {
namespace {

constexpr double g = 9.81;

// Euler's equations: J1 w1' = (J2 - J3) w2 w3, ... and no force on the centre of mass but weight.
TEST(FreeBody, FollowsEulersEquations) {
  const Assembled m(spatial(R"xml(
    <gravity g="0, 0, -9.81 m/s^2"/>
    <body name="b" mass="2" com="0.3, -0.2, 0.1" inertia="1, 2, 2.5"/>
    <free name="f" b="b" rot="0.4, -0.3, 1.2" omega="1, 2, 3" pos="1, 2, 3" vel="0.5, 0, 0" target="exact"/>
    <output name="wx" of="b" quantity="angular_velocity" component="x"/>
    <output name="energy" quantity="energy"/>)xml"));
  State x = m.start();
  EXPECT_NEAR(m.output(x, "wx"), 1.0, 1e-13);  // omega of <free> is in the axes of a
  const Eigen::Vector3d w = x.v.tail<3>();
  m.solve(x);
  EXPECT_NEAR(x.a[0], 0.0, 1e-14);
  EXPECT_NEAR(x.a[2], -g, 1e-13);
  EXPECT_NEAR(x.a[3], (2.0 - 2.5) * w[1] * w[2] / 1.0, 1e-13);
  EXPECT_NEAR(x.a[4], (2.5 - 1.0) * w[2] * w[0] / 2.0, 1e-13);
  EXPECT_NEAR(x.a[5], (1.0 - 2.0) * w[0] * w[1] / 2.5, 1e-13);
}

// Half of what the square of the norm differs from 1, whichever unknowns there are.
TEST(FreeBody, ResidualShowsTheNorm) {
  for (const char* coordinates : {"absolute", "joint", "mixed"}) {
    SCOPED_TRACE(coordinates);
    const Assembled m(spatial(R"xml(
      <body name="b" mass="2 kg" inertia="1 kg.m^2, 2 kg.m^2, 2.5 kg.m^2"/>
      <spherical name="s" a="ground" b="b"/><output name="drift" quantity="residual"/>)xml"),
                      coordinates);
    State x = m.start();
    m.solve(x);
    EXPECT_NEAR(m.output(x, "drift"), 0.0, 1e-15);
    const int e = m->structure().euler_parameters.at(0);
    x.p.segment<4>(e) *= 1.01;
    m.solve(x);
    EXPECT_NEAR(m.output(x, "drift"), 0.5 * (1.01 * 1.01 - 1.0), 1e-12);
  }
}

// The heavy symmetric top: in steady precession with Omega about the vertical at the angle theta,
//   (J3 s - J Omega cos theta) Omega = m g l,   s: spin about the own axis.
TEST(Top, PrecessesSteadily) {
  const double theta = 0.5, J = 0.02 + 0.5 * 0.1 * 0.1, J3 = 0.01, Omega = 2.0;
  const double spin = 0.5 * g * 0.1 / (J3 * Omega) + J * Omega * std::cos(theta) / J3;
  char omega[200];
  // The angular velocity in the axes of ground: Omega about z, and spin beyond what Omega gives
  // about the own axis (0, -sin theta, cos theta) after the turn about x.
  const double relative = spin - Omega * std::cos(theta);
  std::snprintf(omega, sizeof omega, "0, %.17g, %.17g", -relative * std::sin(theta),
                Omega + relative * std::cos(theta));
  const Assembled m(spatial(std::string(R"xml(
    <gravity g="0, 0, -9.81 m/s^2"/>
    <body name="top" mass="0.5" com="0, 0, 0.1" inertia="0.02, 0.02, 0.01"/>
    <spherical name="tip" a="ground" b="top" rot="0.5, 0, 0" target="exact" omega=")xml") +
                            omega + R"xml("/>
    <output name="ax" of="top" quantity="angular_acceleration" component="x"/>
    <output name="ay" of="top" quantity="angular_acceleration" component="y"/>
    <output name="az" of="top" quantity="angular_acceleration" component="z"/>
    <output name="fz" of="tip" quantity="reaction" component="fz"/>
    <output name="fy" of="tip" quantity="reaction" component="fy"/>)xml"));
  State x = m.start();
  m.solve(x);
  // omega' = Omega e_z x omega
  EXPECT_NEAR(m.output(x, "ax"), Omega * relative * std::sin(theta), 1e-10);
  EXPECT_NEAR(m.output(x, "ay"), 0.0, 1e-10);
  EXPECT_NEAR(m.output(x, "az"), 0.0, 1e-10);
  // The centre of mass runs on a circle of radius l sin theta, towards the axis.
  EXPECT_NEAR(m.output(x, "fz"), 0.5 * g, 1e-10);
  EXPECT_NEAR(m.output(x, "fy"), 0.5 * Omega * Omega * 0.1 * std::sin(theta), 1e-10);
}

// A bob on a rod: tension m (g cos theta + v^2/l), whatever its own inertia is.
TEST(SphericalPendulum, HasTheTensionOfItsFormula) {
  const double theta = 0.7, l = 1.3, v = 0.9, mass = 0.4;
  char line[300];
  // The bob moves along x, perpendicular to its plane: omega along the other perpendicular of rod.
  const double rod_y = std::sin(theta), rod_z = -std::cos(theta);
  std::snprintf(
      line, sizeof line,
      "<body name=\"rod\" mass=\"%.17g\" com=\"0, 0, -%.17g\" inertia=\"0.001, 0.001, 0.0005\"/>"
      "<spherical name=\"pin\" a=\"ground\" b=\"rod\" rot=\"%.17g, 0, 0\" target=\"exact\" "
      "omega=\"0, %.17g, %.17g\"/>",
      mass, l, theta, rod_z * v / l, -rod_y * v / l);
  const Assembled m(spatial(std::string("<gravity g=\"0, 0, -9.81 m/s^2\"/>") + line + R"xml(
    <output name="tension" of="pin" quantity="reaction" component="norm"/>
    <output name="fy" of="pin" quantity="reaction" component="fy"/>
    <output name="fz" of="pin" quantity="reaction" component="fz"/>)xml"));
  State x = m.start();
  EXPECT_NEAR(std::abs(x.v[0]), v, 1e-13);
  m.solve(x);
  const double radial = -(m.output(x, "fy") * rod_y + m.output(x, "fz") * rod_z);
  EXPECT_NEAR(radial, mass * (g * std::cos(theta) + v * v / l), 1e-11);
}

// The rates of momentum and angular momentum of a free chain are those of the outer forces.
TEST(FreeChain, MomentumIsKept) {
  const Assembled m(spatial(R"xml(
    <body name="a" mass="1.5" com="0.1, 0.2, -0.1" inertia="0.7, 0.8, 0.9, 0.02, -0.03, 0.04">
      <frame name="f" pos="0.5, -0.3, 0.2" rot="0.7, 0.2, -0.5"/></body>
    <body name="b" mass="0.5" com="-0.2, 0.3, 0.4" inertia="0.2, 0.3, 0.25"/>
    <body name="c" mass="0.8" inertia="0.1, 0.1, 0.1"><frame name="f" pos="0.3, 0.1, 0"/></body>
    <revolute name="r" a="a.f" b="b" axis="1, 1, 0" q="0.4" qd="2" stiffness="3" damping="0.2"/>
    <spherical name="s" a="b" b="c.f" rot="0.2, 0.4, 0.1" omega="1, -2, 3"/>
    <free name="f" b="a" rot="0.4, 0.2, 0.9" omega="3, 2, -1" vel="1, 2, 3"/>
    <spring a="a" b="c" stiffness="20" length="0.1" damping="0.5"/>
    <torque on="a" in="b" reaction_on="c" value="1, 2, 3"/>)xml"));
  State x = m.start();
  m.solve(x);
  m->position(m.context(), x, want_position_all, *m.ws);
  Eigen::Vector3d momentum = Eigen::Vector3d::Zero(), angular = Eigen::Vector3d::Zero();
  int body = 0;
  for (const int e : m->structure().euler_parameters) {
    const Eigen::Quaterniond q(x.p[e], x.p[e + 1], x.p[e + 2], x.p[e + 3]);
    const int k = 6 * body++;
    const Eigen::Vector3d r = x.p.segment<3>(e - 3), v = x.v.segment<3>(k), a = x.a.segment<3>(k);
    const Eigen::Vector3d w = x.v.segment<3>(k + 3), wd = x.a.segment<3>(k + 3);
    const Eigen::Matrix3d J = Matrix(m.ws->M).block<3, 3>(k + 3, k + 3);
    const double mass = m.ws->M.coeff(k, k);
    momentum += mass * a;
    angular += r.cross(mass * a) + v.cross(mass * v) + q * (J * wd + w.cross(J * w));
  }
  EXPECT_LT(momentum.norm(), 1e-11);
  EXPECT_LT(angular.norm(), 1e-11);
}

}  // namespace
}  // namespace mbs::test
