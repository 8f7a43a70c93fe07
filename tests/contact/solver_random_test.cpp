// The solver of contact problems on problems from a seeded generator, by the certificate of the
// result and, for few planar contacts, compared with the enumeration of all modes.

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <random>
#include <vector>

#include "engine/contact/solver.hpp"
#include "tests/contact/generated_problems.hpp"

namespace mbs::test {
namespace {

TEST(ContactSolver, SolvesRandomProblemsToRounding) {
  int problems = 0, found = 0;
  double worst = 0.0;
  for (const int contacts : {1, 2, 3, 6, 12, 30, 60}) {
    for (const int tangents : {0, 1, 2}) {
      for (const double freedoms : {1.3, 0.7}) {
        for (const double mu : {0.1, 0.7, 2.0}) {
          for (const double spread : {0.0, 2.0}) {
            for (unsigned seed = 1; seed <= (contacts < 30 ? 6u : 2u); ++seed) {
              const ContactSolution solution =
                  solve(random_problem({100 * seed + 7, contacts, tangents, freedoms, mu, spread}));
              ++problems;
              found += solution.found ? 1 : 0;
              if (solution.found) worst = std::max(worst, solution.certificate.relative());
            }
          }
        }
      }
    }
  }
  EXPECT_EQ(found, problems);
  EXPECT_LE(worst, 1e-10);
}

TEST(ContactSolver, SolvesProblemsWithLargeFriction) {
  int problems = 0, found = 0;
  for (const int contacts : {1, 2, 3, 6, 12}) {
    for (const int tangents : {1, 2}) {
      for (const double freedoms : {1.3, 0.7}) {
        for (unsigned seed = 1; seed <= 40; ++seed) {
          const ContactSolution solution =
              solve(random_problem({seed, contacts, tangents, freedoms, 5.0, 0.0}));
          ++problems;
          found += solution.found ? 1 : 0;
          EXPECT_TRUE(!solution.found || solution.certificate.relative() <= 1e-10) << seed;
        }
      }
    }
  }
  EXPECT_EQ(found, problems);
}

// Transverse speeds of 1e-12 to 1e-3 of the normal ones, as of a plate that pushes a block.
TEST(ContactSolver, SolvesProblemsWithTinyTransverseSpeeds) {
  for (int digits = 3; digits <= 12; ++digits) {
    for (unsigned seed = 1; seed <= 20; ++seed) {
      for (const int contacts : {2, 4, 8}) {
        const ContactSolution solution =
            solve(random_problem({seed, contacts, 2, 1.3, 0.5, 0.0, std::pow(10.0, -digits)}));
        EXPECT_TRUE(solution.found) << "1e-" << digits << ", seed " << seed;
        EXPECT_LE(solution.certificate.relative(), 1e-10) << "1e-" << digits << ", seed " << seed;
      }
    }
  }
}

// All x that belong to one of the modes open, stick, slide to either side of each contact.
std::vector<Vector> enumerate(const ContactProblem& problem) {
  enum Mode { open, stick, forwards, backwards };
  const std::size_t contacts = problem.cones.size();
  const Eigen::Index n = problem.b.size();
  std::vector<Vector> solutions;
  for (unsigned code = 0; code < (1u << (2 * contacts)); ++code) {
    Matrix A = Matrix::Identity(n, n);  // x = 0 where a contact is open
    Vector rhs = Vector::Zero(n);
    for (std::size_t i = 0; i < contacts; ++i) {
      const FrictionCone& cone = problem.cones[i];
      const auto mode = static_cast<Mode>((code >> (2 * i)) & 3u);
      if (mode == open) continue;
      A.row(cone.normal) = problem.W.row(cone.normal);
      rhs[cone.normal] = -problem.b[cone.normal];
      if (mode == stick) {
        A.row(cone.tangent) = problem.W.row(cone.tangent);
        rhs[cone.tangent] = -problem.b[cone.tangent];
      } else {
        A(cone.tangent, cone.normal) = mode == forwards ? cone.mu : -cone.mu;
      }
    }
    const Eigen::FullPivLU<Matrix> lu(A);
    if (!lu.isInvertible()) continue;
    const Vector x = lu.solve(rhs);
    const ContactCertificate certificate = certify(problem, x);
    if (std::max(certificate.relative(), certificate.cone) < 1e-10) solutions.push_back(x);
  }
  return solutions;
}

TEST(ContactSolver, FindsOneOfTheEnumeratedSolutions) {
  for (unsigned seed = 1; seed <= 150; ++seed) {
    for (const int contacts : {1, 2, 3}) {
      for (const double mu : {0.3, 1.0, 5.0}) {
        const ContactProblem problem = random_problem({seed, contacts, 1, 1.5, mu, 0.0});
        const std::vector<Vector> all = enumerate(problem);
        const ContactSolution solution = solve(problem);
        ASSERT_FALSE(all.empty()) << seed;
        ASSERT_TRUE(solution.found) << seed << ", " << contacts << " contacts, mu " << mu;
        double nearest = 1.0;
        for (const Vector& x : all)
          nearest = std::min(nearest, (x - solution.x).norm() / (1e-3 + x.norm()));
        EXPECT_LE(nearest, 1e-9) << seed << ", " << contacts << " contacts, mu " << mu;
      }
    }
  }
}

// Friction of given directions makes W unsymmetric; then there may be no solution.
TEST(ContactSolver, SaysWhetherASolutionExistsWhereContactsSlide) {
  int without = 0;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    const int contacts = 1 + static_cast<int>(seed % 3);
    ContactProblem problem = random_problem({seed, contacts, 1, 1.5, 0.2 + 0.01 * seed, 0.0});
    std::mt19937 random(seed);
    std::vector<Vector> all;
    Matrix W = Matrix::Zero(contacts, contacts);
    Vector b(contacts);
    for (FrictionCone& cone : problem.cones)
      cone.sliding = Vector::Constant(1, random() % 2 == 0 ? 1.0 : -1.0);
    for (int i = 0; i < contacts; ++i) {
      b[i] = problem.b[2 * i];
      for (int k = 0; k < contacts; ++k) {
        const FrictionCone& cone = problem.cones[static_cast<std::size_t>(k)];
        W(i, k) = problem.W(2 * i, 2 * k) - cone.mu * cone.sliding[0] * problem.W(2 * i, 2 * k + 1);
      }
    }
    for (unsigned closed = 0; closed < (1u << contacts); ++closed) {
      Matrix A = Matrix::Identity(contacts, contacts);
      Vector rhs = Vector::Zero(contacts);
      for (int i = 0; i < contacts; ++i) {
        if (((closed >> i) & 1u) == 0) continue;
        A.row(i) = W.row(i);
        rhs[i] = -b[i];
      }
      const Vector x = A.fullPivLu().solve(rhs);
      if (x.minCoeff() >= -1e-13 * x.norm() && (W * x + b).minCoeff() > -1e-10) all.push_back(x);
    }
    const ContactSolution solution = solve(problem);
    EXPECT_EQ(solution.found, !all.empty()) << seed;
    if (all.empty()) {
      ++without;
      EXPECT_FALSE(solution.contradicting.empty()) << seed;
      continue;
    }
    double nearest = 1.0;
    for (const Vector& x : all) {
      Vector normals(contacts);
      for (int i = 0; i < contacts; ++i) normals[i] = solution.x[2 * i];
      nearest = std::min(nearest, (x - normals).norm() / (1e-3 + x.norm()));
    }
    EXPECT_LE(nearest, 1e-8) << seed;
  }
  EXPECT_GE(without, 20);
}

}  // namespace
}  // namespace mbs::test
