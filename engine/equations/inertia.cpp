// Inertia lost in rounding: with R K C equilibrated, K the saddle matrix, forces f of the size R f
// =
// +-1 give velocities of the size 1/smallest singular value. That is only looked at where motion by
// forces that move the heaviest by about one is large: K need not be sparse.

#include "engine/equations/inertia.hpp"

#include <algorithm>
#include <limits>

#include "engine/base/scatter.hpp"
#include "engine/equations/initial_rows.hpp"
#include "engine/linear/dependencies.hpp"
#include "engine/linear/equilibrate.hpp"

namespace mbs {

namespace {

constexpr double soft = 1e10;        // motion under those forces, in typical changes
constexpr double no_inertia = 1e13;  // of the equilibrated matrix
constexpr double significant = 1e-3;

// K with scales R and C.
struct Saddle {
  explicit Saddle(const Workspace& ws) {
    const auto n_v = ws.M.cols(), n = n_v + ws.G.rows();
    std::vector<Eigen::Triplet<double>> entries;
    for (Eigen::Index j = 0; j < n_v; ++j) {
      for (ColumnSparse::InnerIterator m(ws.M, j); m; ++m) {
        entries.emplace_back(m.row(), m.col(), m.value());
      }
    }
    for (Eigen::Index i = 0; i < ws.G.rows(); ++i) {
      for (RowSparse::InnerIterator g(ws.G, i); g; ++g) {
        entries.emplace_back(g.col(), n_v + i, g.value());
        entries.emplace_back(n_v + i, g.col(), g.value());
      }
      entries.emplace_back(n_v + i, n_v + i, -ws.D[i]);
    }
    K.resize(n, n);
    K.setFromTriplets(entries.begin(), entries.end());
    Vector scratch(n);
    R.resize(n);
    C.resize(n);
    scaled = equilibrate(ColumnSparse(K), R, C, scratch);
  }
  RowSparse K;
  Vector R, C;
  bool scaled = false;
};

// The motion under forces of these sizes.
Vector response(SaddleSolver& solver, Vector x, Eigen::Index rows) {
  Scatter scatter;
  for (double& force : x) force = scatter.next() < 0.0 ? -force : force;
  Vector y = Vector::Zero(rows);
  solver.solve(x, y);
  return x;
}

}  // namespace

std::vector<std::string> without_inertia(const Structure& known, const Workspace& ws) {
  const Saddle saddle(ws);
  const auto n_v = ws.M.cols();
  std::vector<std::string> names;
  for (Eigen::Index i = 0; i < n_v; ++i) {
    if (saddle.K.row(i).norm() == 0.0) names.push_back(entry_name(known.v_names, i, "v"));
  }
  if (!names.empty() || !saddle.scaled) return unique_names(names);
  for (const Dependency& one :
       find_dependencies(saddle.R.asDiagonal() * saddle.K * saddle.C.asDiagonal())) {
    for (const int row : one.rows) {
      if (row < n_v) names.push_back(entry_name(known.v_names, row, "v"));
    }
  }
  return unique_names(names);
}

std::vector<std::string> lost_in_rounding(const Structure& known, const Workspace& ws,
                                          const Vector& q, SaddleSolver& solver) {
  const auto n_v = ws.M.cols(), rows = ws.G.rows();
  if (n_v == 0) return {};
  const double energy = std::max((ws.M.diagonal().array() * q.array().square()).maxCoeff(),
                                 std::numeric_limits<double>::min());
  const Vector far = response(solver, energy * q.cwiseInverse(), rows).cwiseQuotient(q);
  if (far.cwiseAbs().maxCoeff() < soft) return {};
  const Saddle saddle(ws);
  if (!saddle.scaled) return {};
  const Vector motion = response(solver, saddle.R.head(n_v).cwiseInverse(), rows)
                            .cwiseQuotient(saddle.C.head(n_v))
                            .cwiseAbs();
  const double largest = motion.maxCoeff();
  std::vector<std::string> names;
  for (Eigen::Index i = 0; i < n_v && largest > no_inertia; ++i) {
    if (motion[i] > significant * largest) names.push_back(entry_name(known.v_names, i, "v"));
  }
  return unique_names(names);
}

}  // namespace mbs
