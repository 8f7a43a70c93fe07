// Forces in cones: closed forms, and the conditions themselves for random systems.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "engine/contact/cone_complementarity.hpp"

namespace mbs::test {
namespace {

TEST(Cones, OneContactPushesOrNot) {
  const Matrix W = Matrix::Constant(1, 1, 2.0);
  Vector x = Vector::Zero(1);
  ASSERT_TRUE(solve_cone_complementarity(W, Vector::Constant(1, -3.0), {{0}}, x));
  EXPECT_DOUBLE_EQ(x[0], 1.5);
  ASSERT_TRUE(solve_cone_complementarity(W, Vector::Constant(1, 3.0), {{0}}, x));
  EXPECT_EQ(x[0], 0.0);
}

// Any system: normal forces, cones, and dissipation, with up to 6 contacts of 2 tangents.
TEST(Cones, RandomSystemsMeetTheConditions) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  int solved = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const int count = 1 + trial % 6, tangents = trial / 6 % 3, n = count * (1 + tangents);
    const int bodies = trial % 2 == 0 ? n + 2 : std::max(2, n - 2);  // sometimes dependent
    Matrix G(n, bodies);
    for (double& x : G.reshaped()) x = normal(random);
    const Matrix W = G * G.transpose();
    Vector velocity(bodies);
    for (double& x : velocity) x = normal(random);
    const Vector b = G * velocity;
    std::vector<ConeBlock> blocks;
    for (int i = 0; i < count; ++i) {
      blocks.push_back({i * (1 + tangents), i * (1 + tangents) + 1, tangents, 0.1 * (i + 1), 0.0});
    }
    Vector x = Vector::Zero(n);
    if (!solve_cone_complementarity(W, b, blocks, x)) continue;
    ++solved;
    const Vector u = W * x + b;
    const double scale = 1e-10 * (1.0 + x.cwiseAbs().maxCoeff()) * (1.0 + W.norm());
    for (const ConeBlock& block : blocks) {
      EXPECT_GE(x[block.normal], 0.0);
      EXPECT_GE(u[block.normal], -scale);
      EXPECT_NEAR(x[block.normal] * u[block.normal], 0.0, scale * (1.0 + x[block.normal]));
      if (tangents == 0) continue;
      const Vector force = x.segment(block.tangent, tangents),
                   slip = u.segment(block.tangent, tangents);
      const double limit = block.mu * x[block.normal];
      EXPECT_LE(force.norm(), limit + scale);
      EXPECT_NEAR(force.dot(slip), -limit * slip.norm(), scale * (1.0 + slip.norm()));
    }
  }
  EXPECT_GE(solved, 297) << "of 300";
}

}  // namespace
}  // namespace mbs::test
