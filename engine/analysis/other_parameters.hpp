#pragma once

// Other values of parameters that are possible: some have borders, or hang together.

#include <span>

#include "engine/equations/equations.hpp"

namespace mbs {

// Another number by the part `by` of it.
inline double other_number(double value, double by) {
  return value == 0.0 ? 0.5 * by : value * (1.0 + by);
}

// Fills `derived`.
bool is_possible(const Equations& equations, Parameters& parameters);

// All at once by their parts `by`, those that cannot go to one side to the other one, and those
// that cannot go at all not. True when any has moved.
bool move_parameters(const Equations& equations, std::span<const double> by,
                     Parameters& parameters);

// A value of one of them, as far away as is possible; NaN: there is none near.
double possible_value(const Equations& equations, const Parameters& parameters, int which);

}  // namespace mbs
