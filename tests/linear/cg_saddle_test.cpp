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

TEST(CgSaddle, IterationsGrowWithTheDistanceOfTheNeighbour) {
  std::mt19937 random(2);
  const RandomSaddle first =
      make_random_saddle({.topology = SaddleKind::tree, .bodies = 30}, random);
  const Vector expected = Vector::Random(first.size());
  long last = 0;
  for (const double change : {0.0, 1e-6, 1e-3, 1e-2}) {
    SCOPED_TRACE(change);
    RandomSaddle system = first;
    const auto solver = make_saddle_solver("cg", first.structure);
    ASSERT_TRUE(solver->factor(first.matrix()));
    system.vary(random, change);
    ASSERT_TRUE(solver->factor(system.matrix()));
    EXPECT_EQ(solver->statistics().analyses, 1);
    const Vector found = solve(*solver, system, system.whole() * expected);
    EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-10);
    EXPECT_GE(solver->statistics().iterations, last);
    last = solver->statistics().iterations;
    if (change == 0.0) {
      EXPECT_LE(last, 2);
    }
  }
  EXPECT_GT(last, 4);
  EXPECT_LT(last, 40);
}

TEST(CgSaddle, RefreshesItsPreconditionerByCounts) {
  std::mt19937 random(2);
  RandomSaddle system = make_random_saddle({.topology = SaddleKind::tree, .bodies = 30}, random);
  const auto solver = make_saddle_solver("cg", system.structure);
  const Vector expected = Vector::Random(system.size());
  for (int k = 0; k < 60; ++k) {
    system.vary(random, 2e-3);
    ASSERT_TRUE(solver->factor(system.matrix()));
    const Vector found = solve(*solver, system, system.whole() * expected);
    EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-10);
  }
  const SaddleStatistics& statistics = solver->statistics();
  EXPECT_GT(statistics.fall_backs, 2) << "never made anew";
  EXPECT_LT(statistics.fall_backs, 30) << "hardly ever kept";
  EXPECT_LT(statistics.iterations, 60 * 12);
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
  const Vector right = Vector::Random(system.size());
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
