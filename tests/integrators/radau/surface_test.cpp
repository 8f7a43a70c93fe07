// A ball without friction in a bowl, its contact point on the surface unknown: two contact
// variables s, against the motion in the bowl's own coordinates.

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "tests/integrators/problem_run.hpp"

namespace mbs::test {
namespace {

// The surface S(s) = (s1, s2, (s1^2 + s2^2) / 2), normal n; the ball's centre p has
//
//   0 = c_i = (p - S) . dS/ds_i,   0 = g = (p - S) . n - rho,   G = n^T,   gamma = n' . v
class BallInABowl final : public Equations {
 public:
  static constexpr double gravity = 9.81, rho = 0.3;
  BallInABowl() {
    sizes_.p = sizes_.v = 3;
    sizes_.s = 2;
    sizes_.g = sizes_.lambda = 1;
    structure_.saddle.M = Matrix(Matrix::Identity(3, 3)).sparseView();
    structure_.saddle.G = RowSparse(Matrix::Ones(1, 3).sparseView());
    structure_.saddle.F = ColumnSparse(3, 1);
  }
  using V3 = Eigen::Vector3d;
  static V3 surface(const Vector& s) { return {s[0], s[1], 0.5 * s.squaredNorm()}; }
  static V3 along(const Vector& s, int i) { return {i == 0 ? 1.0 : 0.0, i == 1 ? 1.0 : 0.0, s[i]}; }
  static V3 upward(const Vector& s) { return {-s[0], -s[1], 1.0}; }
  static V3 normal(const Vector& s) { return upward(s).normalized(); }
  static Eigen::Vector2d off(const State& x) {
    const V3 d = V3(x.p) - surface(x.s);
    return {d.dot(along(x.s, 0)), d.dot(along(x.s, 1))};
  }
  // dc/ds
  static Eigen::Matrix2d slope(const State& x) {
    Eigen::Matrix2d c_s;
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) c_s(i, j) = -along(x.s, i).dot(along(x.s, j));
      c_s(i, i) += x.p[2] - surface(x.s)[2];
    }
    return c_s;
  }
  State initial(const Context&, double t0) const override {
    State x(sizes_);
    x.t = t0;
    x.s << 1.0, 0.0;
    x.p = surface(x.s) + rho * normal(x.s);
    x.v << 0.0, 1.5, 0.0;
    return x;
  }
  bool solve_auxiliary(const Context&, State& x, Workspace&) const override {
    for (int k = 0; k < 50; ++k) {
      const Eigen::Vector2d change = slope(x).inverse() * off(x);
      x.s -= change;
      if (change.norm() <= 1e-15 * (1.0 + x.s.norm())) return true;
    }
    return false;
  }
  void position(const Context&, const State& x, unsigned want, Workspace& ws) const override {
    if (want & want_M) ws.M.coeffs().setOnes();
    if (want & want_G) {
      for (int i = 0; i < 3; ++i) ws.G.coeffs()[i] = normal(x.s)[i];
    }
    if (want & want_g) ws.g[0] = (V3(x.p) - surface(x.s)).dot(normal(x.s)) - rho;
    if (want & want_c) ws.c = off(x);
  }
  void velocity(const Context&, const State& x, Workspace& ws) const override {
    ws.p_dot = x.v;
    ws.G_v.noalias() = ws.G * x.v;
  }
  void force(const Context&, const State&, unsigned want, Workspace& ws) const override {
    if (want & want_f) ws.f << 0.0, 0.0, -gravity;
  }
  void gamma(const Context&, const State& x, Workspace& ws) const override {
    const V3 v = x.v, n = normal(x.s);
    const Eigen::Vector2d c_t(v.dot(along(x.s, 0)), v.dot(along(x.s, 1)));
    const Eigen::Vector2d s_dot = -slope(x).inverse() * c_t;
    const V3 up(-s_dot[0], -s_dot[1], 0.0);
    ws.gamma[0] = v.dot(up - n * n.dot(up)) / upward(x.s).norm();
  }
};

// The centre moves on a surface of revolution: r(u) = u - rho u / w, z(u) = u^2 / 2 + rho / w, with
// w = sqrt(1 + u^2), u the distance of the contact point from the axis; r^2 phi' = L stays.
struct Meridian {
  double r, z, r1, z1, r2, z2;
  explicit Meridian(double u) {
    const double rho = BallInABowl::rho, w2 = 1.0 + u * u, w = std::sqrt(w2);
    r = u - rho * u / w;
    z = 0.5 * u * u + rho / w;
    r1 = 1.0 - rho / (w2 * w);
    z1 = u - rho * u / (w2 * w);
    r2 = 3.0 * rho * u / (w2 * w2 * w);
    z2 = 1.0 - rho * (1.0 - 2.0 * u * u) / (w2 * w2 * w);
  }
};

TEST(RadauMechanisms, ABallRollsOnACurvedSurfaceWithItsContactPoint) {
  const double t_end = 4.0;
  const auto begin = BallInABowl().initial({Inputs(0), Parameters()}, 0.0);
  const double L = begin.p[0] * begin.v[1];
  // u, u', phi by Runge and Kutta: (r'^2 + z'^2) u'' + (r' r'' + z' z'') u'^2 = r' L^2 / r^3 - g z'
  Eigen::Vector3d y(1.0, 0.0, 0.0);
  const auto f = [L](const Eigen::Vector3d& at) {
    const Meridian m(at[0]);
    const double right = m.r1 * L * L / (m.r * m.r * m.r) - BallInABowl::gravity * m.z1 -
                         (m.r1 * m.r2 + m.z1 * m.z2) * at[1] * at[1];
    return Eigen::Vector3d(at[1], right / (m.r1 * m.r1 + m.z1 * m.z1), L / (m.r * m.r));
  };
  constexpr int steps = 40000;
  const double h = t_end / steps;
  for (int i = 0; i < steps; ++i) {
    const Eigen::Vector3d k1 = f(y), k2 = f(y + 0.5 * h * k1), k3 = f(y + 0.5 * h * k2),
                          k4 = f(y + h * k3);
    y += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
  const Meridian m(y[0]);
  const Eigen::Vector3d exact(m.r * std::cos(y[2]), m.r * std::sin(y[2]), m.z);
  const auto equations = std::make_shared<BallInABowl>();
  for (const char* keyword :
       {"radau", "radau structure=sparse", "radau form=index1", "radau algebraic=svd"}) {
    ProblemRun run(equations, begin, t_end);
    for (const double tolerance : {1e-5, 1e-8}) {
      const auto integrator = run.start(keyword, with_tolerance(tolerance));
      ProblemRun::advance(*integrator, t_end);
      const State& x = integrator->state();
      EXPECT_LT((x.p - exact).norm(), 100.0 * tolerance) << keyword << " at " << tolerance;
      EXPECT_NEAR(x.s.norm(), y[0], 100.0 * tolerance) << keyword;
      EXPECT_LT(BallInABowl::off(x).norm(), 1e-9) << keyword;
      EXPECT_NEAR(x.p[0] * x.v[1] - x.p[1] * x.v[0], L, 100.0 * tolerance) << keyword;
    }
  }
}

}  // namespace
}  // namespace mbs::test
