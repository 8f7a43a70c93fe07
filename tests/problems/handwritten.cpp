#include "tests/problems/handwritten.hpp"

#include <limits>

namespace mbs::test {

namespace {

template <class Sparse>
Sparse pattern(int rows, int cols, const Places& places) {
  std::vector<Eigen::Triplet<double>> entries;
  for (const auto& [i, j] : places) entries.emplace_back(i, j, 1.0);
  Sparse matrix(rows, cols);
  matrix.setFromTriplets(entries.begin(), entries.end());
  matrix.makeCompressed();
  return matrix;
}

std::vector<std::string> numbered(const std::string& name, int count) {
  std::vector<std::string> names;
  for (int i = 1; i <= count; ++i) names.push_back(name + std::to_string(i));
  return names;
}

}  // namespace

Handwritten::Handwritten(int n_p, int n_lambda, const Places& M, const Places& G, const Places& F)
    : p0_(Vector::Zero(n_p)), v0_(Vector::Zero(n_p)) {
  sizes_.p = sizes_.v = n_p;
  sizes_.g = sizes_.lambda = n_lambda;
  structure_.saddle.M = pattern<ColumnSparse>(n_p, n_p, M);
  structure_.saddle.G = pattern<RowSparse>(n_lambda, n_p, G);
  structure_.saddle.F = pattern<ColumnSparse>(n_p, n_lambda, F);
  structure_.f_depends_on_lambda = !F.empty();
  structure_.p_names = numbered("p", n_p);
  structure_.v_names = numbered("v", n_p);
  structure_.lambda_names = numbered("g", n_lambda);
  structure_.p_scale = structure_.v_scale = Vector::Ones(n_p);
  structure_.g_scale = Vector::Ones(n_lambda);
}

State Handwritten::initial(const Context&, double t0) const {
  State x(sizes_);
  x.t = t0;
  x.p = p0_;
  x.v = v0_;
  return x;
}

void Handwritten::velocity(const Context&, const State& x, Workspace& ws) const {
  ws.p_dot = x.v;
  ws.G_v = ws.gI;
  ws.G_v.noalias() += ws.G * x.v;
}

Equations::Energy Handwritten::energy(const Context& context, const State& x, Workspace& ws) const {
  return {Equations::energy(context, x, ws).kinetic, potential(context, x)};
}

double Handwritten::potential(const Context&, const State&) const {
  return std::numeric_limits<double>::quiet_NaN();
}

void Handwritten::set_jacobian_pattern(const Places& dynamics_p, const Places& dynamics_v,
                                       const Places& constraints_p) {
  const JacobianLayout at(sizes_);
  Places places;
  const auto add = [&](const Places& block, int row, int col) {
    for (const auto& [i, j] : block) places.emplace_back(row + i, col + j);
  };
  const auto transposed = [](const Places& block) {
    Places other;
    for (const auto& [i, j] : block) other.emplace_back(j, i);
    return other;
  };
  add(band(sizes_.p, 0), at.kinematics, at.col_v);
  add(dynamics_p, at.dynamics, at.col_p);
  add(dynamics_v, at.dynamics, at.col_v);
  add(transposed(constraints_p), at.dynamics, at.col_lambda);
  add(constraints_p, at.velocity, at.col_p);
  add(constraints_p, at.velocity, at.col_v);
  add(constraints_p, at.position, at.col_p);
  add(constraints_p, at.acceleration, at.col_p);
  add(constraints_p, at.acceleration, at.col_v);
  structure_.jacobian = pattern<ColumnSparse>(at.rows, at.cols, places);
}

Places band(int n, int width) {
  Places places;
  for (int i = 0; i < n; ++i) {
    for (int j = std::max(0, i - width); j <= std::min(n - 1, i + width); ++j) {
      places.emplace_back(i, j);
    }
  }
  return places;
}

Places full(int rows, int cols) {
  Places places;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < cols; ++j) places.emplace_back(i, j);
  }
  return places;
}

}  // namespace mbs::test
