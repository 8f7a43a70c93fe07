// Derivatives of (p', v', r', y) by what the equations' Jacobian does not know: a parameter, or
// time itself, with p, v, r, u, discrete values and modes held as they are, also where positions
// follow the parameter or time through constraints. Accelerations, multipliers and auxiliary
// unknowns follow. Differences of fourth order: on both sides of a parameter's value, or on one
// where the other is not possible; of time from the right, as far as the next event, or from the
// left before an event that is still to happen.

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "engine/simulation/core.hpp"
#include "engine/simulation/fourth_order.hpp"

namespace mbs {

// Adds `factor` times what there is at `moved`.
void Simulation::add_beside(const Context& context, double factor) {
  Core& c = *core_;
  look_beside(context, c.moved, 0.0);
  rates_beside(context, c.moved, c.path);
  c.difference.head(c.path.size()) += factor * c.path;
  c.difference.tail(c.beside->y.size()) += factor * c.beside->y;
}

// The point that is moved from.
const State& Simulation::begin_differences(At at) {
  Core& c = *core_;
  const State& x = at == At::preview ? preview().x : landed();
  make_beside();
  c.beside->y.setZero();
  c.difference.setZero(c.dx.size() + equations_->sizes().y);
  return x;
}

const Vector& Simulation::parameter_column(int parameter, double least, double largest, At at) {
  Core& c = *core_;
  const State& x = begin_differences(at);
  std::optional<Core::PendingInForce> in_force;
  if (at == At::preview) in_force.emplace(c);
  c.shifted = c.parameters;
  double& value = c.shifted.values[parameter];
  const double here = value;
  const double h = difference_of(here);
  const auto is_possible = [&](const FourthOrder& formula) {
    for (std::size_t k = 0; k < formula.places.size(); ++k) {
      value = here + formula.places[k] * h;
      if (formula.places[k] == 0) continue;
      if (value < least || value > largest || !equations_->derive(c.shifted).empty()) return false;
    }
    return true;
  };
  for (const FourthOrder* formula : any_side) {
    if (!is_possible(*formula)) continue;
    for (std::size_t k = 0; k < formula->places.size(); ++k) {
      if (formula->weights[k] == 0.0) continue;
      value = here + formula->places[k] * h;
      equations_->derive(c.shifted);
      c.moved = x;
      c.moved.t = law_time();
      add_beside({c.inputs, c.shifted}, formula->weights[k] / (12.0 * h));
    }
    return c.difference;
  }
  throw std::runtime_error(
      "a parameter cannot be moved from its value by a thousandth, neither up "
      "nor down: there is no derivative with respect to it");
}

const Vector& Simulation::time_column(At at) {
  Core& c = *core_;
  const State& x = begin_differences(at);
  std::optional<Core::PendingInForce> in_force;
  if (at == At::preview) in_force.emplace(c);
  c.shifted_inputs = c.inputs;
  const double t = law_time();
  const FourthOrder& formula = t < x.t ? backward : forward;
  double h = time_difference;
  if (t == x.t) h = std::clamp((equations_->next_time(c.context(), x).t - t) / 5.0, 1e-3 * h, h);
  h = exact_difference(t, h);
  for (std::size_t k = 0; k < formula.places.size(); ++k) {
    const double by = formula.places[k] * h;
    c.moved = x;
    c.moved.t = t + by;
    c.shifted_inputs.t0 = c.inputs.t0 + by;  // they stay what they are
    add_beside({c.shifted_inputs, c.parameters}, formula.weights[k] / (12.0 * h));
  }
  return c.difference;
}

}  // namespace mbs
