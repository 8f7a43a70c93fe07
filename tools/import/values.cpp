#include "tools/import/values.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <limits>

#include "engine/base/text.hpp"

namespace mbs::import {
namespace {

std::string_view without_plus(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  return text;
}

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  text = without_plus(text);
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

template <class Number>
std::optional<double> parse_floating(std::string_view text) {
  constexpr Number infinity = std::numeric_limits<Number>::infinity();
  if (text == "INF" || text == "+INF") return infinity;
  if (text == "-INF") return -infinity;
  if (text == "NaN") return std::numeric_limits<Number>::quiet_NaN();
  if (text.find_first_of("nN") != std::string_view::npos) return std::nullopt;  // "inf", "nan(1)"
  if (const auto number = parse_number<Number>(text)) return *number;
  return std::nullopt;
}

template <class Number>
std::optional<std::int64_t> parse_whole(std::string_view text) {
  if (const auto number = parse_number<Number>(text)) return static_cast<std::int64_t>(*number);
  return std::nullopt;
}

std::optional<std::string> parse_hexadecimal(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    unsigned byte = 0;
    const auto [end, error] = std::from_chars(&text[i], &text[i] + 2, byte, 16);
    if (error != std::errc() || end != &text[i] + 2) return std::nullopt;
    bytes.push_back(static_cast<char>(byte));
  }
  return bytes;
}

template <class Element, class Parse>
std::optional<Value> parse_all(const std::vector<std::string>& keywords, Parse parse,
                               std::string& wrong) {
  std::vector<Element> elements;
  for (const std::string& keyword : keywords) {
    const auto element = parse(keyword);
    if (!element) {
      wrong = keyword;
      return std::nullopt;
    }
    elements.push_back(static_cast<Element>(*element));
  }
  return elements;
}

}  // namespace

bool is_real(VariableType type) {
  return type == VariableType::float32 || type == VariableType::float64;
}

bool is_text(VariableType type) {
  return type == VariableType::string || type == VariableType::binary;
}

std::string_view type_name(VariableType type) {
  constexpr std::array<std::string_view, 15> names = {
      "Float32", "Float64", "Int8",    "UInt8",  "Int16",  "UInt16",      "Int32", "UInt32",
      "Int64",   "UInt64",  "Boolean", "String", "Binary", "Enumeration", "Clock"};
  return names[static_cast<std::size_t>(type)];
}

std::optional<double> parse_real(std::string_view text, VariableType type) {
  return type == VariableType::float32 ? parse_floating<float>(text) : parse_floating<double>(text);
}

std::optional<std::int64_t> parse_integer(std::string_view text, VariableType type) {
  switch (type) {
    case VariableType::int8:
      return parse_whole<std::int8_t>(text);
    case VariableType::uint8:
      return parse_whole<std::uint8_t>(text);
    case VariableType::int16:
      return parse_whole<std::int16_t>(text);
    case VariableType::uint16:
      return parse_whole<std::uint16_t>(text);
    case VariableType::int32:
      return parse_whole<std::int32_t>(text);
    case VariableType::uint32:
      return parse_whole<std::uint32_t>(text);
    case VariableType::uint64:
      return parse_whole<std::uint64_t>(text);
    case VariableType::boolean:
    case VariableType::clock:
      return parse_boolean(text);
    default:
      return parse_whole<std::int64_t>(text);
  }
}

std::optional<bool> parse_boolean(std::string_view text) {
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  return std::nullopt;
}

std::optional<Value> parse_value(const std::vector<std::string>& keywords, VariableType type,
                                 std::string& wrong) {
  if (type == VariableType::string) return keywords;
  if (type == VariableType::binary)
    return parse_all<std::string>(keywords, parse_hexadecimal, wrong);
  if (is_real(type))
    return parse_all<double>(
        keywords, [type](const std::string& keyword) { return parse_real(keyword, type); }, wrong);
  return parse_all<std::int64_t>(
      keywords, [type](const std::string& keyword) { return parse_integer(keyword, type); }, wrong);
}

bool same_bits(const Value& a, const Value& b) {
  const auto* x = std::get_if<Reals>(&a);
  const auto* y = std::get_if<Reals>(&b);
  if (!x || !y) return a == b;
  if (x->size() != y->size()) return false;
  for (std::size_t i = 0; i < x->size(); ++i)
    if (std::bit_cast<std::uint64_t>((*x)[i]) != std::bit_cast<std::uint64_t>((*y)[i]) &&
        !((*x)[i] != (*x)[i] && (*y)[i] != (*y)[i]))
      return false;
  return true;
}

std::string to_text(double value) {
  return number_text(value);
}

std::string to_text(const Value& value, VariableType type) {
  std::string text;
  const auto append = [&text](const std::string& element) {
    if (!text.empty()) text += ' ';
    text += element;
  };
  if (const auto* reals = std::get_if<Reals>(&value)) {
    for (const double real : *reals) append(to_text(real));
  } else if (const auto* integers = std::get_if<Integers>(&value)) {
    for (const std::int64_t integer : *integers)
      append(type == VariableType::uint64 ? std::to_string(static_cast<std::uint64_t>(integer))
                                          : std::to_string(integer));
  } else {
    for (const std::string& string : std::get<Strings>(value)) append('"' + string + '"');
  }
  return text;
}

}  // namespace mbs::import
