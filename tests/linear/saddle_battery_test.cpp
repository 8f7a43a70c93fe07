// Every saddle solver on random structured systems: forward errors within what the condition
// allows, many right-hand sides, refactoring, singular systems, save and restore to the bit, and no
// allocation once warm.

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/QR>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <sstream>

#include "engine/base/linear_solver_names.hpp"
#include "engine/linear/equilibrate.hpp"
#include "engine/linear/least_norm_saddle.hpp"
#include "engine/linear/sparse_least_norm_saddle.hpp"
#include "engine/linear/sparse_saddle.hpp"
#include "tests/linear/random_saddle.hpp"
#include "tests/support/allocation_counter.hpp"

namespace mbs::test {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

struct Candidate {
  std::string name;
  std::function<std::unique_ptr<SaddleSolver>(const SaddleStructure&)> make;
  bool allocates = false;        // in each factorisation
  bool takes_redundant = false;  // rows that depend on others are no singular matrix to it
  // The matrices whose pivots (scaling, preconditioner) are kept from one to the next.
  std::function<bool(const SaddleKind&)> keeps_pivots = [](const SaddleKind&) { return false; };
};

bool always(const SaddleKind&) {
  return true;
}

Candidate by_keyword(const std::string& keyword) {
  Candidate one;
  one.name = keyword;
  one.make = [keyword](const SaddleStructure& s) { return make_saddle_solver(keyword, s); };
  if (keyword == "sparse" || keyword == "tree") one.keeps_pivots = always;
  if (keyword == "cg") {
    one.keeps_pivots = [](const SaddleKind& kind) { return !kind.with_F && !kind.massless; };
  }
#ifndef MBS_WITH_KLU
  one.allocates = keyword == "sparse" || keyword == "auto" || keyword == "cg";
  if (one.allocates) one.keeps_pivots = [](const SaddleKind&) { return false; };
#endif
  return one;
}

std::unique_ptr<SaddleSolver> make_with_eigen(const SaddleStructure& structure) {
  auto solver = std::make_unique<SparseSaddle>(make_eigen_lu());
  solver->analyse(structure);
  return solver;
}

std::vector<Candidate> candidates() {
  std::vector<Candidate> list;
  std::istringstream keywords{std::string(saddle_keywords)};
  for (std::string keyword; std::getline(keywords, keyword, '|');)
    list.push_back(by_keyword(keyword));
  list.push_back(by_keyword(std::string(least_norm_keyword)));
  list.back().takes_redundant = true;
  Candidate eigen;
  eigen.name = "sparse_eigen";
  eigen.make = make_with_eigen;
  eigen.allocates = true;
  list.push_back(eigen);
  return list;
}

std::vector<SaddleKind> kinds() {
  std::vector<SaddleKind> list;
  for (const auto topology :
       {SaddleKind::chain, SaddleKind::tree, SaddleKind::loop, SaddleKind::scattered}) {
    for (const int bodies : {1, 2, 3, 7, 20, 60}) {
      for (int flags = 0; flags < 16; ++flags) {
        const SaddleKind kind{topology,         bodies,           (flags & 1) != 0,
                              (flags & 2) != 0, (flags & 4) != 0, (flags & 8) != 0};
        if (kind.massless && kind.inactive) continue;
        if (bodies == 60 && flags % 5 != 0) continue;
        list.push_back(kind);
      }
    }
  }
  for (const auto topology : {SaddleKind::chain, SaddleKind::tree, SaddleKind::loop}) {
    for (const int bodies : {1, 4, 7, 15}) {
      for (const int freedom : {1, 2}) {
        const int loops = bodies > 4 && freedom == 2 ? 2 : 1;
        if (topology == SaddleKind::loop && bodies < 3) continue;
        for (const bool badly_scaled : {false, true}) {
          list.push_back({.topology = topology,
                          .bodies = bodies,
                          .badly_scaled = badly_scaled,
                          .loops = topology == SaddleKind::loop ? loops : 1,
                          .freedom = freedom,
                          .body_columns = bodies == 7 ? 6 : 3});
        }
      }
    }
  }
  return list;
}

// A solution in the units of the system, and its right-hand side without rounding to speak of.
struct Known {
  Vector solution, right;
};

Known known(const RandomSaddle& system, std::mt19937& random) {
  using Long = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  std::normal_distribution<double> number;
  Vector x(system.size());
  for (Eigen::Index i = 0; i < x.size(); ++i) x[i] = number(random) * system.units[i];
  const Long right = system.whole().cast<long double>() * x.cast<long double>();
  return {x, right.cast<double>()};
}

Vector solve(SaddleSolver& solver, const RandomSaddle& system, Vector right) {
  const auto n_v = system.M.cols();
  solver.solve(right.head(n_v), right.tail(right.size() - n_v));
  return right;
}

double error(const RandomSaddle& system, const Vector& found, const Vector& expected) {
  return (found - expected).cwiseQuotient(system.units).cwiseAbs().maxCoeff();
}

// The true 1/cond_1 of the equilibrated matrix.
double true_reciprocal_condition(const RandomSaddle& system) {
  Matrix K = system.whole();
  Vector R(K.rows()), C(K.rows()), scratch(K.rows());
  EXPECT_TRUE(equilibrate(ColumnSparse(K.sparseView()), R, C, scratch));
  K = R.asDiagonal() * K * C.asDiagonal();
  const Matrix inverse = K.fullPivLu().inverse();
  return 1.0 /
         (K.cwiseAbs().colwise().sum().maxCoeff() * inverse.cwiseAbs().colwise().sum().maxCoeff());
}

class SaddleBattery : public testing::TestWithParam<Candidate> {
 protected:
  std::unique_ptr<SaddleSolver> make(const RandomSaddle& system) {
    return GetParam().make(system.structure);
  }
  std::mt19937 random{7};
};

TEST_P(SaddleBattery, SolvesWithinTheCondition) {
  for (const SaddleKind& kind : kinds()) {
    SCOPED_TRACE(name(kind));
    const RandomSaddle system = make_random_saddle(kind, random);
    const auto solver = make(system);
    ASSERT_TRUE(solver->factor(system.matrix()));
    const double reciprocal = solver->reciprocal_condition();
    EXPECT_GT(reciprocal, 1e-9);
    for (int k = 0; k < 3; ++k) {
      const Known one = known(system, random);
      const Vector found = solve(*solver, system, one.right);
      EXPECT_LT(error(system, found, one.solution), 10.0 * eps * system.size() / reciprocal);
    }
    EXPECT_EQ(solver->statistics().solves, 3);
    EXPECT_EQ(solver->statistics().factorisations, 1);
    EXPECT_GE(solver->statistics().analyses, 1);
    EXPECT_LE(solver->statistics().analyses, 1 + solver->statistics().fallbacks);
  }
}

TEST_P(SaddleBattery, EstimatesTheCondition) {
  for (const SaddleKind& kind : kinds()) {
    if (kind.bodies > 20) continue;
    SCOPED_TRACE(name(kind));
    const RandomSaddle system = make_random_saddle(kind, random);
    const auto solver = make(system);
    ASSERT_TRUE(solver->factor(system.matrix()));
    const double found = solver->reciprocal_condition();
    const double expected = true_reciprocal_condition(system);
    EXPECT_GT(found, 0.999 * expected);  // the estimate of |A^-1| is a lower bound
    EXPECT_LT(found, 10.0 * expected);
  }
}

TEST_P(SaddleBattery, RefactorsAsValuesChange) {
  for (const SaddleKind& kind : kinds()) {
    if (kind.bodies > 7) continue;
    SCOPED_TRACE(name(kind));
    RandomSaddle system = make_random_saddle(kind, random);
    const auto solver = make(system);
    int solved = 0;
    for (int k = 0; k < 40; ++k) {
      // Small steps, and now and then another matrix altogether.
      system.vary(random, k % 10 == 9 ? 1.0 : 0.02);
      if (true_reciprocal_condition(system) < 1e-9) continue;
      ASSERT_TRUE(solver->factor(system.matrix()));
      const Known one = known(system, random);
      EXPECT_LT(error(system, solve(*solver, system, one.right), one.solution),
                1e3 * eps * system.size() / solver->reciprocal_condition());
      ++solved;
    }
    EXPECT_GT(solved, 35);
    EXPECT_EQ(solver->statistics().factorisations, solved);
    if (GetParam().keeps_pivots(kind)) {
      EXPECT_LT(solver->statistics().analyses, 20) << "refactoring hardly ever holds";
    }
  }
}

// Rows are switched on and off with the same solver.
TEST_P(SaddleBattery, FollowsModes) {
  RandomSaddle on = make_random_saddle({.topology = SaddleKind::loop, .bodies = 8}, random);
  RandomSaddle off = on;
  for (const int row : {0, 5, 17}) {
    off.D[row] = 1.0;
    for (RowSparse::InnerIterator g(off.G, row); g; ++g) g.valueRef() = 0.0;
  }
  const auto solver = make(on);
  for (int k = 0; k < 6; ++k) {
    RandomSaddle& system = k % 2 == 0 ? on : off;
    ASSERT_TRUE(solver->factor(system.matrix()));
    Known one = known(system, random);
    EXPECT_LT(error(system, solve(*solver, system, one.right), one.solution), 1e-11);
    // y of an inactive row is zero when its right-hand side is.
    for (const int row : {0, 5, 17}) one.right[system.M.cols() + row] = 0.0;
    const Vector found = solve(*solver, system, one.right);
    if (k % 2 == 1) {
      EXPECT_EQ(found[system.M.cols() + 5], 0.0);
    }
  }
}

TEST_P(SaddleBattery, TakesFOrLeavesIt) {
  RandomSaddle system =
      make_random_saddle({.topology = SaddleKind::tree, .bodies = 9, .with_F = true}, random);
  const auto solver = make(system);
  for (int k = 0; k < 4; ++k) {
    system.with_F = k % 2 == 0;
    ASSERT_TRUE(solver->factor(system.matrix()));
    const Known one = known(system, random);
    EXPECT_LT(error(system, solve(*solver, system, one.right), one.solution), 1e-11);
  }
}

TEST_P(SaddleBattery, RefusesSingularMatricesAndStaysUsable) {
  for (const int bodies : {2, 6, 25}) {
    const RandomSaddle good = make_random_saddle({.bodies = bodies}, random);
    const auto solver = make(good);
    const auto check = [&](const RandomSaddle& bad, const char* what) {
      SCOPED_TRACE(what);
      EXPECT_FALSE(solver->factor(bad.matrix()));
      EXPECT_EQ(solver->reciprocal_condition(), 0.0);
      ASSERT_TRUE(solver->factor(good.matrix()));
      const Known one = known(good, random);
      EXPECT_LT(error(good, solve(*solver, good, one.right), one.solution), 1e-10);
    };
    RandomSaddle bad = good;
    if (GetParam().takes_redundant) {
      bad.M.coeffs().setZero();
      check(bad, "no mass at all");
      continue;
    }
    // Two rows of one joint the same, up to rounding.
    Matrix G = bad.G;
    G.row(3) = G.row(2) / 3.0;
    for (RowSparse::InnerIterator g(bad.G, 3); g; ++g) g.valueRef() = G(3, g.col());
    check(bad, "dependent rows");

    bad = good;
    for (RowSparse::InnerIterator g(bad.G, 1); g; ++g) g.valueRef() = 0.0;
    check(bad, "a row of zeros");

    bad = good;
    bad.M.coeffs().setZero();
    check(bad, "no mass at all");

    for (const double value : {std::nan(""), std::numeric_limits<double>::infinity()}) {
      bad = good;
      bad.M.valuePtr()[0] = value;
      check(bad, "not finite");
      bad = good;
      bad.G.valuePtr()[4] = value;
      check(bad, "not finite in G");
    }
  }
}

TEST_P(SaddleBattery, NearlySingularIsSolvedAsWellAsItCanBe) {
  if (GetParam().takes_redundant) GTEST_SKIP() << "takes it for redundant";
  for (const int bodies : {3, 25}) {
    for (const double distance : {1e-6, 1e-9}) {
      RandomSaddle system = make_random_saddle({.bodies = bodies}, random);
      const auto solver = make(system);
      const Matrix G = system.G;
      for (RowSparse::InnerIterator g(system.G, 3); g; ++g) {
        g.valueRef() = G(2, g.col()) + distance * G(3, g.col());
      }
      ASSERT_TRUE(solver->factor(system.matrix()));
      const double reciprocal = solver->reciprocal_condition();
      EXPECT_LT(reciprocal, 10.0 * distance);
      const Known one = known(system, random);
      EXPECT_LT(error(system, solve(*solver, system, one.right), one.solution),
                10.0 * eps * system.size() / reciprocal);
    }
  }
}

TEST_P(SaddleBattery, RestoredSolverIsTheSameToTheBit) {
  for (const SaddleKind& kind : kinds()) {
    if (kind.bodies == 60) continue;
    SCOPED_TRACE(name(kind));
    RandomSaddle system = make_random_saddle(kind, random);
    const auto solver = make(system), other = make(system);
    const auto bytes = [](const SaddleSolver& of) {
      std::vector<std::byte> stream;
      ByteWriter writer(stream);
      of.save(writer);
      return stream;
    };
    const auto restore = [](SaddleSolver& into, const std::vector<std::byte>& stream) {
      ByteReader reader(stream);
      into.restore(reader);
      EXPECT_TRUE(reader.at_end());
    };
    restore(*other, bytes(*solver));  // before anything has been factored
    for (int k = 0; k < 5; ++k) {
      ASSERT_TRUE(solver->factor(system.matrix()));
      const Known one = known(system, random);
      const Vector expected = solve(*solver, system, one.right);
      const std::vector<std::byte> stream = bytes(*solver);
      restore(*other, stream);
      EXPECT_EQ(stream, bytes(*other));
      EXPECT_EQ(expected, solve(*other, system, one.right));
      // The next factorisation agrees too; its pivots were chosen by earlier ones.
      system.vary(random, 0.03);
      ASSERT_TRUE(solver->factor(system.matrix()));
      ASSERT_TRUE(other->factor(system.matrix()));
      EXPECT_EQ(solve(*solver, system, one.right), solve(*other, system, one.right));
      EXPECT_EQ(solver->statistics().analyses, other->statistics().analyses);
    }
    std::vector<std::byte> cut = bytes(*solver);
    cut.resize(cut.size() - 3);
    EXPECT_THROW(restore(*other, cut), std::runtime_error);
    restore(*other, bytes(*solver));
  }
}

TEST_P(SaddleBattery, AllocatesNothingOnceWarm) {
  if (!allocations_are_counted) GTEST_SKIP() << "the sanitizer has a malloc of its own";
  if (GetParam().allocates) return;
  for (const int bodies : {1, 5, 30}) {
    RandomSaddle system = make_random_saddle({.bodies = bodies, .with_F = true}, random);
    const auto solver = make(system);
    const Known one = known(system, random);
    Vector x = one.right.head(system.M.cols()), y = one.right.tail(system.G.rows());
    for (const bool with_F : {true, false}) {
      system.with_F = with_F;
      ASSERT_TRUE(solver->factor(system.matrix()));
    }
    bool regular = true;
    const long count = allocations_in([&] {
      for (int k = 0; k < 5; ++k) {
        system.with_F = k % 2 == 0;
        system.vary(random, 1e-3);
        regular = regular && solver->factor(system.matrix());
        solver->solve(x, y);
        regular = regular && solver->reciprocal_condition() > 0.0;
      }
    });
    EXPECT_TRUE(regular);
    EXPECT_EQ(count, 0) << bodies;
  }
}

TEST_P(SaddleBattery, TakesSystemsWithoutUnknowns) {
  SaddleStructure structure;
  structure.M.resize(0, 0);
  structure.G.resize(0, 0);
  const auto solver = GetParam().make(structure);
  Vector D, x, y;
  EXPECT_TRUE(solver->factor({structure.M, structure.G, D}));
  solver->solve(x, y);
  EXPECT_EQ(solver->reciprocal_condition(), 1.0);
}

TEST_P(SaddleBattery, AnotherPatternIsAnError) {
  const RandomSaddle system = make_random_saddle({.bodies = 4}, random);
  const RandomSaddle other = make_random_saddle({.bodies = 5}, random);
  EXPECT_THROW(make(system)->factor(other.matrix()), std::logic_error);
}

// Against the pseudoinverse: with redundant rows x is that of the rows without them, y of least
// norm; next to the constraints, where the rows are not quite redundant, the solution moves as they
// do. Sparse and dense, whatever the size.
TEST(LeastNorm, TakesRedundantRows) {
  std::mt19937 random(3);
  for (const bool sparse : {false, true}) {
    for (const int bodies : {2, 6, 25}) {
      SCOPED_TRACE((sparse ? "sparse, " : "dense, ") + std::to_string(bodies) + " bodies");
      const RandomSaddle independent = make_random_saddle({.bodies = bodies}, random);
      const auto n_v = independent.M.cols(), m = independent.G.rows();
      const Matrix G0 = independent.G, mix = Matrix::Random(3, m);
      Matrix G(m + 3, n_v);
      G << G0, mix * G0;
      const Vector b = Vector::Random(n_v), c0 = Vector::Random(m);
      Vector c(m + 3);
      c << c0, mix * c0;
      SaddleStructure structure = independent.structure;
      structure.F = ColumnSparse(n_v, m + 3);
      structure.G = RowSparse(Matrix::Ones(m + 3, n_v).sparseView());
      std::unique_ptr<SaddleSolver> solver;
      if (sparse) {
        solver = std::make_unique<SparseLeastNormSaddle>();
      } else {
        solver = std::make_unique<LeastNormSaddle>();
      }
      solver->analyse(structure);
      const Vector D = Vector::Zero(m + 3);
      Matrix K(n_v + m, n_v + m);
      K << Matrix(independent.M), G0.transpose(), G0, Matrix::Zero(m, m);
      Vector right(n_v + m);
      right << b, c0;
      const Vector plain = K.fullPivLu().solve(right);
      const Vector force = G0.transpose() * plain.tail(m);
      const Vector least = G.transpose().completeOrthogonalDecomposition().solve(force);
      Vector before;
      for (const double off : {0.0, 1e-6, 2e-6}) {
        RowSparse rows = structure.G;
        Matrix moved = G;
        moved.bottomRows(3) += off * Matrix::Ones(3, n_v);
        for (int i = 0; i < rows.rows(); ++i) {
          for (RowSparse::InnerIterator g(rows, i); g; ++g) g.valueRef() = moved(i, g.col());
        }
        ASSERT_TRUE(solver->factor({independent.M, rows, D}));
        Vector x = b, y = c;
        solver->solve(x, y);
        if (off == 0.0) {
          EXPECT_LT((x - plain.head(n_v)).norm(), 1e-9 * plain.norm());
          EXPECT_LT((y - least).norm(), (sparse ? 1e-7 : 1e-9) * least.norm());
          EXPECT_LT((G.transpose() * y - force).norm(), 1e-11 * y.norm());
          std::printf("%d bodies, %s: y off by %.1e, its force by %.1e\n", bodies,
                      sparse ? "sparse" : "dense", (y - least).norm() / least.norm(),
                      (G.transpose() * y - force).norm() / force.norm());
          EXPECT_NE(solver->name().find("redundant rows: 3"), std::string::npos) << solver->name();
        } else {
          EXPECT_LT((x - before).norm(), 1e3 * 1e-6 * (1.0 + before.norm()));
          EXPECT_TRUE(sparse || (x - before).norm() > 0.0);
        }
        before = x;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Solvers, SaddleBattery, testing::ValuesIn(candidates()),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace mbs::test
