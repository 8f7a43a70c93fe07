#pragma once

// Names with indices at their end: "phi[3]", "R[2,3]".

#include <charconv>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mbs {

// "R[2,3]" -> "R" and {2, 3}; without indices, which count from 1, the whole and {}.
struct IndexedName {
  std::string base;
  std::vector<int> indices;
};

inline IndexedName split_indices(std::string_view name) {
  const std::size_t open = name.rfind('[');
  if (open == std::string_view::npos || open == 0 || !name.ends_with(']'))
    return {std::string(name), {}};
  IndexedName result{std::string(name.substr(0, open)), {}};
  const char* at = name.data() + open + 1;
  const char* const end = name.data() + name.size() - 1;
  while (true) {
    int index = 0;
    const auto [after, error] = std::from_chars(at, end, index);
    if (error != std::errc() || index < 1) return {std::string(name), {}};
    result.indices.push_back(index);
    if (after == end) return result;
    if (*after != ',') return {std::string(name), {}};
    at = after + 1;
  }
}

// "fl[2].R[3,1]" -> "fl.R" and {2, 3, 1}.
inline IndexedName split_all_indices(std::string_view name) {
  IndexedName result;
  for (std::size_t begin = 0; begin < name.size();) {
    const std::size_t close = name.find(']', begin);
    const std::size_t end = close == std::string_view::npos ? name.size() : close + 1;
    const IndexedName part = split_indices(name.substr(begin, end - begin));
    result.base += part.base;
    result.indices.insert(result.indices.end(), part.indices.begin(), part.indices.end());
    begin = end;
  }
  return result;
}

// "phi" and [2] -> "phi[2]", "phi[2]" and [1] -> "phi[2,1]".
inline std::string with_index(std::string name, int index) {
  if (name.ends_with(']'))
    name.back() = ',';
  else
    name += '[';
  return name + std::to_string(index) + ']';
}

// The name of one element of an array, counted from 0 row by row; no size is 0.
inline std::string element_name(std::string name, std::span<const std::size_t> sizes,
                                std::size_t element) {
  std::string indices;
  for (std::size_t k = sizes.size(); k-- > 0; element /= sizes[k])
    indices = std::to_string(element % sizes[k] + 1) + (indices.empty() ? "" : ",") + indices;
  return indices.empty() ? name : name + '[' + indices + ']';
}

}  // namespace mbs
