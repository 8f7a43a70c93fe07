#pragma once

// Lists inside texts ("a|b|c", "x:m xd:m/s"), and numbers and names as messages show them.

#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

namespace mbs {

inline std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = text.find(separator);
    if (end != 0) parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return parts;
}

// The part of "in the plane | in space"; without a bar both have the same.
inline std::string_view for_space(std::string_view text, bool planar) {
  const std::size_t bar = text.find('|');
  if (bar == std::string_view::npos) return text;
  return planar ? text.substr(0, bar) : text.substr(bar + 1);
}

inline bool contains(std::string_view list, char separator, std::string_view keyword) {
  for (const std::string_view part : split(list, separator)) {
    if (part == keyword) return true;
  }
  return false;
}

// The shortest text that reads back as this number.
inline std::string number_text(double number) {
  if (number != number) return "not a number";
  char buffer[32];
  return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr);
}

inline std::string short_number(double x) {
  std::array<char, 40> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), x, std::chars_format::general, 6);
  return {text.data(), end.ptr};
}

// The model's name of an unknown or row; its kind and number where the model has none.
inline std::string name_of(const std::vector<std::string>& names, int i, const char* kind) {
  if (i >= 0 && i < static_cast<int>(names.size()) && !names[i].empty()) {
    return std::string(kind) + " '" + names[i] + "'";
  }
  return std::string(kind) + " " + std::to_string(i + 1);
}

}  // namespace mbs
