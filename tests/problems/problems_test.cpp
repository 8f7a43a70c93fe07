// Every problem against itself (G = dg/dp, gamma along the flow, energy, Jacobians by differences)
// and against the printed and reference values: accelerations and multipliers at the start and at
// the end of the reference are those of the quadruple precision codes.

#include "tests/problems/problems.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "engine/equations/initial.hpp"
#include "tests/support/allocation_counter.hpp"

namespace mbs::test {
namespace {

class ProblemTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    problem = make_problem(GetParam());
    parameters = equations().default_parameters();
    inputs = equations().default_inputs(parameters);
    ws = equations().make_workspace();
    solver = equations().make_solver("auto");
  }
  const Equations& equations() const { return *problem.equations; }
  Context context() const { return {inputs, parameters}; }

  // A consistent state with motion: the reference's end or, where there is none, the start.
  State at_reference() const {
    State x = problem.initial;
    if (problem.reference) {
      x.t = problem.reference->t;
      x.p = problem.reference->p;
      x.v = problem.reference->v;
    }
    return x;
  }
  // Some state off the constraints.
  State somewhere() const {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    State x = at_reference();
    const Structure& known = equations().structure();
    for (int i = 0; i < x.p.size(); ++i) x.p[i] += 0.1 * known.p_scale[i] * number(random);
    for (int i = 0; i < x.v.size(); ++i) x.v[i] += known.v_scale[i] * number(random);
    for (int i = 0; i < x.a.size(); ++i) x.a[i] = number(random);
    for (int i = 0; i < x.lambda.size(); ++i) x.lambda[i] = number(random);
    return x;
  }
  Vector g_at(const Vector& p, double t) const {
    State x(equations().sizes());
    x.p = p;
    x.t = t;
    equations().position(context(), x, want_g, *ws);
    return ws->g;
  }

  Problem problem;
  Parameters parameters;
  Inputs inputs;
  std::unique_ptr<Workspace> ws;
  std::unique_ptr<SaddleSolver> solver;
};

double norm(const Vector& x) {
  return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0;
}

TEST_P(ProblemTest, InitialValuesAreConsistent) {
  const State& x = problem.initial;
  equations().position(context(), x, want_position_all, *ws);
  equations().velocity(context(), x, *ws);
  const double size = std::max(1.0, norm(x.p));
  EXPECT_LT(norm(ws->g), 1e-15 * size);
  EXPECT_LT(norm(ws->G_v), 1e-15 * std::max(1.0, norm(x.v)));
}

TEST_P(ProblemTest, GIsTheDerivativeOfg) {
  const State x = somewhere();
  equations().position(context(), x, want_position_all, *ws);
  const Matrix G = ws->G;
  const double h = 1e-5;
  // All columns where there are few, else by directions.
  std::mt19937 random(2);
  std::normal_distribution<double> number;
  const int directions = std::min<int>(equations().sizes().p, 20);
  for (int k = 0; k < directions; ++k) {
    Vector direction = Vector::Zero(x.p.size());
    if (directions == x.p.size()) {
      direction[k] = 1.0;
    } else {
      for (double& entry : direction) entry = number(random);
    }
    const Vector difference =
        (g_at(x.p + h * direction, x.t) - g_at(x.p - h * direction, x.t)) / (2.0 * h);
    EXPECT_LT(norm(difference - G * direction), 2e-9 * std::max(1.0, norm(x.p))) << k;
  }
}

TEST_P(ProblemTest, GammaIsTheSecondDerivativeAlongTheFlow) {
  State x = somewhere();
  x.v /= std::max(1.0, norm(x.v));
  equations().position(context(), x, want_position_all, *ws);
  equations().velocity(context(), x, *ws);
  equations().gamma(context(), x, *ws);
  const Vector gamma = ws->gamma;
  const double h = 1e-3;
  const auto g = [&](double s) { return g_at(x.p + s * h * x.v, x.t + s * h); };
  const Vector difference =
      (-g(2) + 16.0 * g(1) - 30.0 * g(0) + 16.0 * g(-1) - g(-2)) / (12.0 * h * h);
  EXPECT_LT(norm(difference - gamma), 1e-8 * std::max(1.0, norm(x.p)));
}

