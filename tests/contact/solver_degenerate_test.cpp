// Contact problems whose forces are not unique or that have no solution, and W by its factors.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "engine/contact/existence.hpp"
#include "engine/contact/solver.hpp"
#include "tests/contact/generated_problems.hpp"

namespace mbs::test {
namespace {

// A table of mass 1 on four legs, load at (x, y); accelerations.
ContactProblem table(double x, double y, double mu = 0.0) {
  constexpr double g = 9.81, a = 0.5, c = 0.4, I = 0.1;
  const double legs[4][2] = {{a, c}, {-a, c}, {-a, -c}, {a, -c}};
  const int part = mu > 0.0 ? 3 : 1;
  Matrix J = Matrix::Zero(4 * part, 6);
  ContactProblem problem;
  for (int i = 0; i < 4; ++i) {
    const double dx = legs[i][0], dy = legs[i][1];
    J.row(part * i) << 0, 0, 1, dy, -dx, 0;
    if (mu > 0.0) {
      J.row(part * i + 1) << 1, 0, 0, 0, -0.7, -dy;
      J.row(part * i + 2) << 0, 1, 0, 0.7, 0, dx;
    }
    problem.cones.push_back(
        {part * i, part * i + 1, part - 1, mu, 0.0, "leg " + std::to_string(i + 1)});
  }
  Vector inverse(6), force(6);
  inverse << 1, 1, 1, 1 / I, 1 / I, 1 / I;
  force << 0, 0, -g, -g * y, g * x, 0;
  problem.W = J * inverse.asDiagonal() * J.transpose();
  problem.b = J * inverse.cwiseProduct(force);
  return problem;
}

TEST(DegenerateContacts, FourLegsBearWithLeastNorm) {
  const ContactProblem problem = table(0.1, 0.05);
  const ContactSolution solution = solve(problem);
  ASSERT_TRUE(solution.found);
  EXPECT_LE(solution.certificate.relative(), 1e-13);
  // N_i = m g/4 (1 + x dx/a^2 + y dy/c^2) has no part along (1, -1, 1, -1).
  const double legs[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(solution.x[i], 9.81 / 4 * (1 + 0.1 / 0.5 * legs[i][0] + 0.05 / 0.4 * legs[i][1]),
                2e-8);
  }
}

TEST(DegenerateContacts, SmallChangesOfTheLoadChangeForcesLittle) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (const double mu : {0.0, 0.5}) {
    const ContactProblem problem = table(0.1, 0.05, mu);
    const Vector x = solve(problem).x;
    for (int trial = 0; trial < 50; ++trial) {
      ContactProblem load = table(0.1 + 1e-6 * normal(random), 0.05 + 1e-6 * normal(random), mu);
      EXPECT_LE((solve(load).x - x).norm(), 1e-4);
      // b that no motion has: the legs are not in a plane by some 1e-13.
      ContactProblem uneven = problem;
      for (double& b : uneven.b) b += 1e-13 * 9.81 * normal(random);
      const ContactSolution solution = solve(uneven);
      EXPECT_TRUE(solution.found);
      EXPECT_LE((solution.x - x).norm(), 0.02);
      for (double& b : uneven.b) b += 1e-6 * normal(random);
      EXPECT_TRUE(solve(uneven).found);
    }
  }
}

TEST(DegenerateContacts, LoadsOverTheWholeTableAndBeyond) {
  for (double x = -0.7; x <= 0.7; x += 0.05) {
    for (double y = -0.6; y <= 0.6; y += 0.05) {
      for (const double mu : {0.0, 0.3, 2.0}) {
        const ContactSolution solution = solve(table(x, y, mu));
        EXPECT_TRUE(solution.found) << x << " " << y << " " << mu;
        EXPECT_LE(solution.certificate.relative(), 1e-10) << x << " " << y << " " << mu;
      }
    }
  }
}

// Spheres between fixed plates, all touching, pushed from one end by an impact.
TEST(DegenerateContacts, ChainOfSpheresBetweenPlates) {
  for (const int spheres : {1, 2, 5, 20}) {
    Matrix J = Matrix::Zero(spheres + 1, spheres);
    Vector v = Vector::Zero(spheres);
    v[0] = 1.0;
    ContactProblem problem;
    for (int i = 0; i <= spheres; ++i) {
      if (i > 0) J(i, i - 1) = -1.0;
      if (i < spheres) J(i, i) = 1.0;
      problem.cones.push_back({.normal = i, .name = std::to_string(i)});
    }
    problem.W = J * J.transpose();
    problem.b = J * v;
    const ContactSolution solution = solve(problem);
    ASSERT_TRUE(solution.found);
    EXPECT_LE(solution.certificate.relative(), 1e-12) << spheres;
    // All stop: impulses 1 + c with the same c >= 0 for all; c = 0 has least norm.
    EXPECT_NEAR(solution.x[0], 0.0, 1e-6);
    for (int i = 1; i <= spheres; ++i) EXPECT_NEAR(solution.x[i], 1.0, 1e-6);
  }
}

// A block on a table, touched from the side by a plate that moves by v across.
TEST(DegenerateContacts, BlockOnATableTouchedByAPlateWithTinyTransverseSpeed) {
  for (const double mu : {0.01, 0.1, 0.5, 0.9}) {
    for (int digits = 0; digits <= 12; ++digits) {
      const double across = std::pow(10.0, -digits);
      // Planar: x, y, angle; two points below and two of the plate.
      const double point[4][2] = {{-0.5, -0.3}, {0.5, -0.3}, {-0.5, -0.2}, {-0.5, 0.2}};
      Matrix J(8, 3);
      Vector plate = Vector::Zero(8);
      ContactProblem problem;
      for (int i = 0; i < 4; ++i) {
        const Eigen::RowVector3d along(1, 0, -point[i][1]), up(0, 1, point[i][0]);
        J.row(2 * i) = i < 2 ? up : along;
        J.row(2 * i + 1) = i < 2 ? along : up;
        if (i >= 2) plate.segment<2>(2 * i) << -0.1, -across;
        problem.cones.push_back({2 * i, 2 * i + 1, 1, mu, 0.0, std::to_string(i)});
      }
      problem.W = J * Eigen::Vector3d(1.0, 1.0, 9.0).asDiagonal() * J.transpose();
      problem.b = plate;
      const ContactSolution solution = solve(problem);
      EXPECT_TRUE(solution.found) << mu << ", " << across;
      EXPECT_LE(solution.certificate.relative(), 1e-10) << mu << ", " << across;
    }
  }
}

// Painleve's rod: sliding with friction against a rough ground, W_NN < mu W_NT.
TEST(DegenerateContacts, PainlevesRodSaysFromWhichFrictionOnNoForceExists) {
  const double angle = 1.0, s = std::sin(angle), c = std::cos(angle);
  ContactProblem problem;
  problem.W.resize(2, 2);
  problem.W << 1 + 3 * c * c, -3 * s * c, -3 * s * c, 1 + 3 * s * s;
  problem.b.resize(2);
  problem.b << -1, 0;
  const double critical = (1 + 3 * c * c) / (3 * s * c);
  for (const double mu : {0.5, 1.3, 1.37, 1.38, 1.5, 3.0}) {
    problem.cones = {{.normal = 0,
                      .tangent = 1,
                      .tangents = 1,
                      .mu = mu,
                      .name = "tip",
                      .sliding = Vector::Constant(1, -1.0)}};
    const FrictionExistence existence = examine_existence(problem);
    EXPECT_EQ(existence.found, mu < critical) << mu;
    if (existence.found) continue;
    ASSERT_EQ(existence.contacts.size(), 1u);
    EXPECT_EQ(existence.contacts[0], "tip");
    EXPECT_NEAR(existence.mu[0], critical, 1e-6);
    EXPECT_NE(existence.text().find("'tip' (mu = 1.37"), std::string::npos) << existence.text();
  }
}

TEST(DegenerateContacts, ContradictingContactsAreNamed) {
  ContactProblem problem;
  problem.W.resize(3, 3);
  problem.W << 1, -1, 0, -1, 1, 0, 0, 0, 1;
  problem.b.resize(3);
  problem.b << -1, -1, -1;
  problem.cones = {{.normal = 0, .name = "left"},
                   {.normal = 1, .name = "right"},
                   {.normal = 2, .name = "other"}};
  const ContactSolution solution = solve(problem);
  EXPECT_FALSE(solution.found);
  EXPECT_EQ(solution.contradicting, (std::vector<std::string>{"left", "right"}));
  EXPECT_LT(examine_existence(problem).solvable, 0.0);
}

TEST(DelassusOperator, SolvesHeapsAsTheMatrixDoes) {
  for (const ContactProblem& problem :
       {pyramid_of_spheres(2), pyramid_of_spheres(4), wall_of_bricks(2), wall_of_bricks(5)}) {
    ContactProblem by_matrix = problem;
    by_matrix.W = problem.factors->matrix();
    by_matrix.factors.reset();
    std::mt19937 random(5);
    std::normal_distribution<double> normal;
    Vector x(problem.b.size());
    for (double& value : x) value = normal(random);
    const Vector u = product(by_matrix, x);
    EXPECT_LE((product(problem, x) - u).norm(), 1e-13 * u.norm());
    EXPECT_LE((problem.factors->diagonal() - by_matrix.W.diagonal()).norm(),
              1e-13 * by_matrix.W.diagonal().norm());
    const ContactSolution solution = solve(problem), other = solve(by_matrix);
    ASSERT_TRUE(solution.found && other.found);
    EXPECT_LE(solution.certificate.relative(), 1e-10);
    EXPECT_LE(other.certificate.relative(), 1e-10);
    // The motion agrees as far as certificates of 1e-10 say it: where forces are small, motion is
    // free.
    EXPECT_LE((product(problem, solution.x) - product(problem, other.x)).norm(),
              1e-7 * problem.b.norm());
  }
}

}  // namespace
}  // namespace mbs::test
