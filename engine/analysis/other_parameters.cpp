#include "engine/analysis/other_parameters.hpp"

#include <limits>
#include <utility>

namespace mbs {
namespace {

// Those from `first` on, on top of what has moved already; by halves, as few are at a border.
bool move_some(const Equations& equations, std::span<const double> by, int first,
               Parameters& parameters) {
  const int count = static_cast<int>(by.size());
  const auto move = [&](double sign) {
    Parameters moved = parameters;
    for (int i = 0; i < count; ++i) {
      double& value = moved.values[first + i];
      value = other_number(value, sign * by[static_cast<std::size_t>(i)]);
    }
    if (!is_possible(equations, moved)) return false;
    parameters = std::move(moved);
    return true;
  };
  if (count == 0) return false;
  if (move(1.0)) return true;
  if (count == 1) return move(-1.0);
  const std::size_t half = by.size() / 2;
  const bool low = move_some(equations, by.first(half), first, parameters);
  const bool high =
      move_some(equations, by.subspan(half), first + static_cast<int>(half), parameters);
  return low || high;
}

}  // namespace

bool is_possible(const Equations& equations, Parameters& parameters) {
  return equations.derive(parameters).empty() && parameters.derived.allFinite();
}

bool move_parameters(const Equations& equations, std::span<const double> by,
                     Parameters& parameters) {
  return move_some(equations, by, 0, parameters);
}

double possible_value(const Equations& equations, const Parameters& parameters, int which) {
  Parameters shifted = parameters;
  double& value = shifted.values[which];
  for (const double part : {0.2, -0.2, 0.02, -0.02, 1e-3, -1e-3, 1e-5, -1e-5, 1e-7, -1e-7}) {
    value = other_number(parameters.values[which], part);
    const double asked = value;
    if (is_possible(equations, shifted)) return asked;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace mbs
