#include "tools/report/table.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string_view>

#include "engine/model/dimension.hpp"

namespace mbs {
namespace {

void append_number(std::string& out, double value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  out.append(buffer, end);
}

std::string_view trim(std::string_view text) {
  const char* blanks = " \t\r\"";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string_view> split(std::string_view line) {
  const char separator = line.find(';') != std::string_view::npos ? ';' : ',';
  std::vector<std::string_view> cells;
  for (std::size_t begin = 0; begin <= line.size();) {
    const auto end = std::min(line.find(separator, begin), line.size());
    cells.push_back(trim(line.substr(begin, end - begin)));
    begin = end + 1;
  }
  return cells;
}

// "wind [km/h]" -> a column whose numbers become SI.
Column parse_heading(std::string_view cell) {
  Column column;
  const auto open = cell.find('[');
  const auto close = cell.rfind(']');
  if (open != std::string_view::npos && close == cell.size() - 1 && open > 0 &&
      cell[open - 1] == ' ') {
    column.unit = std::string(cell.substr(open + 1, close - open - 1));
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

}  // namespace

std::string to_csv(const Table& table) {
  std::string out = "time [s]";
  for (const Column& column : table.columns) {
    out += ',' + column.name;
    if (!column.unit.empty()) out += " [" + column.unit + "]";
  }
  out += '\n';
  for (std::size_t i = 0; i < table.times.size(); ++i) {
    append_number(out, table.times[i]);
    for (std::size_t k = 0; k < table.columns.size(); ++k) {
      out += ',';
      append_number(out, (table.rows[i][k] - table.columns[k].offset) / table.columns[k].factor);
    }
    out += '\n';
  }
  return out;
}

Table read_csv(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read '" + path.string() + "'");
  Table table;
  std::string line;
  int number = 0;
  const auto fail = [&](const std::string& why) {
    throw std::runtime_error(path.string() + ":" + std::to_string(number) + ": " + why);
  };
  while (std::getline(file, line)) {
    ++number;
    if (trim(line).empty()) continue;
    const auto cells = split(line);
    if (table.columns.empty()) {
      if (cells.size() < 2) fail("a heading with the time and at least one name is needed");
      try {
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
    for (std::string_view cell : cells) {
      double value = 0.0;
      const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
      if (error != std::errc() || end != cell.data() + cell.size())
        fail("'" + std::string(cell) + "' is no number");
      values.push_back(value);
    }
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

void write_file(const std::filesystem::path& path, const std::string& content) {
  std::filesystem::path partial = path;
  partial += ".part" + std::to_string(getpid());
  std::FILE* file = std::fopen(partial.c_str(), "wb");
  const bool written =
      file != nullptr && std::fwrite(content.data(), 1, content.size(), file) == content.size();
  const bool closed = file != nullptr && std::fclose(file) == 0;
  std::error_code error;
  if (written && closed) std::filesystem::rename(partial, path, error);
  if (!written || !closed || error) {
    std::error_code ignored;
    std::filesystem::remove(partial, ignored);
    throw std::runtime_error("cannot write '" + path.string() + "'");
  }
}

}  // namespace mbs
