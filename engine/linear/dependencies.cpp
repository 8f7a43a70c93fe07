// C^T P = Q ( R11 R12 ; 0 0 ): the rows of C behind the rank depend on those before it, each by the
// null vector y = P ( -R11^-1 r ; 1 ), r its column of R12. Its significant entries are the row and
// those it depends on, a set from which no row can be left out.

#include "engine/linear/dependencies.hpp"

#include <Eigen/OrderingMethods>
#include <Eigen/QR>
#include <Eigen/SparseQR>
#include <algorithm>
#include <cmath>

namespace mbs {

namespace {

constexpr double significant = 1e-6;
constexpr Eigen::Index dense_up_to = 400;

// `combination` has the entries -R11^-1 r of y in the order of the pivots.
Dependency dependency(const Vector& combination, Eigen::Index own, const std::vector<int>& pivots) {
  Dependency found;
  const double largest = std::max(1.0, combination.cwiseAbs().maxCoeff());
  for (Eigen::Index k = 0; k < combination.size(); ++k) {
    if (std::abs(combination[k]) > significant * largest) {
      found.rows.push_back(pivots[static_cast<std::size_t>(k)]);
    }
  }
  found.own = pivots[static_cast<std::size_t>(own)];
  found.rows.push_back(found.own);
  std::ranges::sort(found.rows);
  return found;
}

std::vector<Dependency> dense_dependencies(const ColumnSparse& transposed, double tolerance) {
  Eigen::ColPivHouseholderQR<Matrix> qr;
  qr.setThreshold(tolerance);
  qr.compute(Matrix(transposed));
  const Eigen::Index rank = qr.rank(), count = transposed.cols();
  const auto& indices = qr.colsPermutation().indices();
  const std::vector<int> pivots(indices.data(), indices.data() + count);
  const auto R = qr.matrixR().topLeftCorner(rank, rank).triangularView<Eigen::Upper>();
  std::vector<Dependency> found;
  for (Eigen::Index j = rank; j < count; ++j) {
    const Vector r = qr.matrixR().col(j).head(rank);
    found.push_back(dependency(R.solve(r), j, pivots));
  }
  return found;
}

std::vector<Dependency> sparse_dependencies(const ColumnSparse& transposed, double tolerance) {
  Eigen::SparseQR<ColumnSparse, Eigen::COLAMDOrdering<int>> qr;
  double largest = 0.0;
  for (Eigen::Index j = 0; j < transposed.cols(); ++j) {
    largest = std::max(largest, transposed.col(j).norm());
  }
  qr.setPivotThreshold(tolerance * largest);
  qr.compute(transposed);
  const Eigen::Index rank = qr.rank(), count = transposed.cols();
  const auto& indices = qr.colsPermutation().indices();
  const std::vector<int> pivots(indices.data(), indices.data() + count);
  const ColumnSparse R = qr.matrixR();
  const ColumnSparse R11 = R.topLeftCorner(rank, rank);
  std::vector<Dependency> found;
  for (Eigen::Index j = rank; j < count; ++j) {
    const Vector r = Vector(R.col(j)).head(rank);
    found.push_back(dependency(R11.triangularView<Eigen::Upper>().solve(r), j, pivots));
  }
  return found;
}

}  // namespace

std::vector<Dependency> find_dependencies(const RowSparse& C, double tolerance) {
  std::vector<int> rows;
  for (Eigen::Index i = 0; i < C.rows(); ++i) {
    if (C.row(i).norm() > 0.0) rows.push_back(static_cast<int>(i));
  }
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    for (RowSparse::InnerIterator entry(C, rows[k]); entry; ++entry) {
      entries.emplace_back(static_cast<int>(entry.col()), static_cast<int>(k), entry.value());
    }
  }
  if (rows.empty()) return {};
  ColumnSparse transposed(C.cols(), static_cast<Eigen::Index>(rows.size()));
  transposed.setFromTriplets(entries.begin(), entries.end());
  transposed.makeCompressed();
  std::vector<Dependency> found = C.cols() <= dense_up_to
                                      ? dense_dependencies(transposed, tolerance)
                                      : sparse_dependencies(transposed, tolerance);
  for (Dependency& one : found) {
    for (int& row : one.rows) row = rows[static_cast<std::size_t>(row)];
    one.own = rows[static_cast<std::size_t>(one.own)];
  }
  return found;
}

std::vector<int> redundant_rows(const ColumnSparse& M, const RowSparse& G, const Vector& D,
                                double tolerance) {
  constexpr double no_row = 1e-12;  // by the largest
  RowSparse C = G;
  Vector row = Vector::Zero(G.rows());
  for (Eigen::Index i = 0; i < C.rows(); ++i) {
    for (RowSparse::InnerIterator g(C, i); g; ++g) {
      const double mass = M.coeff(g.col(), g.col());
      if (mass > 0.0) g.valueRef() /= std::sqrt(mass);
      row[i] += g.value() * g.value();
    }
  }
  row = row.cwiseSqrt();
  const double least = no_row * (row.size() > 0 ? row.maxCoeff() : 0.0);
  std::vector<int> found;
  for (Eigen::Index i = 0; i < C.rows(); ++i) {
    const bool acts = D[i] == 0.0, is_row = row[i] > least;
    if (acts && !is_row) found.push_back(static_cast<int>(i));
    for (RowSparse::InnerIterator g(C, i); g; ++g) {
      g.valueRef() = acts && is_row ? g.value() / row[i] : 0.0;
    }
  }
  for (const Dependency& one : find_dependencies(C, tolerance)) found.push_back(one.own);
  std::ranges::sort(found);
  return found;
}

void compliance(const ColumnSparse& M, const RowSparse& G, const Vector& D, Vector& diagonal) {
  diagonal.setZero();
  for (Eigen::Index i = 0; i < G.rows(); ++i) {
    if (D[i] != 0.0) continue;
    for (RowSparse::InnerIterator g(G, i); g; ++g) {
      const double mass = M.coeff(g.col(), g.col());
      if (mass > 0.0) diagonal[i] += g.value() * g.value() / mass;
    }
  }
}

}  // namespace mbs
