#pragma once

// Which states and inputs act on which rates and outputs at the same instant: what an importer
// reads as dependencies. Computed from the exact derivatives at points beside a given state, near
// and far, with all modes of contacts and other parameters. What is zero at all of them is zero
// everywhere, but for laws with pieces (if, min, tables) of which one may have been at none of the
// points: for those every entry that is zero by its place on a curve is some number (tangent.hpp),
// which finds all that acts and some more.

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
Influence find_influence(const Equations& equations, const Given& given, const State& x,
                         bool with_pieces);

}  // namespace mbs
