#include "engine/model/dimension.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>

#include "engine/model/units.hpp"

namespace mbs {

namespace {

constexpr double pi = std::numbers::pi;

//                                   kg m  s  A  K mol cd rad
constexpr Dimension one{};
constexpr Dimension kilogram{{{1}}};
constexpr Dimension metre{{{0, 1}}};
constexpr Dimension second{{{0, 0, 1}}};
constexpr Dimension radian{{{0, 0, 0, 0, 0, 0, 0, 1}}};
constexpr Dimension hertz{{{0, 0, -1}}};
constexpr Dimension newton{{{1, 1, -2}}};
constexpr Dimension pascal{{{1, -1, -2}}};
constexpr Dimension joule{{{1, 2, -2}}};
constexpr Dimension watt{{{1, 2, -3}}};
constexpr Dimension volt{{{1, 2, -3, -1}}};

constexpr UnitSymbol symbols[] = {
    {"m", metre, 1, "metre", true},
    {"g", kilogram, 1e-3, "gram", true},
    {"t", kilogram, 1e3, "tonne", false},
    {"s", second, 1, "second", true},
    {"min", second, 60, "minute", false},
    {"h", second, 3600, "hour", false},
    {"rad", radian, 1, "radian", true},
    {"deg", radian, pi / 180, "degree", false},
    {"rev", radian, 2 * pi, "revolution", false},
    {"rpm", {{{0, 0, -1, 0, 0, 0, 0, 1}}}, 2 * pi / 60, "revolutions per minute", false},
    {"Hz", hertz, 1, "hertz", true},
    {"N", newton, 1, "newton", true},
    {"Pa", pascal, 1, "pascal", true},
    {"bar", pascal, 1e5, "bar", true},
    {"J", joule, 1, "joule", true},
    {"Wh", joule, 3600, "watt hour", true},
    {"W", watt, 1, "watt", true},
    {"A", {{{0, 0, 0, 1}}}, 1, "ampere", true},
    {"V", volt, 1, "volt", true},
    {"C", {{{0, 0, 1, 1}}}, 1, "coulomb", true},
    {"F", {{{-1, -2, 4, 2}}}, 1, "farad", true},
    {"Ohm", {{{1, 2, -3, -2}}}, 1, "ohm", true},
    {"S", {{{-1, -2, 3, 2}}}, 1, "siemens", true},
    {"Wb", {{{1, 2, -2, -1}}}, 1, "weber", true},
    {"T", {{{1, 0, -2, -1}}}, 1, "tesla", true},
    {"H", {{{1, 2, -2, -2}}}, 1, "henry", true},
    {"K", {{{0, 0, 0, 0, 1}}}, 1, "kelvin", true},
    {"degC", {{{0, 0, 0, 0, 1}}}, 1, "degree Celsius", false},
    {"mol", {{{0, 0, 0, 0, 0, 1}}}, 1, "mole", true},
    {"cd", {{{0, 0, 0, 0, 0, 0, 1}}}, 1, "candela", true},
    {"l", {{{0, 3}}}, 1e-3, "litre", true},
    {"in", metre, 0.0254, "inch", false},
    {"ft", metre, 0.3048, "foot", false},
    {"lb", kilogram, 0.45359237, "pound", false},
    {"lbf", newton, 4.4482216152605, "pound-force", false},
    {"psi", pascal, 4.4482216152605 / (0.0254 * 0.0254), "pound-force per square inch", false},
    {"%", one, 1e-2, "per cent", false},
};

struct Prefix {
  std::string_view name;
  double factor;
};
constexpr Prefix prefixes[] = {{"n", 1e-9}, {"u", 1e-6}, {"m", 1e-3}, {"c", 1e-2}, {"d", 1e-1},
                               {"da", 1e1}, {"h", 1e2},  {"k", 1e3},  {"M", 1e6},  {"G", 1e9}};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%';
}

// Names of dimensions in messages and descriptions; the first that fits is taken.
struct NamedDimension {
  std::string_view name;
  Dimension dimension;
};
constexpr NamedDimension names[] = {
    {"1", one},
    {"kg", kilogram},
    {"m", metre},
    {"s", second},
    {"rad", radian},
    {"N", newton},
    {"N.m", joule},
    {"N/m", {{{1, 0, -2}}}},
    {"N.s/m", {{{1, 0, -1}}}},
    {"N.m/rad", {{{1, 2, -2, 0, 0, 0, 0, -1}}}},
    {"N.m.s/rad", {{{1, 2, -1, 0, 0, 0, 0, -1}}}},
    {"N.m.s", {{{1, 2, -1}}}},
    {"Pa", pascal},
    {"W", watt},
    {"V", volt},
    {"Ohm", {{{1, 2, -3, -2}}}},
    {"H", {{{1, 2, -2, -2}}}},
    {"F", {{{-1, -2, 4, 2}}}},
};

}  // namespace

