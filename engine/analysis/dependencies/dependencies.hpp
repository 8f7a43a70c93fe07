#pragma once

// Which states, inputs and parameters act on rates, outputs and switching functions at the same
// instant, and whether time does; and which parameters and inputs act on the values at the start,
// and whether the start time does: what FMI calls dependencies. They are found by structure
// (tracer.hpp): none is missing, and one too many is there only where values cancel or where what
// is solved for together is taken as one.
//
// While the model runs, modes of contacts and what events have set are what they are. In event mode
// positions and velocities follow at once the inputs and tunable parameters that constraints depend
// on (simulation/preview.cpp): what acts in this way alone counts as well.

#include <optional>
#include <vector>

#include "engine/equations/equations.hpp"
#include "engine/model/model.hpp"

namespace mbs {

struct Dependency {
  int known;
  bool by_constant;  // factor
};
using DependencyList = std::vector<Dependency>;  // ascending

struct Dependencies {
  // Knowns: states p, v, r; inputs; time; parameters.
  int states = 0, inputs = 0, parameters = 0;
  int first_input() const { return states; }
  int time() const { return states + inputs; }
  int first_parameter() const { return time() + 1; }

  std::vector<DependencyList> rates, outputs, indicators;
  // At the start, without states.
  std::vector<std::vector<int>> start_states, start_rates, start_outputs, start_modes,
      start_parameters;  // those that are found with the start, by index; others are empty
};

// None where the equations cannot be traced.
std::optional<Dependencies> find_dependencies(const Model& model, const Equations& equations);

}  // namespace mbs
