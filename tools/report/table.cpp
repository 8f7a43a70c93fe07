#include "tools/report/table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <stdexcept>
#include <string_view>

#include "engine/base/text.hpp"
#include "engine/model/dimension.hpp"

namespace mbs {
namespace {

std::string cell_text(double value) {
  return std::isnan(value) ? "nan" : number_text(value);
}

// A cell that holds a separator, a quote or a line's end stands in quotes, its own doubled.
std::string quoted(const std::string& text) {
  if (text.find_first_of(",;\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    out += c;
    if (c == '"') out += c;
  }
  return out + '"';
}

std::string_view trim(std::string_view text) {
  const char* blanks = " \t\r";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::size_t quotes(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '"'));
}

// A line, or several where a quoted cell goes on.
bool read_record(std::istream& file, std::string& record, int& number) {
  if (!std::getline(file, record)) return false;
  ++number;
  for (std::string more; quotes(record) % 2 == 1 && std::getline(file, more); ++number)
    record += '\n' + more;
  return true;
}

// Calls with each character that is not inside quotes.
template <class Function>
void for_each_bare(std::string_view record, Function function) {
  bool inside = false;
  for (std::size_t i = 0; i < record.size(); ++i) {
    if (record[i] == '"')
      inside = !inside;  // a doubled one leaves and enters again
    else if (!inside)
      function(i);
  }
}

std::string unquoted(std::string_view cell) {
  cell = trim(cell);
  if (cell.size() < 2 || cell.front() != '"' || cell.back() != '"') return std::string(cell);
  cell = cell.substr(1, cell.size() - 2);
  std::string out;
  for (std::size_t i = 0; i < cell.size(); ++i) {
    out += cell[i];
    if (cell[i] == '"' && i + 1 < cell.size() && cell[i + 1] == '"') ++i;
  }
  return out;
}

// Splits at semicolons if there are any, otherwise at commas.
std::vector<std::string> split_cells(std::string_view record) {
  char separator = ',';
  for_each_bare(record, [&](std::size_t i) {
    if (record[i] == ';') separator = ';';
  });
  std::vector<std::string> cells;
  std::size_t begin = 0;
  for_each_bare(record, [&](std::size_t i) {
    if (record[i] != separator) return;
    cells.push_back(unquoted(record.substr(begin, i - begin)));
    begin = i + 1;
  });
  cells.push_back(unquoted(record.substr(begin)));
  return cells;
}

// "wind [km/h]" -> a column whose numbers become SI; "u[1]" has no unit.
Column parse_heading(std::string_view cell) {
  Column column;
  const auto open = cell.rfind(" [");
  if (open != std::string_view::npos && cell.ends_with(']')) {
    column.unit = std::string(cell.substr(open + 2, cell.size() - open - 3));
    if (!column.unit.empty()) {
      const auto unit = parse_unit(column.unit);
      if (!unit) throw std::runtime_error("'" + column.unit + "' is no unit");
      column.factor = unit->factor;
      column.offset = unit->offset;
    }
    cell = trim(cell.substr(0, open));
  }
  column.name = std::string(cell);
  return column;
}

Column parse_time_heading(std::string_view cell) {
  Column column = parse_heading(cell);
  if (!column.unit.empty() && parse_unit(column.unit)->dimension != parse_unit("s")->dimension)
    throw std::runtime_error("'" + column.unit + "' is no unit of time");
  return column;
}

}  // namespace

std::string Column::heading() const {
  return unit.empty() ? name : name + " [" + unit + "]";
}

std::string to_csv(const Table& table) {
  std::string out = "time [s]";
  for (const Column& column : table.columns) out += ',' + quoted(column.heading());
  out += '\n';
  for (std::size_t i = 0; i < table.times.size(); ++i) {
    out += cell_text(table.times[i]);
    for (std::size_t k = 0; k < table.columns.size(); ++k) {
      const Column& column = table.columns[k];
      out += ',' + cell_text((table.rows[i][k] - column.offset) / column.factor);
    }
    out += '\n';
  }
  return out;
}

Table read_csv(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read '" + path.string() + "'");
  Table table;
  Column time;
  std::string line;
  int number = 0;
  const auto fail = [&](const std::string& why) {
    throw std::runtime_error(path.string() + ":" + std::to_string(number) + ": " + why);
  };
  while (read_record(file, line, number)) {
    if (trim(line).empty()) continue;
    if (quotes(line) % 2 == 1) fail("a quote is opened and not closed");
    const auto cells = split_cells(line);
    if (table.columns.empty()) {
      if (cells.size() < 2) fail("a heading with the time and at least one name is needed");
      try {
        time = parse_time_heading(cells[0]);
        for (std::size_t k = 1; k < cells.size(); ++k)
          table.columns.push_back(parse_heading(cells[k]));
      } catch (const std::runtime_error& error) {
        fail(error.what());
      }
      continue;
    }
    if (cells.size() != table.columns.size() + 1)
      fail("this row has " + std::to_string(cells.size()) + " values, the heading has " +
           std::to_string(table.columns.size() + 1));
    std::vector<double> values;
    for (const std::string& cell : cells) {
      double value = 0.0;
      const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
      if (error != std::errc() || end != cell.data() + cell.size())
        fail("'" + cell + "' is no number");
      values.push_back(value);
    }
    values[0] = values[0] * time.factor + time.offset;
    if (!table.times.empty() && values[0] < table.times.back()) fail("time runs backwards here");
    table.times.push_back(values[0]);
    std::vector<double> row(values.begin() + 1, values.end());
    for (std::size_t k = 0; k < row.size(); ++k)
      row[k] = row[k] * table.columns[k].factor + table.columns[k].offset;
    table.rows.push_back(std::move(row));
  }
  if (table.times.empty()) throw std::runtime_error("'" + path.string() + "' has no rows");
  return table;
}

}  // namespace mbs
