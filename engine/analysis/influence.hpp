#pragma once

// Which states and inputs act on which rates and outputs at the same instant: what an importer
// reads as dependencies. Computed from the exact derivatives at points beside a given state, with
// all modes of contacts, and with some number in place of every entry that is zero by its place on
// a curve or by a parameter (tangent.hpp): what is zero there is zero everywhere.

#include <vector>

#include "engine/equations/equations.hpp"

namespace mbs {

struct Influence {
  enum Kind : unsigned char { none, varying, constant };
  int columns = 0;          // p, v, r, u
  std::vector<Kind> kinds;  // rows: p', v', r', y
  Kind of(int row, int column) const {
    return kinds[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
                 static_cast<std::size_t>(column)];
  }
};

// Empty when it cannot be told: the outputs' derivatives are not known, or there are no
// accelerations at any such point.
Influence find_influence(const Equations& equations, const Given& given, const State& x);

}  // namespace mbs
