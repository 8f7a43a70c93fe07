#pragma once

// What can move without inertia, by name: velocities in the null space of the saddle matrix.

#include <string>
#include <vector>

#include "engine/equations/equations.hpp"
#include "engine/linear/saddle_solver.hpp"

namespace mbs {

// Of a matrix in the workspace (M, G and D) that could not be factored.
std::vector<std::string> without_inertia(const Structure& known, const Workspace& ws);

// Of one that the solver has factored, but whose inertia there is what rounding leaves of others':
// a point mass that turns about three axes through one point. q: typical change of each coordinate.
std::vector<std::string> lost_in_rounding(const Structure& known, const Workspace& ws,
                                          const Vector& q, SaddleSolver& solver);

}  // namespace mbs
