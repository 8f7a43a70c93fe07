// Results over time as a table, and as CSV.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace mbs {

struct Column {
  std::string name;
  std::string unit;     // of the numbers as shown; may be empty
  double factor = 1.0;  // SI value = factor * shown + offset
  double offset = 0.0;
};

struct Table {
  std::vector<Column> columns;  // time is not among them
  std::vector<double> times;
  std::vector<std::vector<double>> rows;  // SI
};

// "time [s],x [mm],..." and then the rows in the columns' units, numbers in the shortest form that
// gives the same double again.
std::string to_csv(const Table& table);

// The inverse for input tables: the first column is the time, names may carry a unit in brackets.
// Throws std::runtime_error with file and line.
Table read_csv(const std::filesystem::path& path);

// Writes beside the file and renames. Throws std::runtime_error that names the file.
void write_file(const std::filesystem::path& path, const std::string& content);

}  // namespace mbs
