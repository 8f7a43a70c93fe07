// Results over time as a table, and as CSV.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace mbs {

struct Column {
  std::string name;
  std::string unit;     // of the numbers as shown; may be empty
  double factor = 1.0;  // value in the rows = factor * shown + offset
  double offset = 0.0;

  std::string heading() const;  // "x [mm]", or "x" without a unit
};

struct Table {
  std::vector<Column> columns;  // time is not among them
  std::vector<double> times;
  std::vector<std::vector<double>> rows;  // SI; of an FMU's results in its own units
};

// "time [s],x [mm],..." and then the rows in the columns' units, numbers in the shortest form that
// gives the same double again.
std::string to_csv(const Table& table);

// The inverse for input tables: the first column is the time, names may carry a unit in brackets
// ("u[1] [kN]") and are taken as they stand where they do not. Cells with separators stand in
// quotes. Throws std::runtime_error with file and line.
Table read_csv(const std::filesystem::path& path);

}  // namespace mbs
