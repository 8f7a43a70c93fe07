#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <stdexcept>

#include "engine/equations/input_filter_states.hpp"
#include "engine/simulation/derivatives.hpp"
#include "engine/simulation/fourth_order.hpp"
#include "engine/simulation/hybrid_system.hpp"

namespace mbs {
namespace {

// Weights of y(0), y(h), y(2 h), ... for y' and y''.
constexpr std::array<double, 5> first{-25.0, 48.0, -36.0, 16.0, -3.0};             // / 12 h
constexpr std::array<double, 6> second{45.0, -154.0, 214.0, -156.0, 61.0, -10.0};  // / 12 h^2

}  // namespace

DifferenceDerivatives::DifferenceDerivatives(const Equations& equations, const std::string& linear)
    : equations_(equations),
      ws_(equations.make_workspace()),
      solver_(equations.make_solver(linear)),
      moved_(equations.sizes()) {
  for (Vector* rates : {&rates_, &dx_, &ddx_, &path_})
    rates->setZero(state_count(equations.sizes()));
}

// Accelerations, what belongs to them, and outputs at x.
void DifferenceDerivatives::evaluate(const Context& context, State& x) {
  set_filters_to_motion(equations_, context, x, *ws_);
  if (!solve_accelerations(equations_, context, x, *ws_, *solver_))
    throw SolverFailure(x.t, 0.0, "there are no accelerations next to the present point",
                        "do without derivatives there");
  equations_.outputs(context, x, *ws_);
}

void DifferenceDerivatives::add(const Context& context, State& x, double factor) {
  evaluate(context, x);
  evaluate_rates(equations_, context, x, *ws_, rates_);
  sum_.head(rates_.size()) += factor * rates_;
  sum_.tail(ws_->y.size()) += factor * ws_->y;
}

void DifferenceDerivatives::begin() {
  ws_->y.setZero();
  sum_.setZero(rates_.size() + ws_->y.size());
}

// A step of differences does not go beyond what happens next, as far as that leaves differences to
// be seen.
double DifferenceDerivatives::step_before_next_event(const EvaluationPoint& point, double t,
                                                     double points, double h) const {
  const double room = equations_.next_time(point.context, point.x).t - t;
  return std::clamp(room / points, 1e-3 * h, h);
}

const Vector& DifferenceDerivatives::by_parameter(const EvaluationPoint& point, int parameter,
                                                  double least, double largest) {
  begin();
  Parameters shifted = point.context.parameters;
  double& value = shifted.values[parameter];
  const double here = value, h = difference_of(here);
  const auto is_possible = [&](const FourthOrder& formula) {
    for (const int place : formula.places) {
      value = here + place * h;
      if (place == 0) continue;
      if (value < least || value > largest || !equations_.derive(shifted).empty()) return false;
    }
    return true;
  };
  for (const FourthOrder* formula : any_side) {
    if (!is_possible(*formula)) continue;
    for (std::size_t k = 0; k < formula->places.size(); ++k) {
      if (formula->weights[k] == 0.0) continue;
      value = here + formula->places[k] * h;
      equations_.derive(shifted);
      moved_ = point.x;
      moved_.t = point.law_time;
      add({point.context.inputs, shifted}, moved_, formula->weights[k] / (12.0 * h));
    }
    return sum_;
  }
  throw std::runtime_error(
      "a parameter cannot be moved from its value by a thousandth, neither up "
      "nor down: there is no derivative with respect to it");
}

const Vector& DifferenceDerivatives::by_time(const EvaluationPoint& point) {
  begin();
  Inputs shifted = point.context.inputs;
  const double t = point.law_time, t0 = shifted.t0;
  const FourthOrder& formula = t < point.x.t ? backward : forward;
  double h = time_difference;
  if (t == point.x.t) h = step_before_next_event(point, t, 5.0, h);
  h = exact_difference(t, h);
  for (std::size_t k = 0; k < formula.places.size(); ++k) {
    const double by = formula.places[k] * h;
    moved_ = point.x;
    moved_.t = t + by;
    shifted.t0 = t0 + by;  // they stay what they are
    add({shifted, point.context.parameters}, moved_, formula.weights[k] / (12.0 * h));
  }
  return sum_;
}

// The fastest relative change of a state, in 1/s, where x' = dx_. All velocities are taken
// together, because one that passes through zero has no size of its own.
double DifferenceDerivatives::fastest_rate(const State& x) const {
  const Structure& known = equations_.structure();
  const Sizes& n = equations_.sizes();
  double fastest = 1.0, v = 1.0, a = 0.0;
  for (int i = 0; i < n.p; ++i)
    fastest = std::max(fastest, std::abs(dx_[i]) / nominal_of(known.p_scale, i));
  for (int i = 0; i < n.v; ++i) {
    v = std::max(v, std::abs(x.v[i]) / nominal_of(known.v_scale, i));
    a = std::max(a, std::abs(dx_[n.p + i]) / nominal_of(known.v_scale, i));
  }
  for (int i = 0; i < n.r; ++i)
    fastest = std::max(fastest, std::abs(dx_[n.p + n.v + i]) / (std::abs(x.r[i]) + 1.0));
  return std::max(fastest, a / v);
}

const Vector& DifferenceDerivatives::of_outputs(const EvaluationPoint& point, int order) {
  std::uint64_t& known_at = order == 1 ? dy_at_ : ddy_at_;
  Vector& result = order == 1 ? dy_ : ddy_;
  if (known_at == point.id) return result;
  if (order == 2) of_outputs(point, 1);  // for x''
  known_at = 0;
  const Sizes& n = equations_.sizes();
  const State& x = point.x;
  ws_->y.setZero();
  if (order == 1) {
    moved_ = x;
    evaluate(point.context, moved_);
    evaluate_rates(equations_, point.context, moved_, *ws_, dx_);
    ddx_.setZero();
  }
  const std::span<const double> weights =
      order == 1 ? std::span<const double>(first) : std::span<const double>(second);
  const double h = step_before_next_event(point, x.t, static_cast<double>(weights.size()),
                                          (order == 1 ? 1e-4 : 5e-4) / fastest_rate(x));
  const double scale = 12.0 * (order == 1 ? h : h * h);
  result.setZero(n.y);
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const double by = static_cast<double>(k) * h;
    moved_ = x;
    moved_.t = x.t + by;
    path_ = by * dx_;
    if (order == 2) path_ += 0.5 * by * by * ddx_;
    moved_.p += path_.head(n.p);
    moved_.v += path_.segment(n.p, n.v);
    moved_.r += path_.tail(n.r);
    evaluate(point.context, moved_);
    result += weights[k] / scale * ws_->y;
    if (order == 2) continue;
    evaluate_rates(equations_, point.context, moved_, *ws_, rates_);
    ddx_ += weights[k] / scale * rates_;
  }
  known_at = point.id;
  return result;
}

}  // namespace mbs
