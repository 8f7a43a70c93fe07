// Derivatives of accelerations and outputs at the present point.
//
// The slope of an output is its derivative along (p', v', r') and time with accelerations that
// follow: y(t + h, x + h x') differenced in h with fourth order. It needs no x'', as the path's
// curvature has no part in the derivative at h = 0. The rates at the same points have x'' for
// differences, and y'' is that of y(t + h, x + h x' + h^2/2 x''): what the path does beyond that
// has no part in the second derivative, and what it adds to the formula's error is of its order,
// h^4.

#include <array>
#include <cmath>
#include <optional>
#include <span>

#include "engine/simulation/core.hpp"

namespace mbs {
namespace {

constexpr std::array<int, 4> places{1, -1, 2, -2};
constexpr std::array<double, 4> first{8.0, -8.0, -1.0, 1.0};     // / 12 h
constexpr std::array<double, 4> second{16.0, 16.0, -1.0, -1.0};  // - 30 in the middle, / 12 h^2

}  // namespace

// Of what is in force.
void Simulation::linearise(At at) {
  Core& c = *core_;
  const bool ahead = at == At::preview;
  landed();
  State& x = ahead ? c.preview->x : c.x;
  if (!c.tangent) c.tangent = std::make_unique<Tangent>(*equations_);
  const unsigned wanted = ahead ? Core::pending_tangents : Core::tangents;
  if ((c.shown & wanted) != 0) return;
  c.shown &= ~(Core::tangents | Core::pending_tangents);
  {
    const Core::LawsAt left(x, law_time());
    c.tangent->evaluate(c.given(), x);
  }
  c.shown |= wanted;
  c.column_known.assign(c.column_known.size(), 0);
}

void Simulation::differentiate(Variation& change, Vector& dx, Vector* dy, At at) {
  Core& c = *core_;
  std::optional<Core::PendingInForce> in_force;
  if (at == At::preview) {
    preview();
    in_force.emplace(c);
  }
  linearise(at);
  c.tangent->follow(change);
  c.tangent->rates(change, dx);
  if (dy != nullptr) c.tangent->outputs(c.given(), change, *dy);
}

Eigen::Ref<const Vector> Simulation::derivative_column(int known, At at) {
  Core& c = *core_;
  const Sizes& n = equations_->sizes();
  const int states = exchange_size(), count = states + n.u;
  if (c.column_known.empty()) {
    c.columns = Matrix::Zero(states + n.y, count);
    c.column_known.assign(static_cast<std::size_t>(count), 0);
    c.units.assign(Tangent::together, Variation(n));
  }
  std::optional<Core::PendingInForce> in_force;
  if (at == At::preview) {
    preview();
    in_force.emplace(c);
  }
  linearise(at);
  const auto is_known = [&](int i) -> char& { return c.column_known[static_cast<std::size_t>(i)]; };
  if (is_known(known) != 0) return c.columns.col(known);
  const auto keep = [&](std::span<const int> unknowns) {
    const std::span units(c.units.data(), unknowns.size());
    c.tangent->follow(unknowns, units);
    for (std::size_t k = 0; k < unknowns.size(); ++k) {
      c.tangent->rates(units[k], c.column_rates, static_cast<int>(k));
      c.tangent->outputs(c.given(), units[k], c.column_outputs);
      const int i = unknowns[k];
      c.columns.col(i).head(states) = c.column_rates;
      c.columns.col(i).tail(n.y) = c.column_outputs;
      is_known(i) = 1;
    }
  };
  std::array<int, Tangent::together> acting;
  std::size_t found = 0;
  for (int i = known; i < count && found < acting.size() && is_known(i) == 0; ++i) {
    if (c.tangent->acts(i))
      acting[found++] = i;
    else
      keep({&i, 1});
  }
  if (found > 0) keep(std::span(acting).first(found));
  return c.columns.col(known);
}

const Vector& Simulation::output_derivative(int order) {
  Core& c = *core_;
  const Vector& dx = rates();
  const unsigned wanted = order == 1 ? Core::slopes : Core::curvatures;
  Vector& result = order == 1 ? c.dy : c.ddy;
  if ((c.shown & wanted) != 0) return result;
  if (order == 2) output_derivative(1);  // for x''
  const Structure& known = equations_->structure();
  const Sizes& n = equations_->sizes();
  double largest = 1.0;  // 1/s
  for (int i = 0; i < dx.size(); ++i) {
    const double scale = i < n.p ? (i < known.p_scale.size() ? known.p_scale[i] : 1.0)
                         : i < n.p + n.v
                             ? (i - n.p < known.v_scale.size() ? known.v_scale[i - n.p] : 1.0)
                             : std::abs(c.x.r[i - n.p - n.v]) + 1.0;
    largest = std::max(largest, std::abs(dx[i]) / scale);
  }
  const double h = (order == 1 ? 1e-3 : 4e-3) / largest;
  if (!c.beside) {
    c.beside = equations_->make_workspace();
    c.beside_solver = equations_->make_solver(solver_.options.linear);
    c.moved = c.x;
  }
  Workspace& ws = *c.beside;
  State& moved = c.moved;
  ws.y.setZero();
  result.setZero(n.y);
  if (order == 1) c.ddx.setZero(dx.size());
  for (std::size_t k = 0; k < places.size(); ++k) {
    const double by = places[k] * h;
    moved = c.x;
    moved.t = c.x.t + by;
    c.path = by * dx;
    if (order == 2) c.path += 0.5 * by * by * c.ddx;
    moved.p += c.path.head(n.p);
    moved.v += c.path.segment(n.p, n.v);
    moved.r += c.path.tail(n.r);
    if (!solve_accelerations(*equations_, c.given(), moved, ws, *c.beside_solver))
      throw SolverFailure(moved.t, by, "there are no accelerations beside the present point",
                          "do without derivatives of outputs there");
    equations_->outputs(c.given(), moved, ws);
    result += (order == 1 ? first[k] / (12.0 * h) : second[k] / (12.0 * h * h)) * ws.y;
    if (order == 2) continue;
    equations_->position(c.given(), moved, want_G, ws);
    equations_->velocity(c.given(), moved, ws);
    equations_->force(c.given(), moved, want_b, ws);
    c.path << ws.p_dot, moved.a, ws.b;
    c.ddx += first[k] / (12.0 * h) * c.path;
  }
  if (order == 2) {
    ws.y.setZero();
    equations_->outputs(c.given(), c.x, ws);
    result -= 30.0 / (12.0 * h * h) * ws.y;
  }
  c.shown |= wanted;
  return result;
}

}  // namespace mbs
