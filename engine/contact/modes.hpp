#pragma once

// Modes of contacts with two tangents of which one row acts and the other would say again what
// other rows say (two feet of one body that stick: their distance is fixed already). Along the
// other tangent such a contact is held like one in mode Structure::held, by what `direction` has
// there; along the one that acts `direction` is 0.

#include "engine/equations/equations.hpp"

namespace mbs {

constexpr int held_first = Structure::idle + 1, held_second = Structure::idle + 2;

// Held along the tangent that is not `acting`; along both where there is no such.
constexpr int held_beside(int acting) {
  return acting < 0 ? static_cast<int>(Structure::held) : acting == 0 ? held_second : held_first;
}
constexpr bool is_held(int mode) {
  return mode == Structure::held || mode == held_first || mode == held_second;
}
// Whether the row of the k-th tangent acts.
constexpr bool tangent_sticks(int mode, int k) {
  return mode == Structure::stick || mode == held_beside(k);
}

}  // namespace mbs
