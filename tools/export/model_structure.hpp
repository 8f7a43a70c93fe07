// What stands in ModelStructure: which variables are unknown at the start, and what each unknown
// depends on, as value references in ascending order.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/model/model.hpp"
#include "fmu_src/variables.hpp"

namespace mbs {

// Outputs, calculated parameters, states and their derivatives, as far as they are calculated.
bool is_initial_unknown(const VariableTable& table, const Variable& variable);

// While the model runs: `list`, and states and time where they are followed.
std::vector<std::uint32_t> with_states(const Model& model, const VariableTable& table,
                                       const Variable& variable, std::vector<std::uint32_t> list);

// The variable's dependencies with the parameters, which FMI 3 counts among the knowns.
std::vector<std::uint32_t> with_parameters(const VariableTable& table, const Variable& variable);

// What the start value is made of: inputs, parameters and the start time (which the standards list
// as the independent variable), those that have been found to act on it or all that may.
std::vector<std::uint32_t> start_dependencies(const Model& model, const VariableTable& table,
                                              const Variable& variable);

}  // namespace mbs
