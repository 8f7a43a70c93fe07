// Parts of the corrector: the iteration matrix against differences of the residual, elimination of
// the kinematic rows, factors with small entries dropped, Broyden's updates, the choice of phases.

#include "engine/integrators/bdf/corrector.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <random>

#include "tests/integrators/problem_run.hpp"
#include "tests/integrators/small_equations.hpp"

namespace mbs::test {
namespace {

Vector random(int size, double scale = 1.0) {
  static std::mt19937 generator(7);
  std::uniform_real_distribution<double> number(-scale, scale);
  Vector x(size);
  for (double& value : x) value = number(generator);
  return x;
}

struct Point {
  explicit Point(ProblemRun& run, bdf::Form form = bdf::Form::ggl,
                 bdf::Formalism formalism = bdf::Formalism::residual)
      : system(*run.equations, run.context(), form, formalism),
        y(Vector::Zero(system.size())),
        y_dot(y),
        F(y) {
    const State x = run.consistent(run.x0);
    system.begin(x);
    system.pack(x, y, y_dot);
    t = x.t;
    y_dot.head(system.at().v) = random(system.at().v);
    if (run.equations->sizes().n == 0) y.head(system.at().r) += random(system.at().r, 0.01);
    if (form == bdf::Form::ggl) y.tail(system.size() - system.at().eta).setZero();
    system.residual(t, y, y_dot, F);
    system.keep_mass(F);
  }
  Matrix dense(const Vector& values) const {
    ColumnSparse A = system.pattern();
    A.coeffs() = values.array();
    return Matrix(A);
  }
  bdf::System system;
  Vector y, y_dot, F;
  double t = 0.0;
};

std::vector<std::shared_ptr<ProblemRun>> problems() {
  std::vector<std::shared_ptr<ProblemRun>> runs;
  for (const char* name : {"pendulum", "andrews", "insul16", "truckC", "drum"}) {
    runs.push_back(std::make_shared<ProblemRun>(name));
  }
  const auto add = [&](std::shared_ptr<Equations> equations) {
    const Inputs inputs(0);
    const Parameters parameters;
    State x = equations->initial({inputs, parameters}, 0.0);
    runs.push_back(std::make_shared<ProblemRun>(equations, x, 1.0));
  };
  add(std::make_shared<Motor>());
  add(std::make_shared<Skate>());
  add(std::make_shared<Top>());
  return runs;
}

TEST(BdfSystem, MatricesAreTheDerivativesOfTheResidual) {
  for (const auto& run : problems()) {
    for (const bdf::Form form : {bdf::Form::ggl, bdf::Form::lambda_derivative}) {
      Point point(*run, form);
      const int n = point.system.size();
      Vector B(point.system.pattern().nonZeros()), E(B.size()), F(n);
      point.system.exact(point.t, point.y, point.y_dot, B, E);
      const Matrix exact_B = point.dense(B), exact_E = point.dense(E);
      for (int j = 0; j < n; ++j) {
        for (const bool rate : {false, true}) {
          Vector& moved = rate ? point.y_dot : point.y;
          const double before = moved[j], h = 1e-6 * std::max(1.0, std::abs(before));
          moved[j] = before + h;
          Vector plus(n), minus(n);
          point.system.residual(point.t, point.y, point.y_dot, plus);
          moved[j] = before - h;
          point.system.residual(point.t, point.y, point.y_dot, minus);
          moved[j] = before;
          const Vector column = (plus - minus) / (2.0 * h);
          const Vector error = column - (rate ? exact_E : exact_B).col(j);
          EXPECT_LT(error.cwiseAbs().maxCoeff(), 2e-5 * (1.0 + column.cwiseAbs().maxCoeff()))
              << "column " << j << (rate ? " of E" : " of B") << ", " << n << " unknowns";
        }
      }
    }
  }
}

TEST(BdfSystem, GroupsOfColumnsGiveTheFullDifferences) {
  for (const char* name : {"insul16", "chain10"}) {
    ProblemRun run(name);
    Point point(run), other(run);
    other.y = point.y;
    other.y_dot = point.y_dot;
    Vector B(point.system.pattern().nonZeros()), E(B.size()), B2, E2;
    bdf::JacobianSource exact(point.system, bdf::JacobianKind::exact),
        groups(other.system, bdf::JacobianKind::groups);
    exact.evaluate(point.t, 1e-3, point.y, point.y_dot, point.F, B, E);
    other.system.residual(other.t, other.y, other.y_dot, other.F);
    EXPECT_TRUE(groups.evaluate(other.t, 1e-3, other.y, other.y_dot, other.F, B2, E2));
    const long full = groups.residuals();
    EXPECT_EQ(full, point.system.at().eta) << "columns of eta are not differenced";
    EXPECT_FALSE(groups.evaluate(other.t, 1e-3, other.y, other.y_dot, other.F, B2, E2));
    EXPECT_LE(2 * (groups.residuals() - full), full) << name;
    const Matrix error = other.dense(B2) - point.dense(B);
    const double size = point.dense(B).cwiseAbs().maxCoeff();
    EXPECT_LT(error.cwiseAbs().maxCoeff(), 1e-5 * size) << name;
  }
}

TEST(BdfIterationMatrix, EliminationOfTheKinematicRowsChangesNothing) {
  for (const auto& run : problems()) {
    Point point(*run);
    const int n = point.system.size();
    Vector B(point.system.pattern().nonZeros()), E(B.size());
    point.system.exact(point.t, point.y, point.y_dot, B, E);
    const Vector A = 100.0 * E + B;
    bdf::IterationMatrix full, reduced;
    full.analyse(point.system.pattern(), 0, n);
    reduced.analyse(point.system.pattern(), point.system.at().v, n);
    ASSERT_TRUE(full.factor(A));
    ASSERT_TRUE(reduced.factor(A));
    if (run->equations->structure().jacobian.size() > 0) {
      EXPECT_TRUE(reduced.eliminates());
    }
    const Vector b = random(n);
    Vector x = b, y = b;
    full.solve(x);
    reduced.solve(y);
    EXPECT_LT((x - y).cwiseAbs().maxCoeff(), 1e-8 * (1.0 + x.cwiseAbs().maxCoeff()));
    const Vector r = point.dense(A) * y - b;
    EXPECT_LT(r.cwiseAbs().maxCoeff(),
              1e-9 * (1.0 + (point.dense(A).cwiseAbs() * y.cwiseAbs()).maxCoeff()));
  }
}

// With eta kept out of all rows but those of g and n, the matrix that is solved is A without A21
// D1^-1 D2 there.
TEST(BdfIterationMatrix, EtaStaysInTheRowsOfPositions) {
  for (const auto& run : problems()) {
    Point point(*run);
    const bdf::System::Layout& at = point.system.at();
    Vector B(point.system.pattern().nonZeros()), E(B.size());
    point.system.exact(point.t, point.y, point.y_dot, B, E);
    const Vector A = 100.0 * E + B;
    bdf::IterationMatrix reduced;
    reduced.analyse(point.system.pattern(), at.v, at.eta);
    ASSERT_TRUE(reduced.factor(A));
    if (!reduced.eliminates()) continue;
    Matrix expected = point.dense(A);
    const Matrix T = expected.topLeftCorner(at.v, at.v)
                         .lu()
                         .solve(expected.block(0, at.eta, at.v, at.size - at.eta));
    expected.block(at.v, at.eta, at.eta - at.v, at.size - at.eta) +=
        expected.block(at.v, 0, at.eta - at.v, at.v) * T;
    const Vector b = random(at.size);
    Vector x = b;
    reduced.solve(x);
    EXPECT_LT((expected * x - b).cwiseAbs().maxCoeff(),
              1e-9 * (1.0 + (expected.cwiseAbs() * x.cwiseAbs()).maxCoeff()));
  }
}

TEST(BdfThresholdLu, SolvesExactlyWithoutDroppingAndCostsLessWithIt) {
  ProblemRun run("insul16");
  Point point(run);
  Vector B(point.system.pattern().nonZeros()), E(B.size());
  point.system.exact(point.t, point.y, point.y_dot, B, E);
  bdf::IterationMatrix matrix;
  matrix.analyse(point.system.pattern(), 0, point.system.size());
  ASSERT_TRUE(matrix.factor(1000.0 * E + B));
  bdf::ThresholdLu dropped;
  ASSERT_TRUE(dropped.make(matrix.lu(), 0.0));
  EXPECT_EQ(dropped.left(), dropped.all());
  const Vector b = random(point.system.size());
  Vector x = b, y = b;
  matrix.solve(x);
  dropped.solve(y);
  EXPECT_LT((x - y).cwiseAbs().maxCoeff(), 1e-9 * x.cwiseAbs().maxCoeff());
  long before = dropped.left();
  for (const double delta : {1e-3, 1e-1, 1.0}) {
    ASSERT_TRUE(dropped.make(matrix.lu(), delta));
    EXPECT_LT(dropped.left(), before);
    before = dropped.left();
    y = b;
    dropped.solve(y);
    EXPECT_TRUE(y.allFinite());
  }
  EXPECT_GE(before, point.system.size()) << "diagonals stay";
}

TEST(BdfBroyden, TheUndampedUpdateSatisfiesTheSecantEquation) {
  const int n = 6;
  const Matrix A = Matrix::Identity(n, n) * 3.0 + random(n) * random(n).transpose();
  const Eigen::PartialPivLU<Matrix> lu(A);
  const Vector scale = random(n).cwiseAbs() + Vector::Ones(n), z = random(n);
  const Vector f = -A * z, f_next = random(n, 0.1);  // f_(i+1) = f + true change
  bdf::Broyden broyden(n, 1.0);
  Vector q = lu.solve(f_next);
  ASSERT_TRUE(broyden.update(z, scale, q));
  // A+ z = f_(i+1) - f_i, so A+^-1 (f_(i+1) - f_i) = z
  Vector d = lu.solve(f_next - f);
  broyden.apply(d);
  EXPECT_LT((d - z).norm(), 1e-12 * z.norm());
  // and q is A+^-1 f_(i+1)
  Vector again = lu.solve(f_next);
  broyden.apply(again);
  EXPECT_LT((again - q).norm(), 1e-12 * q.norm());
}

TEST(BdfCyclePolicy, FindsTheBestToleranceAndKeepsThePlainCycleWhereNoneIsBetter) {
  struct Case {
    double factor, best;  // effort with a first phase, by that without; the best tolerance then
  };
  for (const Case& c : {Case{0.7, 1e-3}, Case{1.15, 0.0}}) {
    bdf::CyclePolicy policy(bdf::CyclePolicy::Kind::automatic, 0.0, false);
    const auto effort = [&] {
      const double tolerance = policy.drop_tolerance();
      if (tolerance == 0.0) return 100.0;
      return 100.0 * c.factor * (1.0 + 0.1 * std::abs(std::log10(tolerance / 1e-3)));
    };
    const auto run = [&](int cycles) {
      double spent = 0.0;
      int chosen = 0;
      for (int i = 0; i < cycles; ++i) {
        chosen += policy.drop_tolerance() == c.best;
        const double steps = 10.0 * effort();
        spent += effort();
        policy.end({10, 10, steps + 500.0, steps, 0.8 * steps});
      }
      return std::pair(spent, chosen);
    };
    EXPECT_LE(run(400).first, 1.03 * 100.0 * 400) << "never much dearer than the plain cycle";
    EXPECT_GE(run(100).second, 90);
  }
}

TEST(BdfCyclePolicy, TheThirdPhaseMustCostLessThanTheMeanStep) {
  bdf::CyclePolicy policy(bdf::CyclePolicy::Kind::automatic, 0.0, false);
  EXPECT_FALSE(policy.krylov(1.0)) << "nothing is known yet";
  for (int i = 0; i < 50; ++i) policy.end({10, 10, 1500.0, 500.0, 100.0});
  EXPECT_TRUE(policy.krylov(119.0));
  EXPECT_FALSE(policy.krylov(121.0));
  EXPECT_TRUE(bdf::CyclePolicy(bdf::CyclePolicy::Kind::fixed, 0.0, true).krylov(1e9));
}

}  // namespace
}  // namespace mbs::test