std::span<const UnitSymbol> unit_symbols() {
  return symbols;
}

bool same_up_to_angle(const Dimension& a, const Dimension& b) {
  for (std::size_t i = 0; i + 1 < a.exponents.size(); ++i) {
    if (a.exponents[i] != b.exponents[i]) return false;
  }
  return true;
}

Dimension product(const Dimension& a, const Dimension& b, int power_of_b) {
  Dimension result;
  for (std::size_t i = 0; i < a.exponents.size(); ++i) {
    const int exponent = a.exponents[i] + power_of_b * b.exponents[i];
    result.exponents[i] = static_cast<signed char>(std::min(127, std::max(-127, exponent)));
  }
  return result;
}

std::optional<Unit> parse_unit_symbol(std::string_view keyword) {
  for (const UnitSymbol& symbol : symbols) {
    if (keyword == symbol.name) {
      return Unit{std::string(keyword), symbol.dimension, symbol.factor,
                  keyword == "degC" ? 273.15 : 0.0};
    }
  }
  for (const Prefix& prefix : prefixes) {
    if (!keyword.starts_with(prefix.name)) continue;
    const std::string_view rest = keyword.substr(prefix.name.size());
    for (const UnitSymbol& symbol : symbols) {
      if (symbol.prefixes && rest == symbol.name) {
        return Unit{std::string(keyword), symbol.dimension, prefix.factor * symbol.factor, 0.0};
      }
    }
  }
  return std::nullopt;
}

std::optional<Unit> parse_unit(std::string_view text) {
  Unit unit;
  unit.name = text;
  std::size_t at = 0;
  int sign = 1;
  bool first = true;
  if (text == "1") return unit;
  if (text.starts_with("1/")) {
    at = 2;
    sign = -1;
    first = false;
  }
  while (true) {
    const std::size_t begin = at;
    while (at < text.size() && is_letter(text[at])) ++at;
    const std::optional<Unit> symbol = parse_unit_symbol(text.substr(begin, at - begin));
    if (!symbol) return std::nullopt;
    int exponent = 1;
    if (at < text.size() && text[at] == '^') {
      const auto end = std::from_chars(text.data() + at + 1, text.data() + text.size(), exponent);
      if (end.ec != std::errc() || std::abs(exponent) > 12) return std::nullopt;
      at = static_cast<std::size_t>(end.ptr - text.data());
    }
    const bool lone = first && at == text.size() && exponent == 1;
    unit.offset = lone ? symbol->offset : 0.0;
    unit.dimension = product(unit.dimension, symbol->dimension, sign * exponent);
    for (int k = 0; k < std::abs(exponent); ++k) {
      unit.factor =
          sign * exponent > 0 ? unit.factor * symbol->factor : unit.factor / symbol->factor;
    }
    if (at == text.size()) return unit;
    if (text[at] != '.' && text[at] != '/') return std::nullopt;
    sign = text[at] == '/' ? -1 : 1;
    ++at;
    first = false;
  }
}

std::string si_unit_name(const Dimension& dimension) {
  for (const NamedDimension& named : names) {
    if (named.dimension == dimension) return std::string(named.name);
  }
  static constexpr std::string_view base[] = {"kg", "m", "s", "A", "K", "mol", "cd", "rad"};
  std::string above, below;
  const auto append = [](std::string& to, char join, std::string_view name, int exponent) {
    if (!to.empty() || join == '/') to += join;
    to += name;
    if (exponent != 1) to += '^' + std::to_string(exponent);
  };
  for (std::size_t i = 0; i < dimension.exponents.size(); ++i) {
    const int exponent = dimension.exponents[i];
    if (exponent > 0) append(above, '.', base[i], exponent);
    if (exponent < 0) append(below, '/', base[i], -exponent);
  }
  return (above.empty() ? "1" : above) + below;
}

}  // namespace mbs
