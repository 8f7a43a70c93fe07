// A master for one FMU: drives it over its communication points, handles early return and event
// mode, and collects a table.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/import/fmu.hpp"

namespace mbs::import {

// Columns over time, linear between rows for continuous variables and held for discrete ones. Two
// rows of the same time are a jump; before the first and after the last row the value is held.
struct InputTable {
  std::vector<std::string> names = {};
  std::vector<double> times = {};
  std::vector<Reals> rows = {};
};

struct SimulateOptions {
  // Missing values come from the default experiment; without one they are 0, start + 1, a 500th.
  std::optional<double> start = {}, stop = {}, step = {}, tolerance = {};
  // Names with values written as in a model description: "0.5", "true", "1 2 3". Inputs among them
  // are held.
  std::vector<std::pair<std::string, std::string>> start_values = {};
  InputTable inputs = {};
  std::vector<std::string> outputs = {};  // none: every output
  bool event_mode = true;                 // where the FMU has one
  bool logging = false;
  std::function<void(double time)> progress = {};
};

struct SimulateResult {
  Status status = Status::ok;
  std::string failure;             // what failed and when, if the status is not good
  bool terminated = false;         // ended early because the FMU wished so
  std::vector<std::string> names;  // an array has a column for each element
  std::vector<double> times;       // at an event twice: before and after
  std::vector<Reals> rows;
  std::size_t steps = 0, early_returns = 0, events = 0;
  std::vector<LogMessage> messages;
};

// Throws ImportError for options that do not fit the FMU; what the FMU itself reports is in the
// result.
SimulateResult simulate(Fmu& fmu, const SimulateOptions& options = {});

}  // namespace mbs::import
