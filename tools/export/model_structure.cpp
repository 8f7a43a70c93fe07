#include "tools/export/model_structure.hpp"

#include <algorithm>

#include "engine/simulation/solver_choice.hpp"

namespace mbs {
namespace {

std::vector<std::uint32_t> in_order(std::vector<std::uint32_t> list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

std::uint32_t time_of(const VariableTable& table) {
  return table.variables.front().reference;
}

bool is_trimmed(const Model& model, const Variable& variable) {
  return variable.source == Source::parameter &&
         model.parameters[static_cast<std::size_t>(variable.index)].trimmed;
}

// All that may act.
std::vector<std::uint32_t> with_parameters(const VariableTable& table, const Variable& variable) {
  std::vector<std::uint32_t> list = variable.dependencies;
  if (variable.causality == Causality::output || variable.derivative_of)
    for (const Variable& other : table.variables)
      if (other.causality == Causality::parameter ||
          other.causality == Causality::structural_parameter)
        list.push_back(other.reference);
  return in_order(std::move(list));
}

}  // namespace

bool is_initial_unknown(const VariableTable& table, const Variable& variable) {
  const auto in = [&](const std::vector<std::uint32_t>& list) {
    return std::find(list.begin(), list.end(), variable.reference) != list.end();
  };
  return variable.initial == Initial::calculated &&
         (variable.causality == Causality::output ||
          variable.causality == Causality::calculated_parameter || in(table.states) ||
          in(table.derivatives));
}

std::vector<std::uint32_t> running_dependencies(const VariableTable& table,
                                                const Variable& variable, bool parameters) {
  std::vector<std::uint32_t> list = variable.traced_dependencies ? *variable.traced_dependencies
                                    : parameters                 ? with_parameters(table, variable)
                                                                 : variable.dependencies;
  if (variable.traced_dependencies && !parameters)
    std::erase_if(list, [&table](std::uint32_t reference) {
      return table.find(reference)->source == Source::parameter;
    });
  if (variable.traced_dependencies || !variable.follows_states) return list;
  list.push_back(time_of(table));
  list.insert(list.end(), table.states.begin(), table.states.end());
  return in_order(std::move(list));
}

std::vector<std::uint32_t> start_dependencies(const Model& model, const VariableTable& table,
                                              const Variable& variable) {
  if (variable.initialization_dependencies) return *variable.initialization_dependencies;
  std::vector<std::uint32_t> list = with_parameters(table, variable);
  const bool trimmed = is_trimmed(model, variable);
  // A variable that is made of a parameter found with the start depends on all that this depends
  // on.
  std::vector<std::uint32_t> of_found;
  std::erase_if(list, [&](std::uint32_t reference) {
    const Variable& other = *table.find(reference);
    if (trimmed || !is_trimmed(model, other)) return false;
    const auto more = start_dependencies(model, table, other);
    of_found.insert(of_found.end(), more.begin(), more.end());
    return true;
  });
  list.insert(list.end(), of_found.begin(), of_found.end());
  list = in_order(std::move(list));
  if (variable.causality != Causality::output && !trimmed) return list;
  // Nothing has been counted yet.
  if (variable.source == Source::event_count || variable.source == Source::contact_count) return {};
  list.push_back(time_of(table));
  if (trimmed || variable.source == Source::contact_mode || start_follows_inputs(model))
    for (const Variable& other : table.variables)
      if (other.causality == Causality::input) list.push_back(other.reference);
  return in_order(std::move(list));
}

}  // namespace mbs
