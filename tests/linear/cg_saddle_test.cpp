// Conjugate gradients: what the iterations cost, and when their preconditioner is made anew.

#include <gtest/gtest.h>

#include <cmath>

#include "engine/linear/saddle_solver.hpp"
#include "tests/linear/random_saddle.hpp"

namespace mbs::test {
namespace {

Vector solve(SaddleSolver& solver, const RandomSaddle& system, const Vector& right) {
  Vector x = right;
  solver.solve(x.head(system.M.cols()), x.tail(system.G.rows()));
  return x;
}

Vector random_vector(int size, std::mt19937& random) {
  Vector x(size);
  for (double& value : x) value = std::uniform_real_distribution<double>(-1.0, 1.0)(random);
  return x;
}

// Over the reactions, and over the joint accelerations, without loops and with two.
class CgForm : public testing::TestWithParam<SaddleKind> {
 protected:
  bool in_joint_coordinates() const { return GetParam().freedom > 0; }
};

TEST_P(CgForm, IterationsGrowWithTheDistanceOfTheNeighbour) {
  std::mt19937 random(2);
  const RandomSaddle first = make_random_saddle(GetParam(), random);
  const Vector expected = random_vector(first.size(), random);
  long last = 0;
  for (const double change : {0.0, 1e-6, 1e-3, 1e-2}) {
    SCOPED_TRACE(change);
    RandomSaddle system = first;
    const auto solver = make_saddle_solver("cg", first.structure);
    EXPECT_EQ(solver->name(), in_joint_coordinates() ? "cg in joint coordinates" : "cg");
    ASSERT_TRUE(solver->factor(first.matrix()));
    system.vary(random, change);
    ASSERT_TRUE(solver->factor(system.matrix()));
    EXPECT_EQ(solver->statistics().fallbacks, 1);
    const Vector found = solve(*solver, system, system.whole() * expected);
    EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-10);
    EXPECT_EQ(solver->statistics().fallbacks, 1) << "not solved by iterations";
    EXPECT_GE(solver->statistics().iterations, last);
    last = solver->statistics().iterations;
    if (change == 0.0) {
      EXPECT_LE(last, 3);
    }
  }
  EXPECT_GT(last, 4);
  EXPECT_LT(last, 40);
}

TEST_P(CgForm, RefreshesItsPreconditionerByCounts) {
  std::mt19937 random(2);
  RandomSaddle system = make_random_saddle(GetParam(), random);
  const auto solver = make_saddle_solver("cg", system.structure);
  const Vector expected = random_vector(system.size(), random);
  for (int k = 0; k < 90; ++k) {
    system.vary(random, 1e-3);
    ASSERT_TRUE(solver->factor(system.matrix()));
    const Vector found = solve(*solver, system, system.whole() * expected);
    EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-10);
  }
  const SaddleStatistics& statistics = solver->statistics();
  EXPECT_GT(statistics.fallbacks, 1) << "never made anew";
  EXPECT_LT(statistics.fallbacks, 45) << "hardly ever kept";
  EXPECT_LT(statistics.iterations, 90 * 12);
}

INSTANTIATE_TEST_SUITE_P(
    Forms, CgForm,
    testing::Values(
        SaddleKind{.topology = SaddleKind::tree, .bodies = 30},
        SaddleKind{.topology = SaddleKind::tree, .bodies = 30, .freedom = 1},
        SaddleKind{.topology = SaddleKind::tree, .bodies = 20, .freedom = 3, .body_columns = 6},
        SaddleKind{.topology = SaddleKind::loop, .bodies = 10, .loops = 2, .freedom = 2}),
    [](const auto& one) { return name(one.param); });

// K is worse than the whole matrix, from regular to singular: no digits are lost.
TEST(CgSaddle, BadBlocksOfBodiesAreLeftToTheOtherSolver) {
  std::mt19937 random(2);
  const SaddleKind kind{.topology = SaddleKind::tree, .bodies = 10, .freedom = 1};
  RandomSaddle system = make_random_saddle(kind, random);
  const RandomSaddle good = system;
  const auto solver = make_saddle_solver("cg", system.structure);
  const Vector expected = random_vector(system.size(), random);
  for (const double part : {1.0, 1e-2, 1e-4, 1e-12, 0.0}) {
    SCOPED_TRACE(part);
    for (RowSparse::InnerIterator now(system.G, 4), was(good.G, 4); now; ++now, ++was) {
      now.valueRef() = was.col() < 30 ? part * was.value() : was.value();
    }
    long before = 0;
    for (int k = 0; k < 2; ++k) {  // once as its own neighbour
      before = solver->statistics().fallbacks;
      ASSERT_TRUE(solver->factor(system.matrix()));
      const Vector found = solve(*solver, system, system.whole() * expected);
      EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-10);
    }
    EXPECT_EQ(solver->statistics().fallbacks - before, part < 1e-4 ? 1 : 0);
  }
}

// A neighbour that has become singular is found while iterating only.
TEST(CgSaddle, SingularNeighbourGivesNoNumbers) {
  std::mt19937 random(2);
  RandomSaddle system = make_random_saddle({.bodies = 10}, random);
  Matrix G = system.G;
  const auto set_row = [&](double distance) {
    for (RowSparse::InnerIterator g(system.G, 3); g; ++g) {
      g.valueRef() = G(2, g.col()) + distance * G(3, g.col());
    }
  };
  const auto solver = make_saddle_solver("cg", system.structure);
  set_row(0.1);
  const Vector right = random_vector(system.size(), random);
  ASSERT_TRUE(solver->factor(system.matrix()));
  const Vector good = solve(*solver, system, right);
  EXPECT_TRUE(good.allFinite());
  set_row(0.0);
  ASSERT_TRUE(solver->factor(system.matrix()));
  EXPECT_TRUE(solve(*solver, system, right).hasNaN());
  EXPECT_EQ(solver->reciprocal_condition(), 0.0);
  EXPECT_FALSE(solver->factor(system.matrix()));
  set_row(0.1);
  ASSERT_TRUE(solver->factor(system.matrix()));
  EXPECT_LT((solve(*solver, system, right) - good).cwiseAbs().maxCoeff(), 1e-9);
}

}  // namespace
}  // namespace mbs::test
