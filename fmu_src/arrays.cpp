#include "fmu_src/arrays.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "engine/model/indexed_name.hpp"

namespace mbs {
namespace {

// What all elements of an array share.
bool alike(const Variable& a, const Variable& b) {
  const auto display = [](const Variable& v) { return v.display ? v.display->name : ""; };
  return a.type == b.type && a.causality == b.causality && a.variability == b.variability &&
         a.initial == b.initial && a.start.has_value() == b.start.has_value() && a.unit == b.unit &&
         display(a) == display(b) && a.minimum == b.minimum && a.maximum == b.maximum &&
         a.source == b.source && a.follows_states == b.follows_states && !a.derivative_of &&
         !b.derivative_of;
}

struct Candidate {
  std::vector<std::vector<int>> indices;
  std::vector<std::uint32_t> elements;
};

// Sizes when the indices are 1 ... n in every dimension, row by row; empty: they are not.
std::vector<int> sizes_of(const Candidate& candidate) {
  std::vector<int> sizes = candidate.indices.back(), at(sizes.size(), 1);
  for (const std::vector<int>& indices : candidate.indices) {
    if (indices != at) return {};
    for (std::size_t k = at.size(); k-- > 0;) {
      if (++at[k] <= sizes[k]) break;
      at[k] = 1;
    }
  }
  const bool complete = std::all_of(at.begin(), at.end(), [](int i) { return i == 1; });
  return complete ? sizes : std::vector<int>{};
}

}  // namespace

std::vector<ArrayVariable> find_arrays(std::span<const Variable> variables) {
  std::map<std::string, Candidate> candidates;
  std::vector<std::string> order;
  std::map<std::string, bool> taken;
  for (const Variable& v : variables) {
    const IndexedName name = split_indices(v.name);
    taken[v.name] = true;
    if (name.indices.empty()) continue;
    Candidate& candidate = candidates[name.base];
    if (candidate.elements.empty()) order.push_back(name.base);
    candidate.indices.push_back(name.indices);
    candidate.elements.push_back(v.reference);
  }
  std::vector<ArrayVariable> arrays;
  const std::uint32_t first = variables.empty() ? 0 : variables.front().reference;
  for (const std::string& base : order) {
    const Candidate& candidate = candidates[base];
    const Variable& head = variables[candidate.elements.front() - first];
    const bool one_kind =
        std::all_of(candidate.elements.begin(), candidate.elements.end(),
                    [&](std::uint32_t element) { return alike(head, variables[element - first]); });
    std::vector<int> sizes = sizes_of(candidate);
    if (!one_kind || sizes.empty() || taken.contains(base)) continue;
    ArrayVariable array;
    array.name = base;
    array.reference = first_array + static_cast<std::uint32_t>(arrays.size());
    array.elements = candidate.elements;
    array.sizes = std::move(sizes);
    arrays.push_back(std::move(array));
  }
  return arrays;
}

std::span<const std::uint32_t> scalars_of(const VariableTable& table,
                                          std::span<const std::uint32_t> references,
                                          std::vector<std::uint32_t>& buffer) {
  if (std::none_of(references.begin(), references.end(),
                   [](std::uint32_t reference) { return reference >= first_array; }))
    return references;
  buffer.clear();
  for (const std::uint32_t reference : references) {
    if (reference < first_array) {
      buffer.push_back(reference);
      continue;
    }
    const std::size_t k = reference - first_array;
    if (k >= table.arrays.size())
      throw std::out_of_range("there is no variable with the value reference " +
                              std::to_string(reference));
    const std::vector<std::uint32_t>& elements = table.arrays[k].elements;
    buffer.insert(buffer.end(), elements.begin(), elements.end());
  }
  return buffer;
}

}  // namespace mbs
