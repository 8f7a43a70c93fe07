#pragma once

// Whether exact conditions determine a start, and whether values given are one: the cases that
// GEINIVAL of Steinbrecher (2007) distinguishes in addition to contradiction.

#include <string>

#include "engine/equations/initial.hpp"

namespace mbs {

// A message that names the constraints and exact conditions that x violates by more than 1e-6 of
// typical sizes, with the largest residual; empty: none.
std::string what_is_off(const Equations&, const Context&, State x, Workspace&);

// At x, which satisfies constraints and exact conditions: fills the report's free_motions,
// undetermined and implied. A message where they leave motions open and the guess as it stands is
// not consistent either; empty: all is well.
std::string what_is_open(const Equations&, const Context&, const State& x, const State& guess,
                         Workspace&, const Vector& q, InitialReport& report);

}  // namespace mbs
