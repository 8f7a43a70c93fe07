// Parts of the general form that the benchmarks lack: redundant constraints, nonholonomic ones,
// contact variables; each against a reference of another kind.

#include <gtest/gtest.h>

#include <cmath>

#include "engine/integrators/radau/integrator.hpp"
#include "tests/integrators/problem_run.hpp"
#include "tests/support/allocation_counter.hpp"

namespace mbs::test {
namespace {

// A parallelogram with three cranks and two couplers in space, masses at the couplers' three
// joints B_0, B_1, B_2: 9 coordinates, one degree of freedom, and 11 constraints, of which three
// are redundant all the time: the length from B_0 to B_2, and that z is the same along each
// coupler.
//
// theta'' = -g cos(theta), B_i = (i + cos theta, sin theta, 0).
class Parallelogram final : public Equations {
 public:
  static constexpr double gravity = 9.81;
  Parallelogram() {
    sizes_.p = sizes_.v = 9;
    sizes_.g = sizes_.lambda = 11;
    structure_.saddle.M = Matrix(Matrix::Identity(9, 9)).sparseView();
    structure_.saddle.G = RowSparse(Matrix::Ones(11, 9).sparseView());
    structure_.saddle.F = ColumnSparse(9, 11);
    for (int i = 1; i <= 11; ++i) structure_.lambda_names.push_back("bar" + std::to_string(i));
  }
  State initial(const Context&, double t0) const override {
    State x(sizes_);
    x.t = t0;
    set(x, -0.6, 0.4);  // stays between the cranks' horizontal positions, where rank is lost
    return x;
  }
  static void set(State& x, double theta, double omega) {
    for (int i = 0; i < 3; ++i) {
      x.p.segment<3>(3 * i) << i + std::cos(theta), std::sin(theta), 0.0;
      x.v.segment<3>(3 * i) << -omega * std::sin(theta), omega * std::cos(theta), 0.0;
    }
  }
  void position(const Context&, const State& x, unsigned want, Workspace& ws) const override {
    if (want & want_M) ws.M.coeffs().setOnes();
    if (!(want & (want_G | want_g))) return;
    Eigen::Matrix<double, 11, 9> G = Eigen::Matrix<double, 11, 9>::Zero();
    const auto distance = [&](int row, int i, int j, double length) {
      Eigen::Vector3d d = x.p.segment<3>(3 * i);
      d -= j >= 0 ? Eigen::Vector3d(x.p.segment<3>(3 * j)) : Eigen::Vector3d(i, 0.0, 0.0);
      if (want & want_g) ws.g[row] = 0.5 * (d.squaredNorm() - length * length);
      G.block<1, 3>(row, 3 * i) = d.transpose();
      if (j >= 0) G.block<1, 3>(row, 3 * j) = -d.transpose();
    };
    for (int i = 0; i < 3; ++i) distance(i, i, -1, 1.0);
    distance(3, 0, 1, 1.0);
    distance(4, 1, 2, 1.0);
    distance(5, 0, 2, 2.0);
    for (int i = 0; i < 3; ++i) {
      G(6 + i, 3 * i + 2) = 1.0;
      if (want & want_g) ws.g[6 + i] = x.p[3 * i + 2];
    }
    for (int i = 0; i < 2; ++i) {
      G(9 + i, 3 * i + 2) = 1.0;
      G(9 + i, 3 * i + 5) = -1.0;
      if (want & want_g) ws.g[9 + i] = x.p[3 * i + 2] - x.p[3 * i + 5];
    }
    if (want & want_G) {
      for (int i = 0; i < 11; ++i) {
        for (RowSparse::InnerIterator entry(ws.G, i); entry; ++entry) {
          entry.valueRef() = G(i, entry.col());
        }
      }
    }
  }
  void velocity(const Context&, const State& x, Workspace& ws) const override {
    ws.p_dot = x.v;
    ws.G_v.noalias() = ws.G * x.v;
  }
  void force(const Context&, const State&, unsigned want, Workspace& ws) const override {
    if (!(want & want_f)) return;
    for (int i = 0; i < 3; ++i) ws.f.segment<3>(3 * i) << 0.0, -gravity, 0.0;
  }
  void gamma(const Context&, const State& x, Workspace& ws) const override {
    ws.gamma.setZero();
    const auto v = [&](int i) { return Eigen::Vector3d(x.v.segment<3>(3 * i)); };
    for (int i = 0; i < 3; ++i) ws.gamma[i] = v(i).squaredNorm();
    ws.gamma[3] = (v(0) - v(1)).squaredNorm();
    ws.gamma[4] = (v(1) - v(2)).squaredNorm();
    ws.gamma[5] = (v(0) - v(2)).squaredNorm();
  }
};

// Classical Runge-Kutta with many steps: an integrator of another kind.
template <class Function>
Eigen::Vector2d runge_kutta(Eigen::Vector2d y, double t_end, int steps, Function&& f) {
  const double h = t_end / steps;
  for (int i = 0; i < steps; ++i) {
    const Eigen::Vector2d k1 = f(y), k2 = f(y + 0.5 * h * k1), k3 = f(y + 0.5 * h * k2),
                          k4 = f(y + h * k3);
    y += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
  return y;
}

ProblemRun run_of(const std::shared_ptr<const Equations>& equations, double t_end) {
  const Parameters parameters = equations->default_parameters();
  const Inputs inputs = equations->default_inputs(parameters);
  return ProblemRun(equations, equations->initial({inputs, parameters}, 0.0), t_end);
}

TEST(RadauMechanisms, RedundantConstraintsAreTreated) {
  const double t_end = 3.0;
  const Eigen::Vector2d exact =
      runge_kutta({-0.6, 0.4}, t_end, 20000, [](const Eigen::Vector2d& y) {
        return Eigen::Vector2d(y[1], -Parallelogram::gravity * std::cos(y[0]));
      });
  for (const char* keyword : {"radau", "radau algebraic=qr", "radau algebraic=svd",
                              "radau structure=sparse", "radau form=index1"}) {
    ProblemRun run = run_of(std::make_shared<Parallelogram>(), t_end);
    State reference = run.x0;
    Parallelogram::set(reference, exact[0], exact[1]);
    for (const double tolerance : {1e-5, 1e-9}) {
      SCOPED_TRACE(std::string(keyword) + " at " + std::to_string(tolerance));
      const auto integrator =
          make_variant(keyword, *run.equations, run.context(), with_tolerance(tolerance));
      integrator->start(run.x0);
      EXPECT_NE(integrator->describe().find("least norm"), std::string::npos)
          << integrator->describe();
      State x = run.x0;
      while (integrator->state().t < t_end) {
        ASSERT_NO_THROW(integrator->step(t_end));
        EXPECT_LT(run.position_residual(integrator->state()), 1e-9);
        EXPECT_LT(run.velocity_residual(integrator->state()), 1e-9);
        integrator->interpolate(0.5 * (integrator->step_begin() + integrator->state().t), true, x);
        EXPECT_LT(run.position_residual(x), 1e-9);
      }
      EXPECT_LT(error_of(integrator->state().p, reference.p), 30.0 * tolerance) << keyword;
      // of least norm: orthogonal to the kernel of G^T, which is known: y_3 + y_4 - y_5 / 2 ...
      const Vector& lambda = integrator->state().lambda;
      Vector kernel = Vector::Zero(11);
      kernel.segment<3>(3) << 2.0, 2.0, -1.0;
      EXPECT_NEAR(kernel.dot(lambda), 0.0, 1e-9 * lambda.norm());
    }
  }
  ProblemRun run = run_of(std::make_shared<Parallelogram>(), t_end);
  const auto plain =
      make_variant("radau algebraic=lu", *run.equations, run.context(), with_tolerance(1e-6));
  try {
    plain->start(run.x0);
    FAIL() << "lu cannot treat redundant constraints";
  } catch (const SolverFailure& failure) {
    EXPECT_NE(std::string(failure.what()).find("algebraic"), std::string::npos) << failure.what();
  }
}

TEST(RadauMechanisms, RestoredWithRedundantConstraintsItContinuesToTheBit) {
  ProblemRun run = run_of(std::make_shared<Parallelogram>(), 3.0);
  for (const char* keyword : {"radau", "radau algebraic=svd", "radau structure=sparse"}) {
    const auto integrator =
        make_variant(keyword, *run.equations, run.context(), with_tolerance(1e-6));
    integrator->start(run.x0);
    for (int i = 0; i < 8; ++i) integrator->step(3.0);
    std::vector<std::byte> bytes;
    ByteWriter out(bytes);
    integrator->save(out);
    const auto other = make_variant(keyword, *run.equations, run.context(), with_tolerance(1e-6));
    ByteReader in(bytes);
    other->restore(in);
    EXPECT_TRUE(in.at_end());
    for (int i = 0; i < 8; ++i) {
      integrator->step(3.0);
      other->step(3.0);
      ASSERT_TRUE(same_bits(integrator->state(), other->state())) << keyword << " step " << i;
    }
  }
}

TEST(RadauMechanisms, AWarmStepWithRedundantConstraintsAllocatesNothing) {
  if (!allocations_are_counted) GTEST_SKIP() << "allocations are not counted in this build";
  ProblemRun run = run_of(std::make_shared<Parallelogram>(), 3.0);
  for (const char* keyword : {"radau", "radau algebraic=svd", "radau structure=sparse"}) {
    IntegratorOptions options = with_tolerance(1e-6);
    options.max_step = 0.02;
    const auto integrator = make_variant(keyword, *run.equations, run.context(), options);
    integrator->start(run.x0);
    State x = run.x0;
    const auto step = [&] {
      integrator->step(3.0);
      integrator->interpolate(0.5 * (integrator->step_begin() + integrator->state().t), true, x);
    };
    for (int i = 0; i < 3; ++i) step();
    EXPECT_EQ(allocations_in([&] {
                for (int i = 0; i < 3; ++i) step();
              }),
              0)
        << keyword;
  }
}

TEST(RadauMechanisms, NonholonomicConstraintsAreKept) {
  for (const char* problem : {"knife_edge", "rolling_disc"}) {
    for (const char* keyword : {"radau", "radau structure=sparse", "radau form=index1"}) {
      ProblemRun run(problem);
      for (const double tolerance : {1e-5, 1e-8}) {
        const auto integrator = run.start(keyword, with_tolerance(tolerance));
        while (integrator->state().t < run.t_end) {
          integrator->step(run.t_end);
          EXPECT_LT(run.velocity_residual(integrator->state()), 1e-9);
        }
        EXPECT_LT(error_of(integrator->state().p, run.reference->p), 100.0 * tolerance)
            << problem << ", " << keyword;
      }
    }
  }
}

// A bead on a curve that is known by a parameter s, the contact point: x = s + s^3 / 10,
// y = s^2 / 2 - cos(s):
//
//   0 = c = s + s^3 / 10 - x,   0 = g = y - s^2 / 2 + cos(s),   G = (-m, 1), m = (dy/ds) / (dx/ds)
class Bead final : public Equations {
 public:
  static constexpr double gravity = 9.81;
  static double X(double s) { return s + 0.1 * s * s * s; }
  static double X1(double s) { return 1.0 + 0.3 * s * s; }
  static double Y1(double s) { return s + std::sin(s); }
  static double Y2(double s) { return 1.0 + std::cos(s); }
  static double slope(double s) { return Y1(s) / X1(s); }
  static double slope1(double s) { return (Y2(s) * X1(s) - Y1(s) * 0.6 * s) / (X1(s) * X1(s)); }

  Bead() {
    sizes_.p = sizes_.v = 2;
    sizes_.s = sizes_.g = sizes_.lambda = 1;
    structure_.saddle.M = Matrix(Matrix::Identity(2, 2)).sparseView();
    structure_.saddle.G = RowSparse(Matrix::Ones(1, 2).sparseView());
    structure_.saddle.F = ColumnSparse(2, 1);
  }
  State initial(const Context&, double t0) const override {
    State x(sizes_);
    x.t = t0;
    x.s[0] = 1.5;
    x.p << X(1.5), 0.5 * 1.5 * 1.5 - std::cos(1.5);
    return x;
  }
  bool solve_auxiliary(const Context&, State& x, Workspace&) const override {
    double& s = x.s[0];
    for (int k = 0; k < 50; ++k) {
      const double change = (X(s) - x.p[0]) / X1(s);
      s -= change;
      if (std::abs(change) <= 1e-15 * (1.0 + std::abs(s))) return true;
    }
    return false;
  }
  void position(const Context&, const State& x, unsigned want, Workspace& ws) const override {
    const double s = x.s[0];
    if (want & want_M) ws.M.coeffs().setOnes();
    if (want & want_G) ws.G.coeffs() << -slope(s), 1.0;
    if (want & want_g) ws.g[0] = x.p[1] - 0.5 * s * s + std::cos(s);
    if (want & want_c) ws.c[0] = X(s) - x.p[0];
  }
  void velocity(const Context&, const State& x, Workspace& ws) const override {
    ws.p_dot = x.v;
    ws.G_v.noalias() = ws.G * x.v;
  }
  void force(const Context&, const State&, unsigned want, Workspace& ws) const override {
    if (want & want_f) ws.f << 0.0, -gravity;
  }
  void gamma(const Context&, const State& x, Workspace& ws) const override {
    ws.gamma[0] = -slope1(x.s[0]) * x.v[0] * x.v[0] / X1(x.s[0]);
  }
};

TEST(RadauMechanisms, AContactPointStaysOnItsCurve) {
  const double t_end = 4.0;
  // s alone: (X'^2 + Y'^2) s'' + (X' X'' + Y' Y'') s'^2 = -g Y'
  const Eigen::Vector2d exact = runge_kutta({1.5, 0.0}, t_end, 40000, [](const Eigen::Vector2d& y) {
    const double s = y[0], x1 = Bead::X1(s), y1 = Bead::Y1(s);
    const double acceleration =
        (-Bead::gravity * y1 - (x1 * 0.6 * s + y1 * Bead::Y2(s)) * y[1] * y[1]) /
        (x1 * x1 + y1 * y1);
    return Eigen::Vector2d(y[1], acceleration);
  });
  for (const char* keyword :
       {"radau", "radau structure=sparse", "radau form=index1", "radau algebraic=svd"}) {
    ProblemRun run = run_of(std::make_shared<Bead>(), t_end);
    for (const double tolerance : {1e-5, 1e-8}) {
      const auto integrator = run.start(keyword, with_tolerance(tolerance));
      ProblemRun::advance(*integrator, t_end);
      const State& x = integrator->state();
      EXPECT_NEAR(x.s[0], exact[0], 200.0 * tolerance) << keyword;
      EXPECT_NEAR(x.p[0], Bead::X(x.s[0]), 1e-9);
      EXPECT_NEAR(x.v[0], Bead::X1(exact[0]) * exact[1], 1000.0 * tolerance) << keyword;
    }
  }
}

// A point in space on y = 0 and z b(x) + y = 0, with x = t: the second constraint says z = 0, but
// where b = 0 it says what the first one does.
class LosesRank final : public Equations {
 public:
  enum class Loss { at_a_point, for_good, of_accelerations, of_velocities, until_a_point };
  explicit LosesRank(Loss loss) : loss_(loss) {
    sizes_.p = 3;
    sizes_.v = loss == Loss::of_velocities ? 2 : 3;
    sizes_.g = sizes_.lambda = 2;
    structure_.saddle.M = Matrix(Matrix::Identity(sizes_.v, sizes_.v)).sparseView();
    structure_.saddle.G = RowSparse(Matrix::Ones(2, sizes_.v).sparseView());
    structure_.saddle.F = loss == Loss::of_accelerations
                              ? ColumnSparse(Matrix::Ones(3, 2).sparseView())
                              : ColumnSparse(sizes_.v, 2);
    structure_.f_depends_on_lambda = loss == Loss::of_accelerations;
    structure_.lambda_names = {"floor", "rail"};
  }
  double b(double x) const {
    if (loss_ == Loss::at_a_point) return x - 1.0;
    if (loss_ == Loss::until_a_point) return x > 1.0 ? std::pow(x - 1.0, 2) : 0.0;
    return loss_ == Loss::for_good && x > 1.0 ? 0.0 : std::pow(1.0 - x, 4);
  }
  double b1(double x) const {
    if (loss_ == Loss::at_a_point) return 1.0;
    if (loss_ == Loss::until_a_point) return x > 1.0 ? 2.0 * (x - 1.0) : 0.0;
    return loss_ == Loss::for_good && x > 1.0 ? 0.0 : -4.0 * std::pow(1.0 - x, 3);
  }
  State initial(const Context&, double t0) const override {
    State x(sizes_);
    x.t = t0;
    x.v[0] = 1.0;
    return x;
  }
  // of_velocities: both are constraints of their own on p = (x, y, c), and p' = (v1, v2, v2)
  bool copied() const { return loss_ == Loss::of_velocities; }
  void position(const Context&, const State& x, unsigned want, Workspace& ws) const override {
    const double at = x.p[0], z = x.p[2], rail = copied() ? 0.0 : b(at);
    if (want & want_M) ws.M.coeffs().setOnes();
    if (want & want_G) {
      if (copied()) {
        ws.G.coeffs() << 0.0, 1.0, 0.0, 1.0;
      } else if (loss_ == Loss::of_accelerations) {
        ws.G.coeffs() << 0.0, 1.0, 0.0, 0.0, 0.0, 1.0;
      } else {
        ws.G.coeffs() << 0.0, 1.0, 0.0, z * b1(at), 1.0, rail;
      }
    }
    if (want & want_g) {
      ws.g[0] = x.p[1];
      ws.g[1] = copied() || loss_ == Loss::of_accelerations ? z : z * rail + x.p[1];
    }
  }
  void velocity(const Context& context, const State& x, Workspace& ws) const override {
    apply_Z(context, x, x.v, ws.p_dot);
    ws.G_v.noalias() = ws.G * x.v;
  }
  void apply_Z(const Context&, const State&, const Vector& v, Vector& z) const override {
    z.head(sizes_.v) = v;
    if (copied()) z[2] = v[1];
  }
  // of_accelerations: friction takes z's own reaction away more and more
  void force(const Context&, const State& x, unsigned want, Workspace& ws) const override {
    if (!(want & want_f)) return;
    ws.f.setZero();
    if (loss_ == Loss::of_accelerations) ws.f[2] = share(x.p[0]) * x.lambda[1];
  }
  void friction(const Context&, const State& x, Workspace& ws) const override {
    if (loss_ != Loss::of_accelerations) return;
    ws.F.coeffs().setZero();
    ws.F.coeffs()[5] = share(x.p[0]);
  }
  static double share(double x) { return x < 1.0 ? 1.0 - std::pow(1.0 - x, 4) : 1.0; }
  void gamma(const Context&, const State& x, Workspace& ws) const override {
    ws.gamma.setZero();
    if (loss_ == Loss::at_a_point || loss_ == Loss::for_good) {
      const double second =
          loss_ == Loss::at_a_point || x.p[0] > 1.0 ? 0.0 : 12.0 * std::pow(1.0 - x.p[0], 2);
      ws.gamma[1] = x.p[2] * second * x.v[0] * x.v[0] + 2.0 * b1(x.p[0]) * x.v[0] * x.v[2];
    }
  }

 private:
  Loss loss_;
};

std::string failure_of(LosesRank::Loss loss, const char* keyword) {
  ProblemRun run = run_of(std::make_shared<LosesRank>(loss), 2.0);
  try {
    const auto integrator =
        make_variant(keyword, *run.equations, run.context(), with_tolerance(1e-6));
    integrator->start(run.x0);
    ProblemRun::advance(*integrator, run.t_end);
  } catch (const SolverFailure& failure) {
    return failure.what();
  }
  return {};
}

TEST(RadauMechanisms, LossOfRankForGoodIsAnErrorByItsKind) {
  const auto expect = [](LosesRank::Loss loss, const char* keyword,
                         const std::vector<std::string>& parts) {
    const std::string text = failure_of(loss, keyword);
    for (const std::string& part : parts) {
      EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
    }
  };
  for (const char* keyword : {"radau", "radau algebraic=qr", "radau algebraic=svd",
                              "radau structure=sparse", "radau form=index1"}) {
    expect(LosesRank::Loss::for_good, keyword, {"rank of the constraints", "2 and 1", "-2401"});
    expect(LosesRank::Loss::of_accelerations, keyword, {"not uniformly redundant", "-2402"});
    expect(LosesRank::Loss::until_a_point, keyword,
           {"rank of the constraints", "1 and 2", "-2401"});
  }
  expect(LosesRank::Loss::of_velocities, "radau algebraic=svd",
         {"not uniformly redundant", "1 and 2", "-2403"});
}

TEST(RadauMechanisms, DeadPointIsPassedWithAWarning) {
  for (const char* keyword : {"radau newton_stage=0", "radau", "radau algebraic=svd",
                              "radau structure=sparse newton_stage=0", "radau structure=sparse"}) {
    ProblemRun run = run_of(std::make_shared<LosesRank>(LosesRank::Loss::at_a_point), 2.0);
    const auto integrator =
        make_variant(keyword, *run.equations, run.context(), with_tolerance(1e-6));
    integrator->start(run.x0);
    std::vector<std::string> warnings;
    for (const double t : {1.0, 2.0}) {  // a step ends where rank is lost
      while (integrator->state().t < t) {
        integrator->step(t);
        for (const std::string& warning : integrator->warnings()) warnings.push_back(warning);
      }
      EXPECT_LT((integrator->state().p - Eigen::Vector3d(t, 0.0, 0.0)).norm(), 1e-12) << keyword;
      EXPECT_LT(integrator->state().a.norm(), 1e-12) << keyword;
    }
    ASSERT_FALSE(warnings.empty()) << keyword;
    EXPECT_NE(warnings[0].find("lose rank near t = 1"), std::string::npos) << warnings[0];
  }
}

}  // namespace
}  // namespace mbs::test
