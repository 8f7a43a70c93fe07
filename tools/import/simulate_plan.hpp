// Within the importer: the plan of a simulation, made from the options and checked against the
// FMU's description.
#pragma once

#include <string>
#include <vector>

#include "tools/import/simulate.hpp"

namespace mbs::import {

// The communication points.
struct Grid {
  double start, stop, step;
  std::size_t count;
  // Multiples of the step, not a sum of steps, so that rounding does not grow; the end is met
  // exactly.
  double point(std::size_t i) const {
    return i == count ? stop : start + static_cast<double>(i) * step;
  }
};

struct StartValue {
  const Variable* variable;
  Value value;
};

// Columns of the input table for one variable, one for each element; without one (no_column) an
// element keeps its value at the start.
constexpr std::size_t no_column = static_cast<std::size_t>(-1);
struct Input {
  const Variable* variable;
  std::vector<std::size_t> columns;
  std::vector<double> start;
  bool is_continuous;
  Value last;
};

// A variable of the result.
struct Column {
  const Variable* variable;
  std::size_t count;
};

struct Plan {
  // Throws ImportError for options that do not fit the FMU.
  Plan(const ModelDescription& fmu, const SimulateOptions& options);
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  ModelDescription description;  // with the structural parameters chosen; the others point into it
  Grid grid;
  std::vector<StartValue> structural, start_values;
  std::vector<Input> inputs;
  std::vector<Column> columns;
  std::vector<std::string> column_names;
};

// The value of an input at a time, from its column of the table.
Value input_value(const InputTable& table, const Input& input, double time);

}  // namespace mbs::import
