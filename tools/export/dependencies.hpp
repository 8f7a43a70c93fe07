// Dependencies for ModelStructure.
#pragma once

#include <span>
#include <string>

#include "engine/equations/equations.hpp"
#include "fmu_src/variables.hpp"

namespace mbs {

// Finds what acts on outputs, derivatives and event indicators while the model runs, and on the
// start values of states, derivatives, outputs and parameters that are found with the start:
// Variable::traced_dependencies and initialization_dependencies. They are left out, so that all
// that may act is listed or nothing is, for equations that cannot be traced and where the lists
// would be too long.
void add_dependencies(VariableTable& table, const Model& model, const Equations& equations);

// Finds the same for FMI 3.0's arrays of a model with resizable parameters, by its resolved text:
// an array depends on all sizes, and on each array of which an element acts on one of its elements
// at one of some sizes. The lists are left out where a formula has branches that sizes or indices
// choose.
void add_array_dependencies(VariableTable& table, const std::string& resolved,
                            std::span<const std::string> resizable);

}  // namespace mbs
