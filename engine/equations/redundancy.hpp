#pragma once

// Constraints that depend on others at a state, and whether they do so in its neighbourhood.

#include <vector>

#include "engine/equations/equations.hpp"
#include "engine/linear/dependencies.hpp"

namespace mbs {

// The dependencies of G at a state that satisfies the constraints; q as of coordinate_scale.
std::vector<Dependency> dependencies_at(const Equations&, const Context&, const State&, Workspace&,
                                        const Vector& q);
// Whether as many of them are found next to x, along a motion that the constraints allow: else x is
// a singular position and no row is redundant in general.
bool stays_redundant(const Equations&, const Context&, const State& x, std::size_t count,
                     Workspace&, const Vector& q, double tolerance);

}  // namespace mbs
