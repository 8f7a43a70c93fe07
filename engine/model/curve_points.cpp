#include "engine/model/curve_points.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/base/text.hpp"

namespace mbs {

namespace {

std::vector<std::string_view> cells_of(std::string_view row, std::string_view separators) {
  std::vector<std::string_view> cells;
  while (true) {
    const std::size_t begin = row.find_first_not_of(separators);
    if (begin == std::string_view::npos) return cells;
    row.remove_prefix(begin);
    const std::size_t end = std::min(row.find_first_of(separators), row.size());
    cells.push_back(row.substr(0, end));
    row.remove_prefix(end);
  }
}

bool is_number(std::string_view cell, double& number) {
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
  return error == std::errc() && end == cell.data() + cell.size();
}

class Rows {
 public:
  Rows(std::string_view text, std::string_view separators) : text_(text), separators_(separators) {}

  // Exactly `count` cells in a row; 0: at least those of the columns.
  void add(std::string_view row, const std::array<int, 2>& columns, std::size_t count) {
    ++row_;
    const std::vector<std::string_view> cells = cells_of(row, separators_);
    const auto needed = static_cast<std::size_t>(std::max(columns[0], columns[1]));
    if (cells.size() < needed || (count > 0 && cells.size() != count)) {
      throw SyntaxError{
          offset(row), "curve-points",
          name() + " has " + std::to_string(cells.size()) +
              (cells.size() == 1 ? " number, " : " numbers, ") +
              (count > 0 ? "two are needed" : "column " + std::to_string(needed) + " is needed"),
          count > 0 ? "rows are separated by ';': \"0 0; 10 1.5; 20 5\"" : ""};
    }
    if (points.x.size() == CurvePoints::most) {
      throw SyntaxError{offset(row), "limit-points",
                        "a curve has at most " + std::to_string(CurvePoints::most) + " points", ""};
    }
    points.x.push_back(number(cells[columns[0] - 1]));
    points.y.push_back(number(cells[columns[1] - 1]));
    points.offsets.push_back(offset(row));
  }

  CurvePoints points;

 private:
  std::string name() const { return "row " + std::to_string(row_); }
  int offset(std::string_view part) const { return static_cast<int>(part.data() - text_.data()); }
  double number(std::string_view cell) const {
    double x = 0.0;
    if (!is_number(cell, x)) {
      throw SyntaxError{offset(cell), "curve-points",
                        "'" + std::string(cell) + "' is not a number, in " + name(),
                        "numbers are written 12, -0.5 or 1.2e-3; units are those of x_unit and "
                        "y_unit"};
    }
    if (!std::isfinite(x)) {
      throw SyntaxError{offset(cell), "not-finite",
                        "'" + std::string(cell) + "' has no finite value, in " + name(), ""};
    }
    return x;
  }

  std::string_view text_, separators_;
  int row_ = 0;
};

std::string_view without_blanks_before(std::string_view row) {
  row.remove_prefix(std::min(row.find_first_not_of(" \t\r\n"), row.size()));
  return row;
}

}  // namespace

CurvePoints parse_points(std::string_view text) {
  Rows rows(text, " \t\r\n,");
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(';', begin), text.size());
    const std::string_view row = without_blanks_before(text.substr(begin, end - begin));
    if (!row.empty()) rows.add(row, {1, 2}, 2);
    begin = end + 1;
  }
  return std::move(rows.points);
}

CurvePoints parse_lines(std::string_view text, const std::array<int, 2>& columns) {
  constexpr std::string_view separators = " \t\r,;";
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // a byte order mark
  Rows rows(text, separators);
  bool first = true;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view row = without_blanks_before(text.substr(begin, end - begin));
    begin = end + 1;
    if (row.empty() || row.starts_with('#')) continue;
    double ignored;
    const std::vector<std::string_view> cells = cells_of(row, separators);
    const bool header = first && std::none_of(cells.begin(), cells.end(), [&](std::string_view c) {
                          return is_number(c, ignored);
                        });
    first = false;
    if (!header) rows.add(row, columns, 0);
  }
  return std::move(rows.points);
}

std::array<int, 2> parse_columns(std::string_view text) {
  std::array<int, 2> columns{};
  const std::vector<std::string_view> cells = cells_of(text, " \t\r\n,");
  bool good = cells.size() == 2;
  for (std::size_t k = 0; good && k < 2; ++k) {
    const char* end = cells[k].data() + cells[k].size();
    const auto read = std::from_chars(cells[k].data(), end, columns[k]);
    good = read.ec == std::errc() && read.ptr == end && columns[k] >= 1 && columns[k] <= 1000;
  }
  if (good) return columns;
  throw SyntaxError{0, "curve-points",
                    "'columns' needs two whole numbers from 1 to 1000, that of x and that of y",
                    ""};
}

std::string points_text(const CurvePoints& points) {
  std::string text;
  for (std::size_t k = 0; k < points.x.size(); ++k) {
    text += (k == 0 ? "" : "; ") + number_text(points.x[k]) + ' ' + number_text(points.y[k]);
  }
  return text;
}

}  // namespace mbs
