// C^T P = Q ( R11 R12 ; 0 0 ): the rows of C behind the rank depend on those before it, each by the
// null vector y = P ( -R11^-1 r ; 1 ), r its column of R12. Its significant entries are the row and
// those it depends on, a set from which no row can be left out.

#include "engine/equations/redundancy.hpp"

#include <Eigen/OrderingMethods>
#include <Eigen/QR>
#include <Eigen/SparseQR>
#include <algorithm>
#include <cmath>

#include "engine/equations/initial_rows.hpp"
#include "engine/equations/metric_step.hpp"
#include "engine/equations/scatter.hpp"

namespace mbs {

namespace {

// Pivots below this by the largest count as zero: consistent values are good to about 1e-10.
constexpr double rank_tolerance = 1e-8;
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

std::vector<Dependency> dense_dependencies(const ColumnSparse& transposed) {
  Eigen::ColPivHouseholderQR<Matrix> qr;
  qr.setThreshold(rank_tolerance);
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

std::vector<Dependency> sparse_dependencies(const ColumnSparse& transposed) {
  Eigen::SparseQR<ColumnSparse, Eigen::COLAMDOrdering<int>> qr;
  double largest = 0.0;
  for (Eigen::Index j = 0; j < transposed.cols(); ++j) {
    largest = std::max(largest, transposed.col(j).norm());
  }
  qr.setPivotThreshold(rank_tolerance * largest);
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

std::vector<Dependency> find_dependencies(const RowSparse& C) {
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
  std::vector<Dependency> found =
      C.cols() <= dense_up_to ? dense_dependencies(transposed) : sparse_dependencies(transposed);
  for (Dependency& one : found) {
    for (int& row : one.rows) row = rows[static_cast<std::size_t>(row)];
    one.own = rows[static_cast<std::size_t>(one.own)];
  }
  return found;
}

// A row that acts (D = 0) and is zero but for rounding depends on nothing but itself.
std::vector<Dependency> dependencies_at(const Equations& equations, const Given& given,
                                        const State& x, Workspace& ws, const Vector& q) {
  const Rows rows = velocity_rows(equations, given, x, ws);
  const Vector& typical = equations.structure().g_scale;
  Vector factor = rows.scale.head(ws.G.rows()).cwiseInverse();
  std::vector<Dependency> found;
  for (int i = 0; i < factor.size(); ++i) {
    double size = 0.0;
    for (RowSparse::InnerIterator entry(ws.G, i); entry; ++entry) {
      size = std::max(size, std::abs(entry.value()) * q[entry.col()]);
    }
    if (!(size <= rank_tolerance * (typical.size() > i ? typical[i] : 1.0))) continue;
    factor[i] = 0.0;
    if (ws.D[i] == 0.0) found.push_back({{i}, i});
  }
  const RowSparse scaled = factor.asDiagonal() * ws.G * q.asDiagonal();
  for (Dependency& one : find_dependencies(scaled)) found.push_back(std::move(one));
  return found;
}

namespace {

// Newton onto 0 = g, without the conditions on initial values. False when it does not arrive.
bool close(const Equations& equations, const Given& given, State& x, Workspace& ws, const Vector& q,
           double tolerance) {
  constexpr int most = 20;
  const Sizes& n = equations.sizes();
  const Vector none = Vector::Zero(n.v);
  Vector delta, z = Vector::Zero(n.p);
  for (int k = 0; k < most; ++k) {
    const Rows rows = position_rows(equations, given, x, ws, q);
    const Vector residual = rows.residual.head(n.g), scale = rows.scale.head(n.g);
    if (!residual.allFinite()) return false;
    if (n.g == 0 || residual.cwiseQuotient(scale).cwiseAbs().maxCoeff() <= tolerance) return true;
    const MetricStep metric(ws.M, q);
    if (!metric.solve(rows.C.topRows(n.g), scale, none, residual, delta)) return false;
    equations.apply_Z(given, x, delta, z);
    x.p += z;
    equations.normalise(x);
  }
  return false;
}

}  // namespace

bool stays_redundant(const Equations& equations, const Given& given, const State& x,
                     std::size_t count, Workspace& ws, const Vector& q, double tolerance) {
  constexpr double first_size = 0.05, least_motion = 1e-9;
  constexpr int tries = 6;
  const Sizes& n = equations.sizes();
  const Rows rows = velocity_rows(equations, given, x, ws);
  const RowSparse G = ws.G;
  Scatter scatter;
  Vector motion(n.v);
  for (int j = 0; j < n.v; ++j) motion[j] = q[j] * scatter.next();
  Vector back;
  const MetricStep metric(ws.M, q);
  for (int k = 0; k < 2; ++k) {  // the second takes away what damping left
    const Vector across = G * motion;
    if (!metric.solve(G, rows.scale.head(n.lambda), Vector::Zero(n.v), across, back)) return false;
    motion += back;
  }
  const double reach = n.v > 0 ? motion.cwiseQuotient(q).cwiseAbs().maxCoeff() : 0.0;
  if (!(reach > least_motion)) return true;  // nothing can move
  Vector z = Vector::Zero(n.p);
  equations.apply_Z(given, x, motion, z);
  double size = first_size / reach;
  for (int k = 0; k < tries; ++k, size *= 0.3) {
    State beside = x;
    beside.p += size * z;
    equations.normalise(beside);
    if (!close(equations, given, beside, ws, q, tolerance)) continue;
    return dependencies_at(equations, given, beside, ws, q).size() >= count;
  }
  return false;
}

}  // namespace mbs
