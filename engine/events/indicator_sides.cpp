#include "engine/events/indicator_sides.hpp"

#include <cmath>

#include "engine/contact/modes.hpp"
#include "engine/integrators/base/integrator.hpp"

namespace mbs {
namespace {

const Structure::SwitchingFunction& function_of(const Structure& structure, int i) {
  return structure.switching[static_cast<std::size_t>(i)];
}

signed char sign(double x) {
  return static_cast<signed char>((x > 0.0) - (x < 0.0));
}

}  // namespace

IndicatorSides::IndicatorSides(const Equations& equations, double rtol, double atol)
    : structure_(equations.structure()),
      rtol_(rtol),
      atol_(atol),
      modes_(static_cast<std::size_t>(equations.sizes().phi), -1) {
  for (const Structure::Contact& c : structure_.contacts)
    if (c.normal >= 0) modes_[static_cast<std::size_t>(c.phi)] = c.mode;
}

bool IndicatorSides::guards(int i) const {
  return function_of(structure_, i).guards_mode;
}

bool IndicatorSides::guards_number(int i) const {
  return function_of(structure_, i).internal && guards(i);
}

bool IndicatorSides::is_time_event(int i) const {
  return function_of(structure_, i).of_time;
}

bool IndicatorSides::counts(int i, int side) const {
  const auto& function = function_of(structure_, i);
  return side < 0 ? function.rising : function.falling;
}

double IndicatorSides::band(int i, double largest) const {
  const auto& function = function_of(structure_, i);
  if (function.dead_band >= 0.0) return function.dead_band;
  return function.at_events ? 0.0 : rtol_ * largest + atol_;
}

double IndicatorSides::last_digits(double largest) const {
  return 1e-3 * atol_ + 1e-13 * largest;
}

double IndicatorSides::digits(int i, double largest) const {
  return function_of(structure_, i).at_events ? 0.0 : last_digits(largest);
}

double IndicatorSides::slack(int i, const State& x, double largest) const {
  return is_contact_force(i, x) ? rtol_ * largest + atol_ : last_digits(largest);
}

bool IndicatorSides::is_contact_force(int i, const State& x) const {
  const int mode = modes_[static_cast<std::size_t>(i)];
  return mode >= 0 && contact_mode(x, mode) != ContactMode::open;
}

signed char IndicatorSides::false_side(int i) const {
  const auto& function = function_of(structure_, i);
  return static_cast<signed char>(function.falling - function.rising);
}

signed char IndicatorSides::side_of_zero(int i) const {
  const bool holds = function_of(structure_, i).true_at_zero;
  return static_cast<signed char>(holds ? -false_side(i) : false_side(i));
}

signed char IndicatorSides::side_in_band(int i, double phi) const {
  const signed char side = phi == 0.0 ? side_of_zero(i) : sign(phi);
  return side != 0 && side == false_side(i) ? false_in_band : static_cast<signed char>(0);
}

signed char IndicatorSides::sign_beyond_band(int i, double phi, double largest) const {
  return std::abs(phi) > band(i, largest) ? sign(phi) : static_cast<signed char>(0);
}

void IndicatorSides::refuse(double t, int i) const {
  throw SolverFailure(t, 0.0,
                      "the switching function of event '" + function_of(structure_, i).name +
                          "' is not a finite number",
                      "Look for a division by zero or a root of a negative number in it");
}

}  // namespace mbs
