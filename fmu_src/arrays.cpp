#include "fmu_src/arrays.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include "engine/model/indexed_name.hpp"

namespace mbs {
namespace {

// The properties that all elements of an array share.
bool alike(const Variable& a, const Variable& b) {
  const auto display = [](const Variable& v) { return v.display ? v.display->name : ""; };
  return a.type == b.type && a.causality == b.causality && a.variability == b.variability &&
         a.initial == b.initial && a.start.has_value() == b.start.has_value() && a.unit == b.unit &&
         display(a) == display(b) && a.minimum == b.minimum && a.maximum == b.maximum &&
         a.source == b.source && a.follows_states == b.follows_states && !a.derivative_of &&
         !b.derivative_of;
}

struct Candidate {
  std::string name;
  std::vector<std::vector<int>> indices;
  std::vector<std::uint32_t> elements;
  bool alike = true;
};

// Groups variables by their names without indices, in the order in which they appear.
template <class Split>
std::vector<Candidate> candidates_of(std::span<const Variable> variables, Split&& split) {
  std::vector<Candidate> candidates;
  std::map<std::string, std::size_t> known;
  for (const Variable& v : variables) {
    IndexedName name = split(v.name);
    const auto [at, fresh] = known.try_emplace(name.base, candidates.size());
    if (fresh) candidates.push_back({name.base, {}, {}, true});
    Candidate& candidate = candidates[at->second];
    if (!fresh)
      candidate.alike =
          candidate.alike &&
          alike(variables[candidate.elements.front() - variables.front().reference], v);
    candidate.indices.push_back(std::move(name.indices));
    candidate.elements.push_back(v.reference);
  }
  return candidates;
}

void add(std::vector<ArrayVariable>& arrays, const Candidate& candidate, std::vector<int> sizes) {
  ArrayVariable array;
  array.name = candidate.name;
  array.reference = first_array + static_cast<std::uint32_t>(arrays.size());
  array.elements = candidate.elements;
  array.size_parameters.assign(sizes.size(), no_parameter);
  array.sizes = std::move(sizes);
  arrays.push_back(std::move(array));
}

}  // namespace

std::vector<int> sizes_of(std::span<const std::vector<int>> indices) {
  std::vector<int> sizes = indices.back(), at(sizes.size(), 1);
  if (sizes.empty()) return {};
  for (const std::vector<int>& element : indices) {
    if (element != at) return {};
    for (std::size_t k = at.size(); k-- > 0;) {
      if (++at[k] <= sizes[k]) break;
      at[k] = 1;
    }
  }
  const bool complete = std::all_of(at.begin(), at.end(), [](int i) { return i == 1; });
  return complete ? sizes : std::vector<int>{};
}

std::vector<ArrayVariable> find_arrays(std::span<const Variable> variables) {
  std::set<std::string> names;
  for (const Variable& v : variables) names.insert(v.name);
  std::vector<ArrayVariable> arrays;
  for (const Candidate& candidate : candidates_of(variables, split_indices)) {
    std::vector<int> sizes = sizes_of(candidate.indices);
    if (candidate.indices.front().empty() || !candidate.alike || sizes.empty() ||
        names.contains(candidate.name))
      continue;
    add(arrays, candidate, std::move(sizes));
  }
  return arrays;
}

std::vector<ArrayVariable> group_all(std::span<const Variable> variables) {
  std::vector<ArrayVariable> arrays;
  for (const Candidate& candidate : candidates_of(variables, split_all_indices)) {
    const bool scalar = candidate.elements.size() == 1 && candidate.indices.front().empty();
    std::vector<int> sizes = scalar ? std::vector<int>{} : sizes_of(candidate.indices);
    if (!candidate.alike || (!scalar && sizes.empty()))
      throw std::runtime_error("the variables called '" + candidate.name +
                               "' without indices are no complete array of one kind, as a model "
                               "with resizable parameters needs");
    add(arrays, candidate, std::move(sizes));
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
    const ArrayVariable* array = table.find_array(reference);
    if (array == nullptr)
      throw std::out_of_range("there is no variable with the value reference " +
                              std::to_string(reference));
    buffer.insert(buffer.end(), array->elements.begin(), array->elements.end());
  }
  return buffer;
}

}  // namespace mbs
