// The solver of contact problems: closed forms, and the conditions themselves for random problems.

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <sstream>

#include "engine/contact/problem_text.hpp"
#include "engine/contact/solver.hpp"

namespace mbs::test {
namespace {

TEST(ContactSolver, PushesAgainstApproachAlone) {
  ContactProblem problem{Matrix::Constant(1, 1, 2.0), Vector::Constant(1, -3.0), {{0}}};
  const ContactSolution closed = solve(problem);
  ASSERT_TRUE(closed.found);
  EXPECT_DOUBLE_EQ(closed.x[0], 1.5);
  problem.b[0] = 3.0;
  const ContactSolution open = solve(problem);
  ASSERT_TRUE(open.found);
  EXPECT_EQ(open.x[0], 0.0);
}

TEST(ContactSolver, PrintsTheProblemItIsGiven) {
  std::ostringstream text;
  text << ContactProblem{Matrix::Constant(1, 1, 2.0),
                         Vector::Constant(1, -3.0),
                         {{.normal = 0, .mu = 0.5, .name = "floor"}}};
  EXPECT_NE(text.str().find("contact 'floor': normal 0"), std::string::npos) << text.str();
  EXPECT_NE(text.str().find("mu 0.5"), std::string::npos) << text.str();
}

// The problems have up to 6 contacts with up to 2 tangents each.
TEST(ContactSolver, MeetsTheConditionsOfRandomProblems) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  int solved = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const int count = 1 + trial % 6, tangents = trial / 6 % 3, n = count * (1 + tangents);
    const int bodies = trial % 2 == 0 ? n + 2 : std::max(2, n - 2);  // sometimes dependent
    Matrix G(n, bodies);
    for (double& x : G.reshaped()) x = normal(random);
    Vector velocity(bodies);
    for (double& x : velocity) x = normal(random);
    ContactProblem problem{G * G.transpose(), G * velocity, {}};
    for (int i = 0; i < count; ++i) {
      problem.cones.push_back(
          {i * (1 + tangents), i * (1 + tangents) + 1, tangents, 0.1 * (i + 1), 0.0});
    }
    const ContactSolution solution = solve(problem);
    if (!solution.found) continue;
    ++solved;
    const Vector& x = solution.x;
    const Vector u = problem.W * x + problem.b;
    const double scale = 1e-10 * (1.0 + x.cwiseAbs().maxCoeff()) * (1.0 + problem.W.norm());
    EXPECT_LE(solution.certificate.penetration, scale);
    EXPECT_EQ(solution.certificate.tension, 0.0);
    EXPECT_LE(solution.certificate.cone, scale);
    for (const FrictionCone& cone : problem.cones) {
      EXPECT_GE(x[cone.normal], 0.0);
      EXPECT_GE(u[cone.normal], -scale);
      EXPECT_NEAR(x[cone.normal] * u[cone.normal], 0.0, scale * (1.0 + x[cone.normal]));
      if (tangents == 0) continue;
      const Vector force = x.segment(cone.tangent, tangents),
                   slip = u.segment(cone.tangent, tangents);
      const double limit = cone.mu * x[cone.normal];
      EXPECT_LE(force.norm(), limit + scale);
      EXPECT_NEAR(force.dot(slip), -limit * slip.norm(), scale * (1.0 + slip.norm()));
    }
  }
  EXPECT_GE(solved, 297) << "of 300";
}

}  // namespace
}  // namespace mbs::test
