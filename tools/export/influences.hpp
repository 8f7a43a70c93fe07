// Dependencies for ModelStructure, as exact as they can be had.
#pragma once

#include <memory>

#include "engine/equations/equations.hpp"
#include "fmu_src/variables.hpp"

namespace mbs {

// Whether a law of the model is a function of time.
bool follows_time(const Model& model);

// Exact dependencies on states and inputs, as far as the equations know them and are not too large.
void add_influences(VariableTable& table, const Model& model,
                    const std::shared_ptr<const Equations>& equations);

// What acts on the start values of outputs, but for models that begin with a search for rest or for
// which it takes too much: then all that may act are listed.
void add_start_influences(VariableTable& table, const Model& model,
                          const std::shared_ptr<const Equations>& equations);

}  // namespace mbs
