// Derivatives of accelerations and outputs at the present point.
//
// The slope of an output is its derivative along (p', v', r') and time with accelerations that
// follow: y(t + h, x + h x') differenced in h with fourth order. It needs no x'', as the path's
// curvature has no part in the derivative at h = 0.

#include <cmath>

#include "engine/simulation/core.hpp"

namespace mbs {

void Simulation::differentiate(Variation& change, Vector& dx, Vector* dy) {
  Core& c = *core_;
  landed();
  if (!c.tangent) c.tangent = std::make_unique<Tangent>(*equations_);
  if ((c.shown & Core::tangents) == 0) {
    c.tangent->evaluate(c.given(), c.x);
    c.shown |= Core::tangents;
  }
  c.tangent->follow(change);
  c.tangent->rates(change, dx);
  if (dy != nullptr) c.tangent->outputs(c.given(), change, *dy);
}

const Vector& Simulation::output_rates() {
  Core& c = *core_;
  const Vector& dx = rates();
  if ((c.shown & Core::slopes) != 0) return c.dy;
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
  const double h = 1e-3 / largest;
  const auto ws = equations_->make_workspace();
  const auto solver = equations_->make_solver(solver_.options.linear);
  State moved = c.x;
  ws->y.setZero();
  c.dy = Vector::Zero(n.y);
  for (const auto& [steps, weight] : {std::pair{1, 8.0}, {-1, -8.0}, {2, -1.0}, {-2, 1.0}}) {
    const double by = steps * h;
    moved.t = c.x.t + by;
    moved.p = c.x.p + by * dx.head(n.p);
    moved.v = c.x.v + by * dx.segment(n.p, n.v);
    moved.r = c.x.r + by * dx.tail(n.r);
    if (!solve_accelerations(*equations_, c.given(), moved, *ws, *solver))
      throw SolverFailure(moved.t, by, "there are no accelerations beside the present point",
                          "do without derivatives of outputs there");
    equations_->outputs(c.given(), moved, *ws);
    c.dy += weight / (12.0 * h) * ws->y;
  }
  c.shown |= Core::slopes;
  return c.dy;
}

}  // namespace mbs
