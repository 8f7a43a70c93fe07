// The sparse LU by itself, on unsymmetric matrices such as implicit integrators have.

#include <gtest/gtest.h>

#include <random>

#include "engine/linear/sparse_lu.hpp"

namespace mbs::test {
namespace {

using Maker = std::unique_ptr<SparseLu> (*)();

class SparseLuTest : public testing::TestWithParam<Maker> {};

ColumnSparse random_matrix(int n, double density, std::mt19937& random) {
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  std::vector<Eigen::Triplet<double>> entries;
  for (int j = 0; j < n; ++j) {
    entries.emplace_back(j, (7 * j + 3) % n, 2.0 + number(random));  // a permutation when 7 ∤ n
    for (int i = 0; i < n; ++i) {
      if (std::abs(number(random)) < density) entries.emplace_back(i, j, number(random));
    }
  }
  ColumnSparse A(n, n);
  A.setFromTriplets(entries.begin(), entries.end());
  A.makeCompressed();
  return A;
}

TEST_P(SparseLuTest, SolvesUnsymmetricSystems) {
  std::mt19937 random(11);
  for (const int n : {1, 2, 5, 20, 100, 300}) {
    SCOPED_TRACE(n);
    ColumnSparse A = random_matrix(n, 2.0 / n, random);
    const auto lu = GetParam()();
    lu->analyse(A);
    for (int k = 0; k < 5; ++k) {
      ASSERT_TRUE(lu->factor(A));
      EXPECT_TRUE(lu->factored());
      const Vector expected = Vector::Random(n);
      Vector x = A * expected;
      lu->solve(x);
      EXPECT_LT((x - expected).cwiseAbs().maxCoeff(), 1e-14 * n / lu->reciprocal_condition());
      const Matrix right = Matrix::Random(n, 4);
      Matrix together = right;
      lu->solve_columns(together);
      for (int column = 0; column < 4; ++column) {
        Vector alone = right.col(column);
        lu->solve(alone);
        const double error = (together.col(column) - alone).cwiseAbs().maxCoeff();
        EXPECT_LE(error, lu->name() == "KLU" ? 0.0 : 1e-14 * n / lu->reciprocal_condition());
      }
      for (double& value : A.coeffs()) value *= 1.0 + 0.01 * (static_cast<double>(random() % 100));
    }
  }
}

TEST_P(SparseLuTest, SeesSingularMatrices) {
  std::mt19937 random(12);
  ColumnSparse A = random_matrix(20, 0.1, random);
  const auto lu = GetParam()();
  lu->analyse(A);
  ASSERT_TRUE(lu->factor(A));
  ColumnSparse singular = A;
  for (ColumnSparse::InnerIterator entry(singular, 4); entry; ++entry) entry.valueRef() = 0.0;
  EXPECT_FALSE(lu->factor(singular));
  EXPECT_FALSE(lu->factored());
  EXPECT_EQ(lu->reciprocal_condition(), 0.0);
  EXPECT_TRUE(lu->factor(A));
}

TEST_P(SparseLuTest, RestoresThePivotsOfTheLastFullFactorisation) {
  std::mt19937 random(13);
  ColumnSparse A = random_matrix(60, 0.05, random);
  const auto lu = GetParam()(), other = GetParam()();
  lu->analyse(A);
  other->analyse(A);
  const Vector right = Vector::Random(60);
  // Once, again with the same values, and with others.
  for (int k = 0; k < 4; ++k) {
    SCOPED_TRACE(k);
    ASSERT_TRUE(lu->factor(A));
    std::vector<std::byte> stream;
    ByteWriter writer(stream);
    lu->save(writer);
    ByteReader reader(stream);
    other->restore(reader);
    EXPECT_TRUE(reader.at_end());
    Vector x = right, y = right;
    lu->solve(x);
    other->solve(y);
    EXPECT_EQ(x, y);
    EXPECT_EQ(lu->full_factorisations(), other->full_factorisations());
    if (k == 0) continue;
    for (double& value : A.coeffs()) value *= 1.0 + 1e-3 * static_cast<double>(random() % 100);
  }
}

#ifdef MBS_WITH_KLU
INSTANTIATE_TEST_SUITE_P(Klu, SparseLuTest, testing::Values(make_klu_lu));

// Pivots of the first matrix that are bad for the second one are given up: zero, nearly zero, and
// not small themselves but small by what they let others grow to.
TEST(KluLu, ChoosesPivotsAnew) {
  ColumnSparse A(2, 2);
  std::vector<Eigen::Triplet<double>> entries = {
      {0, 0, 1.0}, {0, 1, 1.0}, {1, 0, 1.0}, {1, 1, 3.0}};
  A.setFromTriplets(entries.begin(), entries.end());
  A.makeCompressed();
  const Vector expected = Eigen::Vector2d(0.3, -0.7);
  for (const double pivot : {0.0, 1e-14, 1e-6}) {
    SCOPED_TRACE(pivot);
    ColumnSparse changed = A;
    changed.coeffRef(0, 0) = changed.coeffRef(1, 1) = pivot;
    const auto lu = make_klu_lu();
    lu->analyse(A);
    ASSERT_TRUE(lu->factor(A));
    ASSERT_TRUE(lu->factor(A));
    EXPECT_EQ(lu->full_factorisations(), 1);
    for (int again = 0; again < 3; ++again) {
      ASSERT_TRUE(lu->factor(changed));
      EXPECT_EQ(lu->full_factorisations(), 2);  // and the new ones are kept
      Vector x = changed * expected;
      lu->solve(x);
      EXPECT_LT((x - expected).norm(), 1e-15);
    }
    // A singular one has no pivots; the next has its own.
    ColumnSparse singular = A;
    singular.coeffs() = 1.0;
    EXPECT_FALSE(lu->factor(singular));
    ASSERT_TRUE(lu->factor(A));
    Vector x = A * expected;
    lu->solve(x);
    EXPECT_LT((x - expected).norm(), 1e-15);
  }
}
#endif
INSTANTIATE_TEST_SUITE_P(Eigen, SparseLuTest, testing::Values(make_eigen_lu));
INSTANTIATE_TEST_SUITE_P(DenseInside, SparseLuTest, testing::Values(make_dense_inside_lu));

TEST(SparseLu, IsDenseInsideWhereThatIsCheaper) {
  std::mt19937 random(13);
  EXPECT_EQ(make_lu_for(random_matrix(12, 0.3, random))->name(), "dense");
  EXPECT_NE(make_lu_for(random_matrix(300, 0.01, random))->name(), "dense");
}

}  // namespace
}  // namespace mbs::test
