// A model file with its equations, for the subcommands that work on models directly.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/model.hpp"
#include "engine/simulation/co_simulation_driver.hpp"

namespace mbs {

struct LoadedModel {
  Model model;
  std::shared_ptr<const Equations> equations;
  std::string coordinates;                     // the chosen ones, and the reason
  std::vector<std::pair<int, double>> inputs;  // those set on the command line: index, SI value

  CoSimulationDriver simulation() const { return simulation(solver_choice(model)); }
  CoSimulationDriver simulation(const SolverChoice& solver) const;
};

// `assignments` are name=value pairs of the command line, for parameters (any expression the file
// could have there) and inputs (a number with an optional unit). Nothing when the model has errors:
// they are in the diagnostics then. Throws std::runtime_error for a wrong assignment.
std::unique_ptr<LoadedModel> load_model(const std::string& path,
                                        const std::vector<std::string>& assignments,
                                        Diagnostics& diagnostics);

}  // namespace mbs
