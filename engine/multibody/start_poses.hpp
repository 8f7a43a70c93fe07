#pragma once

// The bodies' places at first: joints are walked from ground breadth-first, those with exact
// targets before the others, each placing a body by its start values from the side that is placed
// already. Joints whose start values do not place a body (<rod>, <parallel>, <in_line>, <in_plane>)
// place one that no other joint reaches. Loops are closed by initial.hpp.

#include "engine/multibody/mechanism.hpp"

namespace mbs {

// p and v in absolute coordinates, from t and z.
template <class Space>
void place_at_start(const Mechanism<Space>&, const Context&, State& x);

}  // namespace mbs
