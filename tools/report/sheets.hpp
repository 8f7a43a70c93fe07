// Results of an analysis: facts and tables, as text for people, as JSON and as CSV.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace mbs {

using Cell = std::variant<double, std::string>;

struct Sheet {
  std::string name, what;  // "A", "of the states by the states"
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;
};

struct Report {
  std::string title;
  std::vector<std::pair<std::string, Cell>> facts;
  std::vector<Sheet> sheets;
};

enum class ReportFormat { text, json, csv };

// Text: numbers with six digits in aligned columns. JSON: one object, {"title", facts by their
// names, sheets by theirs as {"columns", "rows"}}; what is no number is null. CSV: facts, then the
// sheets with an empty line between, each headed by its columns, the first cell being its name.
// JSON and CSV have numbers in the shortest form that gives the same double again.
std::string render(const Report& report, ReportFormat format);

}  // namespace mbs