class ReferenceTest : public ProblemTest {};
class ConservativeTest : public ProblemTest {};

TEST_P(ReferenceTest, AccelerationsAreThoseOfTheReference) {
  const Reference& reference = *problem.reference;
  for (const std::string keyword : {"dense", "sparse"}) {
    SCOPED_TRACE(keyword);
    if (keyword == "dense" && equations().sizes().v > 200) continue;
    solver = equations().make_solver(keyword);
    State x = at_reference();
    ASSERT_TRUE(solve_accelerations(equations(), context(), x, *ws, *solver));
    const double accuracy = 1e-10;
    EXPECT_LT(norm(x.a - reference.a), accuracy * std::max(1.0, norm(reference.a)));
    if (reference.lambda.size() > 0) {
      EXPECT_LT(norm(x.lambda - reference.lambda),
                accuracy * std::max(1.0, norm(reference.lambda)));
    }
    equations().position(context(), x, want_position_all, *ws);
    equations().velocity(context(), x, *ws);
    EXPECT_LT(norm(ws->g), 1e-14 * std::max(1.0, norm(x.p)));
    EXPECT_LT(norm(ws->G_v), 1e-14 * std::max(1.0, norm(x.v)));

    x = problem.initial;
    ASSERT_TRUE(solve_accelerations(equations(), context(), x, *ws, *solver));
    const Vector& printed = reference.initial_lambda;
    EXPECT_LT(norm(x.lambda.head(printed.size()) - printed), 1e-11 * std::max(1.0, norm(printed)));
  }
}

TEST_P(ConservativeTest, EnergyIsConserved) {
  State x = at_reference();
  ASSERT_TRUE(solve_accelerations(equations(), context(), x, *ws, *solver));
  // One small step of the Taylor series to either side.
  const double h = 1e-4 / std::max(1.0, norm(x.v));
  const auto energy = [&](double s) {
    State moved = x;
    moved.p += s * h * x.v + 0.5 * s * s * h * h * x.a;
    moved.v += s * h * x.a;
    const Equations::Energy E = equations().energy(context(), moved, *ws);
    return E.kinetic + E.potential;
  };
  const Equations::Energy E = equations().energy(context(), x, *ws);
  const double power = (energy(1) - energy(-1)) / (2.0 * h);
  // By the size of what cancels.
  Vector Ma(x.a.size());
  equations().position(context(), x, want_M, *ws);
  equations().apply_M(context(), x, x.a, Ma, *ws);
  const double size = x.v.cwiseAbs().dot(Ma.cwiseAbs()) + std::abs(E.kinetic) / h * 1e-8;
  EXPECT_LT(std::abs(power), 1e-4 * size + 1e-10);
}

TEST_P(ProblemTest, JacobianAgreesWithDifferencesOfTheResidual) {
  const State x = somewhere();
  equations().jacobian(context(), x, *ws);
  const ColumnSparse J = ws->jacobian;
  equations().Equations::jacobian(context(), x, *ws);
  const ColumnSparse difference = ws->jacobian - J;
  const double size = std::max(1.0, J.coeffs().abs().maxCoeff());
  equations().residual(context(), x, *ws);
  EXPECT_LT(difference.coeffs().abs().maxCoeff(), 1e-6 * size + 1e-7 * norm(ws->residual));

  // The pattern leaves nothing out: a directional difference against J times the direction.
  const JacobianLayout at(equations().sizes());
  std::mt19937 random(3);
  std::normal_distribution<double> number;
  Vector direction = Vector::Zero(at.cols);
  for (double& entry : direction) entry = number(random);
  direction.segment(at.col_u, at.cols - at.col_u).setZero();  // inputs stay
  const auto residual = [&](double h) -> Vector {
    State moved = x;
    moved.p += h * direction.segment(at.col_p, x.p.size());
    moved.v += h * direction.segment(at.col_v, x.v.size());
    moved.lambda += h * direction.segment(at.col_lambda, x.lambda.size());
    equations().residual(context(), moved, *ws);
    return ws->residual;
  };
  const double h = 1e-5;
  const Vector expected = (residual(h) - residual(-h)) / (2.0 * h);
  const Vector found = J * direction;
  EXPECT_LT(norm(expected - found), 1e-6 * std::max(1.0, norm(found)));
}

