#include "engine/equations/redundancy.hpp"

#include <algorithm>
#include <cmath>

#include "engine/base/scatter.hpp"
#include "engine/equations/initial_rows.hpp"
#include "engine/equations/metric_step.hpp"

namespace mbs {

namespace {

constexpr double rank_tolerance = consistent_rank_tolerance;

}  // namespace

// A row that acts (D = 0) and is zero but for rounding depends on nothing but itself.
std::vector<Dependency> dependencies_at(const Equations& equations, const Context& context,
                                        const State& x, Workspace& ws, const Vector& q) {
  const Rows rows = velocity_rows(equations, context, x, ws);
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
bool close(const Equations& equations, const Context& context, State& x, Workspace& ws,
           const Vector& q, double tolerance) {
  constexpr int most = 20;
  const Sizes& n = equations.sizes();
  const Vector none = Vector::Zero(n.v);
  Vector delta, z = Vector::Zero(n.p);
  for (int k = 0; k < most; ++k) {
    const Rows rows = position_rows(equations, context, x, ws, q);
    const Vector residual = rows.residual.head(n.g), scale = rows.scale.head(n.g);
    if (!residual.allFinite()) return false;
    if (n.g == 0 || residual.cwiseQuotient(scale).cwiseAbs().maxCoeff() <= tolerance) return true;
    const MetricStep metric(ws.M, q);
    if (!metric.solve(rows.C.topRows(n.g), scale, none, residual, delta)) return false;
    equations.apply_Z(context, x, delta, z);
    x.p += z;
    equations.normalise(x);
  }
  return false;
}

}  // namespace

bool stays_redundant(const Equations& equations, const Context& context, const State& x,
                     std::size_t count, Workspace& ws, const Vector& q, double tolerance) {
  constexpr double first_size = 0.05, least_motion = 1e-9;
  constexpr int tries = 6;
  const Sizes& n = equations.sizes();
  const Rows rows = velocity_rows(equations, context, x, ws);
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
  equations.apply_Z(context, x, motion, z);
  double size = first_size / reach;
  for (int k = 0; k < tries; ++k, size *= 0.3) {
    State moved = x;
    moved.p += size * z;
    equations.normalise(moved);
    if (!close(equations, context, moved, ws, q, tolerance)) continue;
    return dependencies_at(equations, context, moved, ws, q).size() >= count;
  }
  return false;
}

}  // namespace mbs
