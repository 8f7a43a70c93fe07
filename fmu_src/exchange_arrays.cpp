#include "fmu_src/exchange_arrays.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include "engine/model/indexed_name.hpp"
#include "fmu_src/arrays.hpp"

namespace mbs {
namespace {

class Grouping {
 public:
  explicit Grouping(const VariableTable& table) : table_(table) {
    for (const ArrayVariable& array : table.arrays) names_.insert(array.name);
  }

  // Arrays without names and references yet. Throws std::runtime_error.
  std::vector<ArrayVariable> by_name(std::span<const std::uint32_t> references,
                                     const char* what) const {
    using Element = std::pair<std::vector<int>, std::uint32_t>;
    std::map<std::string, std::vector<Element>> families;
    for (const std::uint32_t reference : references) {
      IndexedName name = split_all_indices(table_.variables[reference].name);
      families[name.base].emplace_back(std::move(name.indices), reference);
    }
    std::vector<ArrayVariable> arrays;
    for (auto& [base, elements] : families) {
      std::ranges::sort(elements);
      ArrayVariable array;
      array.name = base;
      std::vector<std::vector<int>> indices;
      for (auto& [at, reference] : elements) {
        indices.push_back(std::move(at));
        array.elements.push_back(reference);
      }
      if (elements.size() > 1 || !indices.front().empty()) {
        array.sizes = sizes_of(indices);
        if (array.sizes.empty())
          throw std::runtime_error("the " + std::string(what) + " called '" + base +
                                   "' without indices are no complete array");
      }
      array.size_parameters.assign(array.sizes.size(), no_parameter);
      arrays.push_back(std::move(array));
    }
    return arrays;
  }

  std::vector<ArrayVariable> derivatives(std::span<const ArrayVariable> states) const {
    std::vector<std::uint32_t> derivative_of(table_.variables.size());
    for (std::size_t i = 0; i < table_.states.size(); ++i)
      derivative_of[table_.states[i]] = table_.derivatives[i];
    std::vector<ArrayVariable> arrays(states.begin(), states.end());
    for (ArrayVariable& array : arrays) {
      array.name = "der(" + array.name + ")";
      for (std::uint32_t& element : array.elements) element = derivative_of[element];
    }
    return arrays;
  }

  void name(std::vector<ArrayVariable>& arrays) {
    for (ArrayVariable& array : arrays) {
      while (!names_.insert(array.name).second) array.name += '\'';
      array.reference = next_++;
    }
  }

 private:
  const VariableTable& table_;
  std::set<std::string> names_;
  std::uint32_t next_ = first_exchange_array;
};

void append(std::vector<ArrayVariable>& to, const std::vector<ArrayVariable>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

std::vector<int> order(const VariableTable& table, std::span<const ArrayVariable> arrays) {
  std::vector<int> list;
  for (const ArrayVariable& array : arrays)
    for (const std::uint32_t element : array.elements)
      list.push_back(table.variables[element].index);
  return list;
}

}  // namespace

void add_exchange_arrays(VariableTable& table, const Sizes& n) {
  const std::span<const std::uint32_t> states(table.states);
  const auto bodies = static_cast<std::size_t>(n.p), rates = static_cast<std::size_t>(n.v);
  std::vector<std::uint32_t> counters;
  for (const std::uint32_t reference : states.subspan(bodies + rates))
    if (table.variables[reference].source == Source::continuous) counters.push_back(reference);
  Grouping grouping(table);
  std::vector<ArrayVariable> fresh, indicators;
  std::vector<ArrayVariable> own;  // have been grouped with the rest of the model
  for (const ArrayVariable& array : table.arrays)
    if (table.variables[array.elements.front()].source == Source::state) own.push_back(array);
  try {
    fresh = grouping.by_name(states.first(bodies), "states");
    append(fresh, grouping.by_name(states.subspan(bodies, rates), "states"));
    append(fresh, grouping.by_name(counters, "states"));
    indicators = grouping.by_name(table.indicators, "event indicators");
  } catch (const std::runtime_error& error) {
    table.no_exchange_arrays = error.what();
    return;
  }
  grouping.name(fresh);
  std::vector<ArrayVariable> all = fresh;
  append(all, own);
  std::vector<ArrayVariable> derivatives = grouping.derivatives(all);
  grouping.name(derivatives);
  grouping.name(indicators);
  table.exchange_arrays = {order(table, derivatives), order(table, indicators)};
  for (const auto* some : {&fresh, &derivatives, &indicators}) append(table.arrays, *some);
}

bool is_exchange_array(const ArrayVariable& array) {
  return array.reference >= first_exchange_array && array.reference < first_clock;
}

}  // namespace mbs
