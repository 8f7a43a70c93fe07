#pragma once

// The points of a <curve> as text: rows of numbers.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/syntax.hpp"

namespace mbs {

struct CurvePoints {
  static constexpr std::size_t most = 100'000;
  std::vector<double> x, y;
  std::vector<int> offsets;  // where each row stands in the text
};

// Two numbers a row, rows separated by ";". Throws SyntaxError.
CurvePoints parse_points(std::string_view text);
// Lines of a file, their cells separated by blanks, commas, semicolons or tabs; empty lines, lines
// that begin with # and a first line without any number are left out. `columns` count from 1.
CurvePoints parse_lines(std::string_view text, const std::array<int, 2>& columns);
// "1 3"; throws SyntaxError.
std::array<int, 2> parse_columns(std::string_view text);
// Reads back as the same points.
std::string points_text(const CurvePoints& points);

}  // namespace mbs
