#include "tools/report/sheets.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace mbs {
namespace {

std::string shortest(double x) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, x == 0.0 ? 0.0 : x).ptr};
}

std::string short_text(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  char text[32];
  const double x = std::get<double>(cell);
  std::snprintf(text, sizeof text, "%.6g", x == 0.0 ? 0.0 : x);
  return text;
}

std::string json_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", c);
      out += escape;
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string json_cell(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return json_text(*text);
  const double x = std::get<double>(cell);
  return std::isfinite(x) ? shortest(x) : "null";
}

std::string csv_cell(const Cell& cell) {
  const auto* text = std::get_if<std::string>(&cell);
  if (text == nullptr) return shortest(std::get<double>(cell));
  if (text->find_first_of(",\"\n") == std::string::npos) return *text;
  std::string out = "\"";
  for (const char c : *text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + '"';
}

template <class List, class Function>
std::string join(const List& list, const char* between, Function&& text) {
  std::string out;
  bool first = true;
  for (const auto& item : list) {
    if (!first) out += between;
    first = false;
    out += text(item);
  }
  return out;
}

std::string as_text(const Report& report) {
  std::string out = report.title + "\n";
  for (const auto& [name, value] : report.facts)
    out += "  " + name + ": " + short_text(value) + "\n";
  for (const Sheet& sheet : report.sheets) {
    out += "\n" + sheet.name + (sheet.what.empty() ? "" : ": " + sheet.what) + "\n";
    if (sheet.rows.empty()) out += "  (none)\n";
    std::vector<std::size_t> width;
    for (const std::string& column : sheet.columns) width.push_back(column.size());
    for (const auto& row : sheet.rows)
      for (std::size_t k = 0; k < row.size(); ++k)
        width[k] = std::max(width[k], short_text(row[k]).size());
    const auto line = [&](const auto& cells, auto&& text_of) {
      for (std::size_t k = 0; k < cells.size(); ++k) {
        const std::string text = text_of(cells[k]);
        const std::string space(width[k] - text.size(), ' ');
        out += "  " + (k == 0 ? text + space : space + text);
      }
      out += "\n";
    };
    if (sheet.rows.empty()) continue;
    line(sheet.columns, [](const std::string& name) { return name; });
    for (const auto& row : sheet.rows) line(row, short_text);
  }
  return out;
}

std::string as_json(const Report& report) {
  std::string out = "{\n  \"title\": " + json_text(report.title);
  for (const auto& [name, value] : report.facts)
    out += ",\n  " + json_text(name) + ": " + json_cell(value);
  for (const Sheet& sheet : report.sheets) {
    out += ",\n  " + json_text(sheet.name) + ": {\"columns\": [" +
           join(sheet.columns, ", ", json_text) + "], \"rows\": [" +
           (sheet.rows.empty() ? "" : "\n");
    out += join(sheet.rows, ",\n", [](const std::vector<Cell>& row) {
      return "    [" + join(row, ", ", json_cell) + "]";
    });
    out += "]}";
  }
  return out + "\n}\n";
}

std::string as_csv(const Report& report) {
  std::string out;
  for (const auto& [name, value] : report.facts)
    out += csv_cell(name) + "," + csv_cell(value) + "\n";
  for (const Sheet& sheet : report.sheets) {
    if (!out.empty()) out += "\n";
    std::vector<std::string> heading = sheet.columns;
    if (!heading.empty()) heading[0] = sheet.name + " " + heading[0];
    out += join(heading, ",", [](const std::string& name) { return csv_cell(name); }) + "\n";
    for (const auto& row : sheet.rows) out += join(row, ",", csv_cell) + "\n";
  }
  return out;
}

}  // namespace

std::string render(const Report& report, ReportFormat format) {
  switch (format) {
    case ReportFormat::json:
      return as_json(report);
    case ReportFormat::csv:
      return as_csv(report);
    case ReportFormat::text:
      break;
  }
  return as_text(report);
}

}  // namespace mbs
