// Runs a model over its experiment and collects its outputs.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/model.hpp"
#include "engine/simulation/co_simulation_driver.hpp"
#include "tools/report/table.hpp"

namespace mbs {

// The times of the rows: one of these.
struct OutputPoints {
  std::optional<double> step;     // equidistant; absent: as the model says
  std::vector<double> times;      // these and no others
  std::optional<int> per_step;    // at the integrator's own steps, with so many points inside each
  std::optional<double> longest;  // likewise, each divided evenly so that no interval is longer
};

struct RunRequest {
  std::optional<double> start, stop;  // what is absent comes from the model
  OutputPoints points;
  std::vector<std::string> outputs;                   // by name; empty: all
  double tolerance = 0.0;                             // 0: the model's
  Table inputs;                                       // SI, linear between its rows; empty: none
  std::filesystem::path dump;                         // the solution file to write; empty: none
  std::function<void(const InitialReport&)> initial;  // where it stops at its start or has trims
  std::function<void(double)> progress;
  std::function<void(const Root&)> event;  // called at each, in order of time
  std::function<void(const LogEntry&)> log;
};

// One row for each point, and one for each event unless `times` are given; one alone where it stops
// where it starts, which is a run for initial values. Ends early where an
// event ends the simulation. Throws std::runtime_error when initial values or the integration fail.
Table run_model(const Model& model, CoSimulationDriver& simulation, const RunRequest& request = {});

}  // namespace mbs
