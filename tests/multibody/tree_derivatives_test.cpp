// Joint and mixed coordinates: exact Jacobians against differences at points off the constraints,
// G = g_p Z, gamma; and the derivatives of the accelerations.

#include <gtest/gtest.h>

#include "engine/multibody/assemble.hpp"
#include "tests/multibody/assembled.hpp"
#include "tests/multibody/tree_models.hpp"

namespace mbs::test {
namespace {

struct Case {
  TreeModel model;
  std::string coordinates;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.model.name << " " << c.coordinates;
}

class TreeDerivatives : public testing::TestWithParam<Case> {};

TEST_P(TreeDerivatives, AreExact) {
  const Assembled model(GetParam().model.text, GetParam().coordinates);
  for (int seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    State x = random_state(*model, seed);
    x.z.setZero();  // whole turns
    expect_exact_derivatives(model, x, 1e-7);
    expect_exact_friction(model, x);
  }
}

// a, lambda at p, v, with r and w as they are; `solver` keeps the factors.
void solve_accelerations(const Assembled& model, SaddleSolver& solver, State& x) {
  Workspace& ws = *model.ws;
  model->position(model.context(), x, want_position_all, ws);
  model->velocity(model.context(), x, ws);
  model->force(model.context(), x, want_f, ws);
  model->gamma(model.context(), x, ws);
  ASSERT_TRUE(solver.factor(ws.saddle()));
  x.a = ws.f;
  x.lambda = -ws.gamma;
  solver.solve(x.a, x.lambda);
}

// d a/d p, d a/d v, d a/d f = M^-1 (with loops: its projection), all columns side by side.
TEST_P(TreeDerivatives, AccelerationsAgreeWithDifferences) {
  const Assembled model(GetParam().model.text, GetParam().coordinates);
  if (model->structure().f_depends_on_lambda) return;  // solved otherwise (accelerations.cpp)
  const Sizes& n = model->sizes();
  const JacobianLayout at(n);
  const auto solver = model->make_solver("auto");
  State x = random_state(*model, 5);
  x.z.setZero();
  solve_accelerations(model, *solver, x);
  model->jacobian(model.context(), x, *model.ws);
  const Matrix J = model.ws->jacobian;
  Matrix a = Matrix::Zero(n.v, at.col_r + n.v), lambda = Matrix::Zero(n.lambda, a.cols());
  a.leftCols(at.col_r) = J.block(at.dynamics, 0, n.v, at.col_r);
  a.rightCols(n.v).setIdentity();
  lambda.leftCols(at.col_r) = -J.block(at.acceleration, 0, n.lambda, at.col_r);
  const Matrix one_by_one = a;
  solver->solve_columns(a, lambda);
  const double size = a.leftCols(at.col_r).cwiseAbs().maxCoeff();
  for (int j = 0; j < at.col_r; ++j) {
    const auto moved = [&](double step) {
      State y = x;
      (j < n.p ? y.p[j] : y.v[j - n.p]) += step;
      solve_accelerations(model, *solver, y);
      return y.a;
    };
    const auto central = [&](double h) { return Vector((moved(h) - moved(-h)) / (2.0 * h)); };
    constexpr double h = 2e-4;
    const Vector difference = (64.0 * central(h / 4) - 20.0 * central(h / 2) + central(h)) / 45.0;
    EXPECT_LT((a.col(j) - difference).lpNorm<Eigen::Infinity>(), 1e-7 * size) << "column " << j;
  }
  solve_accelerations(model, *solver, x);  // its factors
  for (int j = 0; j < a.cols(); ++j) {
    Vector column = one_by_one.col(j), rows = Vector::Zero(n.lambda);
    if (j < at.col_r) rows = -J.block(at.acceleration, j, n.lambda, 1);
    solver->solve(column, rows);
    EXPECT_LT((a.col(j) - column).lpNorm<Eigen::Infinity>(),
              1e-12 * (1.0 + column.lpNorm<Eigen::Infinity>()));
  }
}

// The solver that goes along the tree, compared with one that takes the matrix as it is assembled,
// off the constraints, too; and its factors after they have been stored.
TEST_P(TreeDerivatives, SolverOfTheTreeAgreesWithADenseOne) {
  const Assembled model(GetParam().model.text, GetParam().coordinates);
  const Sizes& n = model->sizes();
  const auto own = model->make_solver("auto"), dense = model->make_solver("dense");
  for (int seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    State x = random_state(*model, seed);
    x.z.setZero();
    model->position(model.context(), x, want_position_all, *model.ws);
    ASSERT_TRUE(own->factor(model.ws->saddle()));
    ASSERT_TRUE(dense->factor(model.ws->saddle()));
    const Vector b = Vector::LinSpaced(n.v, -1.0, 2.0), c = Vector::LinSpaced(n.lambda, 3.0, -1.0);
    Vector a = b, lambda = c, other_a = b, other_lambda = c;
    own->solve(a, lambda);
    dense->solve(other_a, other_lambda);
    const double size = 1.0 + other_a.lpNorm<Eigen::Infinity>() +
                        (n.lambda > 0 ? other_lambda.lpNorm<Eigen::Infinity>() : 0.0);
    EXPECT_LT((a - other_a).lpNorm<Eigen::Infinity>(), 1e-9 * size);
    if (n.lambda > 0) {
      EXPECT_LT((lambda - other_lambda).lpNorm<Eigen::Infinity>(), 1e-9 * size);
    }
    std::vector<std::byte> bytes;
    ByteWriter out(bytes);
    own->save(out);
    const auto again = model->make_solver("auto");
    ByteReader in(bytes);
    again->restore(in);
    Vector same_a = b, same_lambda = c;
    again->solve(same_a, same_lambda);
    EXPECT_EQ(same_a, a);
    EXPECT_EQ(same_lambda, lambda);
  }
  if (GetParam().model.name != "space_serial") return;
  EXPECT_NE(own->name().find("articulated bodies"), std::string::npos) << own->name();
  EXPECT_EQ(own->statistics().fallbacks, 0);
}

// A general solver that has been needed in between is not there again after the earlier state is
// restored, and stored bytes that say it holds the factors are refused.
TEST_P(TreeDerivatives, SolverOfTheTreeIsRestored) {
  const Assembled model(GetParam().model.text, GetParam().coordinates);
  const Sizes& n = model->sizes();
  const auto solver = model->make_solver("auto");
  State x = random_state(*model, 1);
  x.z.setZero();
  model->position(model.context(), x, want_position_all, *model.ws);
  ASSERT_TRUE(solver->factor(model.ws->saddle()));
  const auto bytes_of = [](const SaddleSolver& one) {
    std::vector<std::byte> bytes;
    ByteWriter out(bytes);
    one.save(out);
    return bytes;
  };
  const std::vector<std::byte> before = bytes_of(*solver);
  SaddleMatrix other = model.ws->saddle();
  const Vector D = Vector::Ones(n.lambda);  // of no joint of the tree
  ASSERT_TRUE(solver->factor({other.M, other.G, D, nullptr, other.unassembled}));
  ByteReader in(before);
  solver->restore(in);
  EXPECT_TRUE(bytes_of(*solver) == before);

  for (std::size_t k = 0; k < std::min<std::size_t>(before.size(), 80); ++k) {
    std::vector<std::byte> bytes = before;
    bytes[k] = std::byte{2};
    const auto again = model->make_solver("auto");
    ByteReader changed(bytes);
    try {
      again->restore(changed);
    } catch (const std::runtime_error&) {
      continue;
    }
    Vector a = Vector::Zero(n.v), lambda = Vector::Zero(n.lambda);
    again->solve(a, lambda);
  }
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const TreeModel& model : tree_models()) {
    for (const char* coordinates : {"joint", "mixed"}) all.push_back({model, coordinates});
  }
  return all;
}

const auto name_of = [](const auto& info) {
  return info.param.model.name + "_" + info.param.coordinates;
};
INSTANTIATE_TEST_SUITE_P(Every, TreeDerivatives, testing::ValuesIn(cases()), name_of);

}  // namespace
}  // namespace mbs::test
