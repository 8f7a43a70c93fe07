// The parts: the method's transformation, its polynomial, its order; complex sparse factors.

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <cstdio>

#include "engine/integrators/radau/integrator.hpp"
#include "engine/linear/complex_sparse_lu.hpp"
#include "tests/integrators/problem_run.hpp"

namespace mbs::test {
namespace {

TEST(RadauParts, TheTransformationGivesOneRealAndOneComplexSystem) {
  const radau::Tableau& t = radau::tableau();
  Eigen::Matrix3d blocks;
  blocks << t.gamma, 0.0, 0.0, 0.0, t.alpha, -t.beta, 0.0, t.beta, t.alpha;
  EXPECT_LT((t.T * blocks * t.T_inverse - t.inverse).norm(), 1e-12);
  for (int k = 1; k <= 3; ++k) {  // C(3): A c^(k-1) = c^k / k
    for (int i = 0; i < 3; ++i) {
      double sum = 0.0;
      for (int j = 0; j < 3; ++j) {
        sum += t.A(i, j) * std::pow(t.c[static_cast<std::size_t>(j + 1)], k - 1);
      }
      EXPECT_NEAR(sum, std::pow(t.c[static_cast<std::size_t>(i + 1)], k) / k, 1e-15);
    }
  }
}

TEST(RadauParts, PolynomialIsExactForCubics) {
  const auto cubic = [](double x) { return 1.0 - 2.0 * x + 3.0 * x * x - 0.7 * x * x * x; };
  const auto& c = radau::tableau().c;
  radau::Polynomial polynomial(1);
  radau::Columns stages(1, 3);
  for (int k = 0; k < 3; ++k) stages(0, k) = cubic(c[static_cast<std::size_t>(k + 1)]);
  polynomial.set(Vector::Constant(1, cubic(0.0)), stages, Vector::Constant(1, cubic(1.0)));
  Vector x(1);
  for (const double theta : {0.0, 0.3, 0.8, 1.0, 2.1}) {
    polynomial.evaluate(theta, x);
    EXPECT_NEAR(x[0], cubic(theta), 1e-13);
  }
}

// A quarter of a period, where everything is known: p = (0, -1), v = (-sqrt(2 g), 0).
TEST(RadauParts, OrderIsFive) {
  for (const char* form : {"projected", "index1"}) {
    std::vector<double> errors;
    for (const int steps : {16, 32}) {
      ProblemRun run("pendulum-period2");
      IntegratorOptions options = with_tolerance(1e-9);
      options.method_options = {{"radau", "form", form},
                                {"radau", "newton_iterations", "50"},
                                {"radau", "newton_stop", "1e-6"}};
      radau::Integrator integrator(*run.equations, run.context(), options);
      integrator.start(run.consistent(run.x0));
      for (int i = 0; i < steps; ++i) integrator.fixed_step(0.5 / steps);
      const double g = run.parameters.values[0];
      const State& x = integrator.state();
      errors.push_back((x.p - Eigen::Vector2d(0.0, -1.0)).norm() +
                       (x.v - Eigen::Vector2d(-std::sqrt(2.0 * g), 0.0)).norm());
    }
    const double order = std::log2(errors[0] / errors[1]);
    std::printf("%s: order %.2f\n", form, order);
    EXPECT_GT(order, 4.6) << form;
    EXPECT_LT(order, 6.0) << form;
  }
}

// Nothing but states of first order, stiff: r' = -1000 (r - cos t) - sin t, r = cos t.
class StatesAlone final : public Equations {
 public:
  StatesAlone() {
    sizes_.r = 1;
    structure_.saddle.M = ColumnSparse(0, 0);
    structure_.saddle.G = RowSparse(0, 0);
    structure_.saddle.F = ColumnSparse(0, 0);
  }
  State initial(const Context&, double t0) const override {
    State x(sizes_);
    x.t = t0;
    x.r[0] = std::cos(t0);
    return x;
  }
  void position(const Context&, const State&, unsigned, Workspace&) const override {}
  void velocity(const Context&, const State&, Workspace&) const override {}
  void force(const Context&, const State& x, unsigned want, Workspace& ws) const override {
    if (want & want_b) ws.b[0] = -1000.0 * (x.r[0] - std::cos(x.t)) - std::sin(x.t);
  }
  void gamma(const Context&, const State&, Workspace&) const override {}
};

TEST(RadauParts, FirstOrderStatesAloneAreIntegrated) {
  const auto equations = std::make_shared<StatesAlone>();
  for (const char* keyword :
       {"radau", "radau structure=sparse", "radau form=index1", "radau algebraic=svd"}) {
    ProblemRun run(equations, equations->initial({Inputs(0), Parameters()}, 0.0), 10.0);
    const auto integrator = run.start(keyword, with_tolerance(1e-6));
    State x = run.x0;
    while (integrator->state().t < run.t_end) {
      integrator->step(run.t_end);
      EXPECT_NEAR(integrator->state().r[0], std::cos(integrator->state().t), 3e-5) << keyword;
      integrator->interpolate(0.5 * (integrator->step_begin() + integrator->state().t), true, x);
      EXPECT_NEAR(x.r[0], std::cos(x.t), 3e-3) << keyword;  // a cubic over steps of a second
    }
    EXPECT_LT(integrator->statistics().steps, 60) << keyword;  // stability alone would take 3000
  }
}

TEST(RadauParts, ComplexSparseFactorsSolve) {
  using Complex = std::complex<double>;
  std::srand(1);
  const int n = 40;
  Eigen::MatrixXcd full = Eigen::MatrixXcd::Random(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      if ((i * 7 + j * 3) % 5 != 0 && i != j) full(i, j) = Complex(0.0);
    }
  }
  full.row(3) *= 1e8;  // units must not matter
  ComplexColumnSparse A = full.sparseView();
  A.makeCompressed();
  const Eigen::VectorXcd b = Eigen::VectorXcd::Random(n);
  std::vector<std::unique_ptr<ComplexSparseLu>> solvers;
  solvers.push_back(make_complex_eigen_lu());
#ifdef MBS_WITH_KLU
  solvers.push_back(make_complex_klu_lu());
#endif
  for (const auto& lu : solvers) {
    lu->analyse(A);
    for (const double factor : {1.0, 1.3}) {  // anew, then in the same order
      const ComplexColumnSparse scaled = Complex(factor) * A;
      ASSERT_TRUE(lu->factor(scaled));
      ComplexVector x = b;
      lu->solve(x);
      EXPECT_LT((factor * full * x - b).cwiseQuotient(full.cwiseAbs().rowwise().sum()).norm(),
                1e-12);
    }
    ComplexColumnSparse singular = A;
    for (int j = 0; j < n; ++j) {
      for (ComplexColumnSparse::InnerIterator entry(singular, j); entry; ++entry) {
        if (entry.row() == 5) entry.valueRef() = 0.0;
      }
    }
    EXPECT_FALSE(lu->factor(singular));
  }
}

}  // namespace
}  // namespace mbs::test
