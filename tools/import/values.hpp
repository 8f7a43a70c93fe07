// Values of FMU variables in three shapes (real, whole, text) for all widths of the interface, and
// their text in a model description.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mbs::import {

// FMI 2: Real is float64, Integer is int32.
enum class VariableType {
  float32,
  float64,
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  boolean,
  string,
  binary,
  enumeration,
  clock
};

using Reals = std::vector<double>;           // float32 and float64
using Integers = std::vector<std::int64_t>;  // also boolean and clock (0, 1), uint64 by its bits
using Strings = std::vector<std::string>;    // also binary, by its bytes
using Value = std::variant<Reals, Integers, Strings>;

bool is_real(VariableType type);
bool is_text(VariableType type);  // string or binary

// The name of a type in FMI 3.
std::string_view type_name(VariableType type);

// One number as XML schema writes it: INF, -INF, NaN and a leading + are understood, a decimal
// comma is not.
std::optional<double> parse_real(std::string_view text, VariableType type = VariableType::float64);
std::optional<std::int64_t> parse_integer(std::string_view text, VariableType type);
std::optional<bool> parse_boolean(std::string_view text);

// A value of one or more keywords, or for text types one string each. On failure nothing; `wrong`
// is the keyword.
std::optional<Value> parse_value(const std::vector<std::string>& keywords, VariableType type,
                                 std::string& wrong);

// Compares bits: NaN equals NaN, 0 differs from -0.
bool same_bits(const Value& a, const Value& b);

// For messages: shortest text that gives the same number back.
std::string to_text(double value);
std::string to_text(const Value& value, VariableType type);

}  // namespace mbs::import
