#pragma once

// Pieces of messages.

#include <array>
#include <charconv>
#include <string>
#include <vector>

namespace mbs {

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