TEST_P(ProblemTest, NoStageAllocatesOnceWarm) {
  if (!allocations_are_counted) GTEST_SKIP() << "the sanitizer has a malloc of its own";
  State x = at_reference();
  const Context all = context();
  for (const std::string keyword : {"dense", "sparse"}) {
    SCOPED_TRACE(keyword);
    if (keyword == "dense" && equations().sizes().v > 200) continue;
#ifndef MBS_WITH_KLU
    if (keyword == "sparse") continue;  // Eigen's allocates in each factorisation
#endif
    solver = equations().make_solver(keyword);
    const auto everything = [&] {
      equations().residual(all, x, *ws);
      equations().jacobian(all, x, *ws);
      equations().energy(all, x, *ws);
      equations().normalise(x);
      return solve_accelerations(equations(), all, x, *ws, *solver);
    };
    ASSERT_TRUE(everything());
    bool solved = false;
    EXPECT_EQ(allocations_in([&] { solved = everything(); }), 0);
    EXPECT_TRUE(solved);
  }
}

std::string test_name(const testing::TestParamInfo<std::string>& problem) {
  std::string name = problem.param;
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
}

std::vector<std::string> names_where(bool (*suits)(const Problem&)) {
  std::vector<std::string> names;
  for (const std::string& name : problem_names()) {
    if (suits(make_problem(name))) names.push_back(name);
  }
  return names;
}

bool has_reference(const Problem& problem) {
  return problem.reference.has_value();
}

bool is_conservative(const Problem& problem) {
  const Equations& equations = *problem.equations;
  const Parameters parameters = equations.default_parameters();
  const Inputs inputs = equations.default_inputs(parameters);
  const auto ws = equations.make_workspace();
  return std::isfinite(equations.energy({inputs, parameters}, problem.initial, *ws).potential);
}

const auto every_problem = testing::ValuesIn(problem_names());
const auto with_reference = testing::ValuesIn(names_where(has_reference));
const auto conservative = testing::ValuesIn(names_where(is_conservative));
INSTANTIATE_TEST_SUITE_P(All, ProblemTest, every_problem, test_name);
INSTANTIATE_TEST_SUITE_P(All, ReferenceTest, with_reference, test_name);
INSTANTIATE_TEST_SUITE_P(All, ConservativeTest, conservative, test_name);

TEST(Drum, AccelerationsFollowTheClosedForm) {
  constexpr double m1 = 10.0, m2 = 1.0, I2 = 1.0, r1 = 1.0, r2 = 1.0, g = 1.0, c = 1.0;
  for (const double mu : {0.0, 0.125, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5}) {
    SCOPED_TRACE(mu);
    const Problem problem = make_problem("drum" + std::to_string(mu));
    const Equations& equations = *problem.equations;
    const Parameters parameters = equations.default_parameters();
    const Inputs inputs = equations.default_inputs(parameters);
    const auto ws = equations.make_workspace();
    const auto solver = equations.make_solver("auto");
    State x = problem.initial;
    x.v << -0.7, 0.0, 0.0, -0.7;
    ASSERT_TRUE(solve_accelerations(equations, {inputs, parameters}, x, *ws, *solver));
    const double lever = r1 - mu * r2, D = I2 / r1 + m1 * lever;
    const double a = -(lever * m1 * g - mu * r2 * m2 * g) / D - lever * c / D * x.v[0];
    const double lambda3 = -m1 * g - c * x.v[0] - m1 * a, lambda2 = lambda3 - m2 * g;
    EXPECT_LT(norm(x.a - Eigen::Vector4d(a, 0.0, 0.0, a)), 1e-13);
    EXPECT_LT(norm(x.lambda - Eigen::Vector3d(-mu * lambda2, lambda2, lambda3)), 1e-13);
  }
}

TEST(Problems, UnknownNameListsTheKnown) {
  try {
    make_problem("pendolum");
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("andrews"), std::string::npos);
  }
}

}  // namespace
}  // namespace mbs::test
