// Records a simulation in its solution file.
#pragma once

#include "engine/simulation/co_simulation_driver.hpp"
#include "tools/solution/solution_file.hpp"

namespace mbs {

// Positions and so on under the model's names; accelerations are der(velocity), multipliers are
// numbered where a joint has several.
SolutionHead solution_head(const std::string& model, const CoSimulationDriver& simulation);

// The dense output on [begin, end], within the step that step_ahead() has made.
Chebyshev solution_piece(CoSimulationDriver& simulation, double begin, double end);

}  // namespace mbs
