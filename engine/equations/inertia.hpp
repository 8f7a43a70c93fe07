#pragma once

// Names the velocities that have no inertia: those in the null space of the saddle matrix.

#include <string>
#include <vector>

#include "engine/equations/equations.hpp"
#include "engine/linear/saddle_solver.hpp"

namespace mbs {

// For a matrix in the workspace (M, G and D) that could not be factored.
std::vector<std::string> without_inertia(const Structure& known, const Workspace& ws);

// For a matrix that the solver has factored although some inertia in it is only the rounding error
// of larger ones: a point mass that turns about three axes through one point. q: typical change of
// each coordinate.
std::vector<std::string> lost_in_rounding(const Structure& known, const Workspace& ws,
                                          const Vector& q, SaddleSolver& solver);

}  // namespace mbs
