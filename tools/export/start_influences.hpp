#pragma once

#include <memory>

#include "engine/analysis/influence.hpp"
#include "fmu_src/variables.hpp"

namespace mbs {

// Variable::start_influences. `whole`: of the model; `smooth`, `blurred`: of it without pieces.
// `running`: what acts while it runs; may be empty.
void add_start_influences(VariableTable& table, const Model& model,
                          const std::shared_ptr<const Equations>& whole,
                          const std::shared_ptr<const Equations>& smooth,
                          const std::shared_ptr<const Equations>& blurred,
                          const Influence& running);

}  // namespace mbs
