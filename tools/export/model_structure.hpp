// The contents of ModelStructure: which variables are unknown at the start, and what each unknown
// depends on, as value references in ascending order.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/model/model.hpp"
#include "fmu_src/variables.hpp"

namespace mbs {

// Outputs, calculated parameters, states and their derivatives, as far as they are calculated.
bool is_initial_unknown(const VariableTable& table, const Variable& variable);

// While the model runs: states, inputs and time, and parameters for FMI 3, which counts them among
// the knowns: those that the structure shows or all that may.
std::vector<std::uint32_t> running_dependencies(const VariableTable& table,
                                                const Variable& variable, bool parameters);

// The knowns that a start value is made of: inputs, parameters and the start time (which the
// standards list as the independent variable), those that the structure shows or all that may.
std::vector<std::uint32_t> start_dependencies(const Model& model, const VariableTable& table,
                                              const Variable& variable);

}  // namespace mbs
