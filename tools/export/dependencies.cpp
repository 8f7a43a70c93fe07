#include "tools/export/dependencies.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "engine/analysis/dependencies/dependencies.hpp"
#include "engine/base/text.hpp"
#include "engine/model/resizable.hpp"
#include "tools/export/resized.hpp"

namespace mbs {
namespace {

using References = std::vector<std::uint32_t>;

void sort_unique(References& list) {
  std::ranges::sort(list);
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

// The place of a state among p, v, r: the states of the model itself are the first of r.
std::size_t place_of(const Variable& state, const Sizes& n) {
  return static_cast<std::size_t>(state.index + (state.source == Source::state ? n.p + n.v : 0));
}

// The variables that each known of Dependencies stands for. Parameters that are found with the
// start stand for all that they are made of; calculated ones are no knowns.
std::vector<References> variables_of_knowns(const VariableTable& table, const Model& model,
                                            const Sizes& n) {
  std::vector<References> of(static_cast<std::size_t>(n.p + n.v + n.r));
  for (const std::uint32_t state : table.states) of[place_of(*table.find(state), n)] = {state};
  for (const Variable& v : table.variables)
    if (v.source == Source::input) of.push_back({v.reference});
  of.push_back({table.variables.front().reference});  // time
  const std::size_t first = of.size();
  of.resize(first + model.parameters.size());
  for (const Variable& v : table.variables) {
    if (v.source != Source::parameter) continue;
    const auto k = static_cast<std::size_t>(v.index);
    if (model.parameters[k].trimmed)
      of[first + k] = v.dependencies;
    else if (v.causality == Causality::parameter)
      of[first + k] = {v.reference};
  }
  return of;
}

// The knowns that act on the start value of a variable; null: it has none that is traced.
const std::vector<int>* start_list(const Variable& v, const Model& model, const Sizes& n,
                                   const Dependencies& found) {
  const auto index = static_cast<std::size_t>(v.index);
  switch (v.source) {
    case Source::derivative:
      return &found.start_rates[index];
    case Source::continuous:
    case Source::state:
      return &found.start_states[place_of(v, n)];
    case Source::contact_mode:
      return &found.start_modes[index];
    case Source::output:
      return v.follows_states ? &found.start_outputs[index] : nullptr;
    case Source::parameter:
      return model.parameters[index].trimmed ? &found.start_parameters[index] : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace

void add_dependencies(VariableTable& table, const Model& model, const Equations& equations) {
  const Sizes& n = equations.sizes();
  constexpr double largest = 5e5;  // entries: what stands in the description grows with it
  const double states = n.p + n.v + n.r;
  const double knowns = states + n.u + n.parameters;
  if ((states + n.y) * knowns > largest) return;
  const auto found = find_dependencies(model, equations);
  if (!found) return;
  const std::vector<References> of = variables_of_knowns(table, model, n);
  const auto index = [](const Variable& v) { return static_cast<std::size_t>(v.index); };
  for (Variable& v : table.variables) {
    const DependencyList* list = v.source == Source::derivative  ? &found->rates[index(v)]
                                 : v.source == Source::indicator ? &found->indicators[index(v)]
                                 : v.source == Source::output    ? &found->outputs[index(v)]
                                                                 : nullptr;
    const bool counts = v.causality == Causality::output && !v.follows_states;
    if (counts) v.traced_dependencies.emplace();  // what has happened before: nothing at the start
    if (counts && v.source == Source::output) {
      References& at_start = v.initialization_dependencies.emplace();
      // The time of the last event is that of the start while there was none.
      if (model.outputs[index(v)].what.quantity == Quantity::event_time)
        at_start = of[static_cast<std::size_t>(found->time())];
    }
    if (list != nullptr && !counts) {
      References& all = v.traced_dependencies.emplace();
      for (const auto& [known, by_constant] : *list) {
        const References& variables = of[static_cast<std::size_t>(known)];
        all.insert(all.end(), variables.begin(), variables.end());
        const int parameter = known - found->first_parameter();
        const bool itself =
            parameter < 0 || !model.parameters[static_cast<std::size_t>(parameter)].trimmed;
        if (by_constant && itself && model.discretes.empty())
          v.constant_dependencies.insert(v.constant_dependencies.end(), variables.begin(),
                                         variables.end());
      }
      sort_unique(all);
      sort_unique(v.constant_dependencies);
    }
    const std::vector<int>* start = start_list(v, model, n, *found);
    if (start == nullptr) continue;
    References& all = v.initialization_dependencies.emplace();
    for (const int known : *start) {
      const References& variables = of[static_cast<std::size_t>(known)];
      all.insert(all.end(), variables.begin(), variables.end());
    }
    sort_unique(all);
  }
}

namespace {

constexpr std::size_t no_array = ~std::size_t{0};

// The dependencies of each array of a table on others, by their numbers, at all sizes so far.
class ArrayDependencies {
 public:
  using List = std::optional<References> Variable::*;

  ArrayDependencies(const VariableTable& table, List list)
      : table_(table), list_(list), on_(table.arrays.size()), missing_(table.arrays.size()) {}

  // array_of: the number here of each variable's array there.
  void add(const VariableTable& resized, const std::vector<std::size_t>& array_of) {
    for (const Variable& v : resized.variables) {
      const std::size_t k = array_of[v.reference];
      if (k == no_array) continue;
      if (!(v.*list_)) {
        missing_[k] = 1;
        continue;
      }
      for (const std::uint32_t other : *(v.*list_))
        if (array_of[other] != no_array) on_[k].insert(array_of[other]);
    }
  }
  void put(VariableTable& table, std::span<const std::size_t> sizes) const {
    for (std::size_t k = 0; k < on_.size(); ++k) {
      if (missing_[k] != 0) continue;
      for (const std::uint32_t element : table_.arrays[k].elements)
        (table.variables[element].*list_).emplace();
      References& list = *(table.variables[table_.arrays[k].elements.front()].*list_);
      for (const std::size_t other : on_[k]) list.push_back(table_.arrays[other].elements.front());
      for (const std::size_t size : sizes) list.push_back(table_.arrays[size].elements.front());
      sort_unique(list);
    }
  }

 private:
  const VariableTable& table_;
  const List list_;
  std::vector<std::set<std::size_t>> on_;
  std::vector<char> missing_;
};

}  // namespace

void add_array_dependencies(VariableTable& table, const std::string& resolved,
                            std::span<const std::string> resizable) {
  if (has_branches_of_sizes(resolved)) return;
  std::map<std::string, std::size_t> by_name;
  for (std::size_t k = 0; k < table.arrays.size(); ++k) by_name[table.arrays[k].name] = k;
  ArrayDependencies running(table, &Variable::traced_dependencies),
      starting(table, &Variable::initialization_dependencies);
  std::vector<std::size_t> sizes;
  for (const std::string& name : resizable) sizes.push_back(by_name.at(name));
  // Small ones in any combination: structure repeats itself beyond.
  std::vector<std::vector<Override>> combinations(1);
  for (const std::string& name : resizable) {
    const Variable& v = *std::ranges::find(table.variables, name, &Variable::name);
    const double least = std::max(1.0, v.minimum);
    std::vector<std::vector<Override>> longer;
    for (double size = least; size <= std::min(v.maximum, least + 3.0); ++size)
      for (std::vector<Override> combination : combinations) {
        combination.push_back({name, number_text(size)});
        longer.push_back(std::move(combination));
      }
    combinations = std::move(longer);
  }
  for (const std::vector<Override>& combination : combinations) {
    Diagnostics inside;
    const Resized resized = read_resized(resolved, combination, inside);
    if (!resized.equations) continue;
    VariableTable other;
    try {
      other = make_variables(resized.model, resizable);
      add_exchange_variables(other, *resized.equations);
    } catch (const std::runtime_error&) {
      continue;  // it never is of this size
    }
    add_dependencies(other, resized.model, *resized.equations);
    std::vector<std::size_t> array_of(other.variables.size(), no_array);
    for (const ArrayVariable& array : other.arrays)
      if (const auto at = by_name.find(array.name); at != by_name.end())
        for (const std::uint32_t element : array.elements) array_of[element] = at->second;
    running.add(other, array_of);
    starting.add(other, array_of);
  }
  running.put(table, sizes);
  starting.put(table, sizes);
}

}  // namespace mbs
