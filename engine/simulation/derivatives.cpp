// Derivatives of accelerations and outputs at the present point.
//
// The slope of an output is its derivative along (p', v', r') and time with accelerations that
// follow: y(t + h, x + h x') differenced in h with fourth order. It needs no x'', as the path's
// curvature has no part in the derivative at h = 0. The rates at the same points have x'' for
// differences, and y'' is that of y(t + h, x + h x' + h^2/2 x''): what the path does beyond that
// has no part in the second derivative, and what it adds to the formula's error is of its order,
// h^4. All points are at t and after it: where forces jump or bend at t, derivatives are those of
// what follows.

#include <array>
#include <cmath>
#include <optional>
#include <span>

#include "engine/equations/input_filter_states.hpp"
#include "engine/simulation/core.hpp"

namespace mbs {
namespace {

// y(0), y(h), y(2 h), ...
constexpr std::array<double, 5> first{-25.0, 48.0, -36.0, 16.0, -3.0};             // / 12 h
constexpr std::array<double, 6> second{45.0, -154.0, 214.0, -156.0, 61.0, -10.0};  // / 12 h^2

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
    c.tangent->evaluate(c.context(), x);
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
  dx.resize(exchange_size());
  c.tangent->rates(change, dx);
  if (dy == nullptr) return;
  dy->resize(equations_->sizes().y);
  c.tangent->outputs(c.context(), change, *dy);
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
      auto column = c.columns.col(unknowns[k]);
      c.tangent->rates(units[k], column.head(states), static_cast<int>(k));
      c.tangent->outputs(c.context(), units[k], column.tail(n.y));
      is_known(unknowns[k]) = 1;
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

// a, lambda and what belongs to them at `moved`, then the outputs.
void Simulation::look_beside(const Context& context, State& moved, double by) {
  Core& c = *core_;
  set_filters_to_motion(*equations_, context, moved, *c.beside);
  if (!solve_accelerations(*equations_, context, moved, *c.beside, *c.beside_solver))
    throw SolverFailure(moved.t, by, "there are no accelerations beside the present point",
                        "do without derivatives there");
  equations_->outputs(context, moved, *c.beside);
}

// After look_beside().
void Simulation::rates_beside(const Context& context, const State& moved, Vector& rates) {
  Core& c = *core_;
  Workspace& ws = *c.beside;
  equations_->position(context, moved, want_G, ws);
  equations_->velocity(context, moved, ws);
  equations_->force(context, moved, want_b, ws);
  rates << ws.p_dot, moved.a, ws.b;
}

void Simulation::make_beside() {
  Core& c = *core_;
  if (c.beside) return;
  c.beside = equations_->make_workspace();
  c.beside_solver = equations_->make_solver(solver_.options.linear);
  c.moved = c.x;
  for (Vector* rates : {&c.along, &c.ddx, &c.path}) rates->setZero(c.dx.size());
}

// In 1/s: how soon states become others, where x' = dx. All velocities together: one that turns
// round has no size of its own.
double Simulation::fastest_rate(const Vector& dx) const {
  const Structure& known = equations_->structure();
  const Sizes& n = equations_->sizes();
  const State& x = core_->x;
  double fastest = 1.0, v = 1.0, a = 0.0;
  for (int i = 0; i < n.p; ++i)
    fastest = std::max(fastest, std::abs(dx[i]) / nominal_of(known.p_scale, i));
  for (int i = 0; i < n.v; ++i) {
    v = std::max(v, std::abs(x.v[i]) / nominal_of(known.v_scale, i));
    a = std::max(a, std::abs(dx[n.p + i]) / nominal_of(known.v_scale, i));
  }
  for (int i = 0; i < n.r; ++i)
    fastest = std::max(fastest, std::abs(dx[n.p + n.v + i]) / (std::abs(x.r[i]) + 1.0));
  return std::max(fastest, a / v);
}

const Vector& Simulation::output_derivative(int order) {
  Core& c = *core_;
  landed();
  const unsigned wanted = order == 1 ? Core::slopes : Core::curvatures;
  Vector& result = order == 1 ? c.dy : c.ddy;
  if ((c.shown & wanted) != 0) return result;
  if (order == 2) output_derivative(1);  // for x''
  make_beside();
  const Sizes& n = equations_->sizes();
  State& moved = c.moved;
  c.beside->y.setZero();
  if (order == 1) {
    moved = c.x;
    look_beside(c.context(), moved, 0.0);
    rates_beside(c.context(), moved, c.along);
  }
  const Vector& dx = c.along;
  const double fastest = fastest_rate(dx);
  const std::span<const double> weights =
      order == 1 ? std::span<const double>(first) : std::span<const double>(second);
  double h = (order == 1 ? 1e-4 : 5e-4) / fastest;
  // Not beyond what happens next, as far as that leaves differences to be seen.
  const double room = equations_->next_time(c.context(), c.x).t - c.x.t;
  h = std::clamp(room / static_cast<double>(weights.size()), 1e-3 * h, h);
  const double scale = 12.0 * (order == 1 ? h : h * h);
  result.setZero(n.y);
  if (order == 1) c.ddx.setZero();
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const double by = static_cast<double>(k) * h;
    moved = c.x;
    moved.t = c.x.t + by;
    c.path = by * dx;
    if (order == 2) c.path += 0.5 * by * by * c.ddx;
    moved.p += c.path.head(n.p);
    moved.v += c.path.segment(n.p, n.v);
    moved.r += c.path.tail(n.r);
    look_beside(c.context(), moved, by);
    result += weights[k] / scale * c.beside->y;
    if (order == 2) continue;
    rates_beside(c.context(), moved, c.path);
    c.ddx += weights[k] / scale * c.path;
  }
  c.shown |= wanted;
  return result;
}

}  // namespace mbs
