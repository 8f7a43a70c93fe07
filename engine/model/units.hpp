#pragma once

// The table of unit symbols, for the lexer and the manual.

#include <optional>
#include <span>
#include <string_view>

#include "engine/model/dimension.hpp"

namespace mbs {

struct UnitSymbol {
  std::string_view name;
  Dimension dimension;
  double factor;
  std::string_view meaning;
  bool prefixes;  // may have n u m c d da h k M G before it
};

std::span<const UnitSymbol> unit_symbols();
// One symbol with its prefix: "kN", "deg".
std::optional<Unit> parse_unit_symbol(std::string_view keyword);

}  // namespace mbs
