#include "tools/check_fmu/equations.hpp"

#include <algorithm>
#include <numeric>

namespace mbs::check_fmu {
namespace {

using import::Causality;
using import::ModelDescription;
using import::Unknown;
using import::ValueReference;
using import::Variable;

// Limits for inputs and for states, for outputs and for derivatives: variables, elements of one of
// them, elements that are tried.
constexpr std::size_t most_variables = 24, most_of_one = 64, most_columns = 8;
constexpr std::size_t most_states = 100'000;  // a description may have any number

bool is_continuous_real(const Variable& variable) {
  return variable.type == import::VariableType::float64 && variable.clocks.empty() &&
         variable.variability == import::Variability::continuous;
}

bool is_small(const ModelDescription& d, const Variable& variable) {
  const std::size_t count = element_count(d, variable).value_or(0);
  return is_continuous_real(variable) && count > 0 && count <= most_of_one;
}

// Takes at most `most` elements, evenly distributed over the list.
template <class Element>
std::vector<Element> spread(const std::vector<Element>& list, std::size_t most) {
  std::vector<Element> some;
  const std::size_t count = std::min(most, list.size());
  for (std::size_t i = 0; i < count; ++i) some.push_back(list[i * list.size() / count]);
  return some;
}

std::optional<ValueReference> reference_of(const ModelDescription& d, std::uint32_t given) {
  if (d.version == import::FmiVersion::fmi3) return given;
  const auto place = d.position(given);
  return place ? std::optional(d.variables[*place].reference) : std::nullopt;
}

void append(const ModelDescription& d, Block& block, const Variable& variable) {
  if (block.first.empty()) block.first.push_back(0);
  const std::size_t count = element_count(d, variable).value_or(0);
  block.owner.insert(block.owner.end(), count, block.variables.size());
  block.variables.push_back(&variable);
  block.references.push_back(variable.reference);
  block.first.push_back(block.owner.size());
}

}  // namespace

std::string_view to_text(Mode mode) {
  return mode == Mode::initialization ? "in initialization mode"
         : mode == Mode::step         ? "after a step"
                                      : "in continuous-time mode";
}

const import::Interface& interface_in(const ModelDescription& description, Mode mode) {
  return mode == Mode::continuous_time ? *description.model_exchange : *description.co_simulation;
}

bool has_exchange(const ModelDescription& d) {
  return d.model_exchange &&
         d.model_exchange->model_identifier == d.co_simulation->model_identifier;
}

Equations::Equations(const ModelDescription& d, Mode mode) : description(d) {
  if (mode == Mode::initialization) {
    add_unknowns(d.structure.initial_unknowns, true);
  } else {
    find_states();
    add_unknowns(d.structure.outputs, true);
    add_unknowns(d.structure.derivatives, false);
  }
  add_knowns();
}

void Equations::find_states() {
  for (const Unknown& unknown : description.structure.derivatives) {
    if (!unknown.variable) continue;
    const Variable& variable = description.variables[*unknown.variable];
    const auto reference =
        variable.derivative ? reference_of(description, *variable.derivative) : std::nullopt;
    if (!reference) continue;
    given_.push_back(*variable.derivative);
    state_first_.push_back(state_count);
    states.push_back(*reference);
    state_count += std::min(element_count(description, variable).value_or(0), most_states + 1);
    has_too_many_states = state_count > most_states;
    if (has_too_many_states) return;
  }
}

void Equations::add_unknowns(const std::vector<Unknown>& from, bool is_of_outputs) {
  const std::set<ValueReference> known(states.begin(), states.end());
  std::vector<const Unknown*> list;
  for (const Unknown& unknown : from) {
    if (!unknown.variable) continue;
    const Variable& variable = description.variables[*unknown.variable];
    if (is_small(description, variable) && !known.contains(variable.reference) &&
        (!is_of_outputs || variable.causality == Causality::output))
      list.push_back(&unknown);
  }
  for (const Unknown* unknown : spread(list, most_variables)) {
    append(description, unknowns, description.variables[*unknown->variable]);
    declared.push_back(unknown);
    std::set<ValueReference>& dependencies = dependencies_.emplace_back();
    for (const std::uint32_t given : unknown->dependencies)
      if (const auto reference = reference_of(description, given)) dependencies.insert(*reference);
  }
}

void Equations::add_knowns() {
  std::vector<const Variable*> inputs;
  for (const Variable& variable : description.variables)
    if (variable.causality == Causality::input && is_small(description, variable))
      inputs.push_back(&variable);
  for (const Variable* input : spread(inputs, most_variables)) append(description, knowns, *input);
  const std::size_t input_count = knowns.size();
  state.resize(input_count);

  std::vector<std::size_t> places(states.size());
  std::iota(places.begin(), places.end(), 0u);
  for (const std::size_t i : spread(places, most_variables)) {
    const auto place = description.position(given_[i]);
    if (!place || !is_small(description, description.variables[*place])) continue;
    append(description, knowns, description.variables[*place]);
    for (std::size_t element = state_first_[i]; state.size() < knowns.size(); ++element)
      state.emplace_back(element);
  }

  // Takes inputs and states by turns, because the time may suffice for some alone.
  std::vector<std::size_t> of_inputs(input_count), of_states(knowns.size() - input_count);
  std::iota(of_inputs.begin(), of_inputs.end(), 0u);
  std::iota(of_states.begin(), of_states.end(), input_count);
  of_inputs = spread(of_inputs, most_columns);
  of_states = spread(of_states, most_columns);
  for (std::size_t i = 0; i < most_columns; ++i)
    for (const auto* list : {&of_inputs, &of_states})
      if (i < list->size()) columns.push_back((*list)[i]);
}

bool Equations::depends(std::size_t unknown, std::size_t known) const {
  const std::size_t i = unknowns.owner[unknown];
  return !declared[i]->has_dependencies ||
         dependencies_[i].contains(knowns.variable(known).reference);
}

std::string Equations::name(const Block& block, std::size_t element) const {
  const Variable& variable = block.variable(element);
  const std::string name =
      variable.dimensions.empty()
          ? variable.name
          : element_name(description, variable, element - block.first[block.owner[element]]);
  return "'" + name + "'";
}

}  // namespace mbs::check_fmu
