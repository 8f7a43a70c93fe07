// Whole mechanisms against their equations as the literature prints them.

#include <gtest/gtest.h>
#include <Eigen/LU>

#include <cmath>
#include <numbers>

#include "tests/multibody/assembled.hpp"
#include "tests/problems/problems.hpp"

namespace mbs::test {
namespace {

constexpr double pi = std::numbers::pi;

Assembled ready_model(const std::string& name) {
  return Assembled::from_file(std::string(MBS_TEMPLATES) + "/" + name + "/" + name + ".mbs.xml");
}

double largest_residual(const Assembled& m, const State& x) {
  m->position(m.context(), x, want_position_all, *m.ws);
  m->velocity(m.context(), x, *m.ws);
  double largest = 0.0;
  if (m.ws->g.size() > 0) largest = m.ws->g.lpNorm<Eigen::Infinity>();
  if (m.ws->n.size() > 0) largest = std::max(largest, m.ws->n.lpNorm<Eigen::Infinity>());
  return std::max(largest, m.ws->G_v.lpNorm<Eigen::Infinity>());
}

// Andrews' mechanism in absolute coordinates has the accelerations of the seven angles.
TEST(Andrews, HasTheReferenceAccelerationsAtTheStart) {
  const Assembled m = ready_model("andrews");
  State x = m.equations->initial(m.context(), 0.0);
  EXPECT_LT(largest_residual(m, x), 1e-15);  // the initial angles are good to 1e-18
  x = m.start();
  m.solve(x);
  const double v_beta = 14222.4439199541138705911625887, v_Theta = -10666.8329399655854029433719415;
  const double beta = x.a[m.v("crank.omega")];
  EXPECT_NEAR(beta, v_beta, 1e-9 * v_beta);
  EXPECT_NEAR(x.a[m.v("coupler.omega")] - beta, v_Theta, -1e-9 * v_Theta);
  for (const char* still : {"rocker", "link5", "link7"}) {
    EXPECT_NEAR(x.a[m.v(std::string(still) + ".omega")], 0.0, 1e-7) << still;
  }
  // The force in loop 3 is lambda_1, lambda_2 of the literature, in the loops 4 and 6 there is
  // none.
  const int loop = m.lambda("P3");
  EXPECT_NEAR(std::abs(x.lambda[loop]), 98.56687039624108961, 1e-7);
  EXPECT_NEAR(std::abs(x.lambda[loop + 1]), 6.122688344255662655, 1e-7);
  for (const char* name : {"P4", "P6"}) {
    EXPECT_NEAR(x.lambda.segment<2>(m.lambda(name)).norm(), 0.0, 1e-7) << name;
  }
}

// At the end of the reference solution: bodies placed by the angles there.
TEST(Andrews, HasTheReferenceAccelerationsInMotion) {
  const Problem problem = make_problem("andrews");
  const Vector &q = problem.reference->p, &qd = problem.reference->v, &qdd = problem.reference->a;
  Assembled m = ready_model("andrews");
  State x = m.equations->initial(m.context(), 0.0);
  const struct {
    const char* body;
    int angle, relative_to;
  } angles[] = {{"crank", 0, -1}, {"coupler", 1, 0}, {"rocker", 2, -1}, {"link5", 4, -1},
                {"link4", 3, 4},  {"link7", 6, -1},  {"link6", 5, 6}};
  const auto total = [&](const Vector& y, const auto& one) {
    return y[one.angle] + (one.relative_to < 0 ? 0.0 : y[one.relative_to]);
  };
  // Angles of all bodies; their places and velocities follow from the joints.
  for (const auto& one : angles) {
    x.p[m.p(std::string(one.body) + ".phi")] = total(q, one);
    x.v[m.v(std::string(one.body) + ".omega")] = total(qd, one);
  }
  const struct {
    const char *body, *base;
    double pin_x, pin_y, com_x, com_y;  // bearing on the base, centre of mass from the own origin
  } places[] = {{"crank", nullptr, 0, 0, 0.00092, 0},
                {"coupler", "crank", 0.007 - 0.00092, 0, -0.0115, 0},
                {"rocker", nullptr, -0.03635, 0.03273, 0.01043, -0.01874},
                {"link5", nullptr, -0.06934, -0.00227, 0.00916, -0.02308},
                {"link4", "link5", 0.04 - 0.00916, 0.02308, 0, -(0.02 - 0.01421)},
                {"link7", nullptr, -0.06934, -0.00227, -0.00449, -0.01228},
                {"link6", "link7", 0.00449, -0.04 + 0.01228, 0.02 - 0.01421, 0}};
  const auto at = [&](const std::string& body, double s_x, double s_y, Eigen::Vector2d& r,
                      Eigen::Vector2d& v) {
    const double phi = x.p[m.p(body + ".phi")], omega = x.v[m.v(body + ".omega")];
    const Eigen::Vector2d s(std::cos(phi) * s_x - std::sin(phi) * s_y,
                            std::sin(phi) * s_x + std::cos(phi) * s_y);
    r += s;
    v += omega * Eigen::Vector2d(-s.y(), s.x());
  };
  for (const auto& place : places) {
    Eigen::Vector2d r(place.pin_x, place.pin_y), v(0, 0);
    if (place.base != nullptr) {
      const int p = m.p(std::string(place.base) + ".x"), k = m.v(std::string(place.base) + ".vx");
      r = x.p.segment<2>(p);
      v = x.v.segment<2>(k);
      at(place.base, place.pin_x, place.pin_y, r, v);
    }
    at(place.body, place.com_x, place.com_y, r, v);
    x.p.segment<2>(m.p(std::string(place.body) + ".x")) = r;
    x.v.segment<2>(m.v(std::string(place.body) + ".vx")) = v;
  }
  EXPECT_LT(largest_residual(m, x), 1e-13);
  m.solve(x);
  for (const auto& one : angles) {
    const double expected = total(qdd, one);
    EXPECT_NEAR(x.a[m.v(std::string(one.body) + ".omega")], expected, 1e-8 * std::abs(expected))
        << one.body;
  }
}

// lambda = (v.v - g y)/2 per unit of 2 p: the tension is 2 lambda.
TEST(Pendulum, HasTheAccelerationAndTensionOfItsFormula) {
  const Assembled m = ready_model("pendulum");
  const double g = 4.0 * 1.8540746773013719 * 1.8540746773013719;
  State x = m.start();
  m.solve(x);
  EXPECT_NEAR(x.a[m.v("rod.vy")], -g, 1e-12);
  EXPECT_NEAR(m.output(x, "tension"), 0.0, 1e-12);
  for (const double phi : {-0.3, -1.2, 0.8}) {
    const double omega = 1.7;
    x.p << std::cos(phi), std::sin(phi), phi;
    x.v << -std::sin(phi) * omega, std::cos(phi) * omega, omega;
    m.solve(x);
    EXPECT_NEAR(x.a[2], -g * std::cos(phi), 1e-12);
    EXPECT_NEAR(m.output(x, "tension"), std::abs(omega * omega - g * std::sin(phi)), 1e-12);
    EXPECT_NEAR(m.output(x, "energy"), 0.5 * omega * omega + g * std::sin(phi), 1e-12);
    EXPECT_NEAR(m.output(x, "phi"), phi, 1e-15);
    EXPECT_NEAR(m.output(x, "vx"), -std::sin(phi) * omega, 1e-15);
  }
}

// Two uniform rods, the equations of their angles phi and phi + psi from Lagrange's function.
TEST(DoublePendulum, HasTheAccelerationsOfItsFormula) {
  const Assembled m = ready_model("double_pendulum");
  State x = m.start();
  const double L = 0.5, mass = 0.5, J = mass * L * L / 12, g = 9.81;
  const double a1 = -1.1, a2 = 0.4, w1 = 2.0, w2 = -3.0;
  const auto place = [&](const char* body, double a, double w, double base_x, double base_y,
                         double base_vx, double base_vy) {
    const double c = 0.5 * L * std::cos(a), s = 0.5 * L * std::sin(a);
    x.p.segment<3>(m.p(std::string(body) + ".x")) << base_x + c, base_y + s, a;
    x.v.segment<3>(m.v(std::string(body) + ".vx")) << base_vx - s * w, base_vy + c * w, w;
  };
  place("upper", a1, w1, 0, 0, 0, 0);
  place("lower", a2, w2, L * std::cos(a1), L * std::sin(a1), -L * std::sin(a1) * w1,
        L * std::cos(a1) * w1);
  EXPECT_LT(largest_residual(m, x), 1e-15);
  m.solve(x);
  Eigen::Matrix2d M;
  const double coupling = 0.5 * mass * L * L * std::cos(a1 - a2);
  M << J + 1.25 * mass * L * L, coupling, coupling, J + 0.25 * mass * L * L;
  const double gyro = 0.5 * mass * L * L * std::sin(a1 - a2);
  const Eigen::Vector2d f(-gyro * w2 * w2 - 1.5 * mass * g * L * std::cos(a1),
                          gyro * w1 * w1 - 0.5 * mass * g * L * std::cos(a2));
  const Eigen::Vector2d expected = M.inverse() * f;
  EXPECT_NEAR(x.a[m.v("upper.omega")], expected[0], 1e-11);
  EXPECT_NEAR(x.a[m.v("lower.omega")], expected[1], 1e-11);
}

TEST(InsulatorChain, IsTheHandWrittenOne) {
  const int N = 16;
  const Assembled m = ready_model("insulator_chain");
  const Problem problem = make_problem("insul16");
  ASSERT_TRUE(m->structure().saddle.M_may_be_singular);
  State x = m.start();
  // Body by body: rope, triangle, then from below upwards; chain[1] is the top.
  const auto copy = [&](const Vector& source, Vector& to, bool velocity) {
    const auto at = [&](const std::string& name) {
      return velocity ? m.v(name + ".vx") : m.p(name + ".x");
    };
    to.segment<2>(at("rope")) = source.head<2>();
    to.segment<3>(at("triangle")) = source.segment<3>(2);
    for (int i = 2; i <= N + 1; ++i) {
      to.segment<3>(at("chain[" + std::to_string(N + 2 - i) + "]")) =
          source.segment<3>(2 + 3 * (i - 1));
    }
  };
  Vector p = Vector::Zero(x.p.size());
  copy(problem.initial.p, p, false);
  EXPECT_LT((p - x.p).lpNorm<Eigen::Infinity>(), 1e-14);

  Vector a = Vector::Zero(x.v.size());
  copy(problem.reference->p, x.p, false);
  copy(problem.reference->v, x.v, true);
  copy(problem.reference->a, a, true);
  EXPECT_LT(largest_residual(m, x), 1e-13);
  m.solve(x);
  EXPECT_LT((a - x.a).lpNorm<Eigen::Infinity>() / a.lpNorm<Eigen::Infinity>(), 1e-10);
}

// The start of the format's example: exact targets are exact, the loop is closed.
TEST(SliderCrank, StartsClosed) {
  const Assembled m = ready_model("slider_crank");
  State x = m.start();
  EXPECT_LT(largest_residual(m, x), 1e-12);
  EXPECT_NEAR(m.output(x, "phi"), pi / 4, 1e-14);
  EXPECT_NEAR(m.output(x, "w"), 150.0, 1e-11);
  const double r = 0.15, l = 0.3, s = r * std::sqrt(0.5);
  EXPECT_NEAR(m.output(x, "x"), s + std::sqrt(l * l - s * s), 1e-12);
}

// The crank's acceleration from the power theorem: with x(phi) of the slider and beta(phi) of the
// rod, J(phi) phi'' + J'(phi)/2 phi'^2 = torque of gravity and drive.
TEST(SliderCrank, HasTheAccelerationAndReactionOfItsFormula) {
  Assembled m = ready_model("slider_crank");
  State x = m.start();
  x.r[0] = 3.0;  // the drive's torque
  m.solve(x);
  const double r = 0.15, l = 0.3, mc = 0.36, mr = 0.15, ms = 0.07, g = 9.81, phi = pi / 4, w = 150;
  const auto J = [&](double a) {  // twice the kinetic energy at phi' = 1
    const double sb = -r * std::sin(a) / l, b = std::asin(sb);
    const double b1 = -r * std::cos(a) / (l * std::cos(b));
    const double x1 = -r * std::sin(a) - l * std::sin(b) * b1;
    const double cx = -r * std::sin(a) - 0.5 * l * std::sin(b) * b1;
    const double cy = r * std::cos(a) + 0.5 * l * std::cos(b) * b1;
    return mc * r * r / 12 + mc * r * r / 4 + mr * l * l / 12 * b1 * b1 + mr * (cx * cx + cy * cy) +
           ms * x1 * x1;
  };
  const double h = 1e-3;
  const double J1 = (8 * (J(phi + h) - J(phi - h)) - (J(phi + 2 * h) - J(phi - 2 * h))) / (12 * h);
  const double gravity = -g * (mc * 0.5 * r * std::cos(phi) + mr * 0.5 * r * std::cos(phi));
  const double expected = (3.0 - 0.02 * w + gravity - 0.5 * J1 * w * w) / J(phi);
  EXPECT_NEAR(x.a[m.v("crank.omega")], expected, 1e-8 * std::abs(expected));
  EXPECT_NEAR(m.output(x, "P"), 3.0 * w, 1e-9);
  // All forces on the slider: guide and rod against inertia and weight, along y.
  const double N = m.output(x, "N");
  EXPECT_NEAR(N - x.lambda[m.lambda("small") + 1] - ms * g, 0.0, 1e-9 * std::abs(N));
}

// A slider crank in space, its rod held by two balls (so it may spin about itself, which does
// nothing), moves in a plane with the accelerations and forces of the planar one.
TEST(SliderCrank, InSpaceIsTheOneInThePlane) {
  const std::string common = R"xml(
    <revolute name="main" a="ground" b="crank" q="45 deg" qd="150 rad/s" target="exact"/>
    <prismatic name="guide" a="ground" b="slider" axis="x" q="0.4"/>
    <torque joint="main" value="2 N.m - 0.02 N.m.s/rad * main.qd"/>
    <output name="x" of="guide" quantity="q"/>
    <output name="xdd" of="guide" quantity="qdd"/>
    <output name="qdd" of="main" quantity="qdd"/>
    <output name="N" of="guide" quantity="reaction" component="fy"/>
    <output name="S" of="small" quantity="reaction" component="fx"/>
    <output name="ay" of="rod" quantity="acceleration" component="y"/>
    <output name="energy" quantity="energy"/>)xml";
  const Assembled plane(planar(R"xml(
    <gravity g="0, -9.81 m/s^2"/>
    <body name="crank" mass="0.36" com="0.075, 0" inertia="0.001"><frame name="pin" pos="0.15, 0"/></body>
    <body name="rod" mass="0.15" com="0.15, 0" inertia="0.002"><frame name="pin" pos="0.3, 0"/></body>
    <body name="slider" mass="0.07" inertia="0.1"/>
    <revolute name="big" a="crank.pin" b="rod" q="-65 deg"/>
    <revolute name="small" a="rod.pin" b="slider"/>)xml" +
                               common));
  const Assembled space(spatial(R"xml(
    <gravity g="0, -9.81 m/s^2, 0"/>
    <body name="crank" mass="0.36" com="0.075, 0, 0" inertia="0.001, 0.001, 0.001">
      <frame name="pin" pos="0.15, 0, 0"/></body>
    <body name="rod" mass="0.15" com="0.15, 0, 0" inertia="0.0004, 0.002, 0.002">
      <frame name="pin" pos="0.3, 0, 0"/></body>
    <body name="slider" mass="0.07" inertia="0.1, 0.1, 0.1"/>
    <spherical name="big" a="crank.pin" b="rod" rot="0, 0, -65 deg"/>
    <spherical name="small" a="rod.pin" b="slider"/>)xml" +
                                common));
  State a = plane.start(), b = space.start();
  EXPECT_LT(largest_residual(space, b), 1e-11);
  plane.solve(a);
  space.solve(b);
  for (const char* name : {"x", "xdd", "qdd", "N", "S", "ay", "energy"}) {
    const double expected = plane.output(a, name);
    EXPECT_NEAR(space.output(b, name), expected, 1e-9 * (1.0 + std::abs(expected))) << name;
  }
}

}  // namespace
}  // namespace mbs::test
