// Runs a model over its experiment and collects its outputs.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "engine/model/model.hpp"
#include "engine/simulation/simulation.hpp"
#include "tools/report/table.hpp"

namespace mbs {

struct RunRequest {
  std::optional<double> start, stop, step;  // what is absent comes from the model
  double tolerance = 0.0;                   // 0: the model's
  Table inputs;                             // SI, linear between its rows; empty: none
  std::function<void(double)> progress;
};

// Throws std::runtime_error when initial values or the integration fail.
Table run_model(const Model& model, Simulation& simulation, const RunRequest& request = {});

}  // namespace mbs
