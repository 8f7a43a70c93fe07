#include "fmu_src/variables.hpp"

#include <algorithm>

#include "engine/base/text.hpp"
#include "engine/model/quantities.hpp"
#include "fmu_src/arrays.hpp"
#include "fmu_src/dependencies.hpp"

namespace mbs {
namespace {

Variable time_variable() {
  Variable time;
  time.name = "time";
  time.description = "time";
  time.causality = Causality::independent;
  set_units(time, Dimension{{0, 0, 1}}, {});
  return time;
}

Variable variable_of(const Parameter& parameter, double start) {
  Variable v;
  v.name = parameter.name;
  v.description = parameter.doc;
  set_units(v, parameter.unit.dimension, parameter.unit);
  v.minimum = parameter.minimum;
  v.maximum = parameter.maximum;
  v.initial = Initial::exact;
  if (parameter.variability == Variability::structural) {
    v.causality = Causality::local;
    v.variability = Change::constant;
  } else {
    v.causality = Causality::parameter;
    v.variability = parameter.variability == Variability::tunable ? Change::tunable : Change::fixed;
    if (parameter.calculated || parameter.trimmed) {
      v.causality = Causality::calculated_parameter;
      v.initial = Initial::calculated;
    }
  }
  if (v.initial == Initial::exact) v.start = start;
  return v;
}

Variable variable_of(const Input& input, double start) {
  Variable v;
  v.name = input.name;
  v.description = input.doc;
  set_units(v, input.unit.dimension, input.unit);
  v.causality = Causality::input;
  v.start = start;
  return v;
}

Variable variable_of(const Output& output) {
  Variable v;
  v.name = output.name;
  v.description = output.doc;
  const bool own_unit = output.what.quantity == Quantity::expression || !output.unit.name.empty();
  set_units(v, own_unit ? output.unit.dimension : output.what.dimension, output.unit);
  v.causality = Causality::output;
  v.initial = Initial::calculated;
  if (output.what.quantity == Quantity::statistic) {
    v.variability = Change::discrete;
    const auto real = split(real_statistics, '|');
    if (std::find(real.begin(), real.end(), output.what.keyword) == real.end()) {
      v.type = ValueType::integer;
    }
  }
  v.follows_states = output.what.quantity != Quantity::statistic && output.what.event < 0;
  if (output.what.event >= 0) {
    v.variability = Change::discrete;
    if (output.what.quantity == Quantity::event_count) v.type = ValueType::integer;
  }
  if (output.what.quantity == Quantity::expression && changes_at_events(output.value)) {
    v.variability = Change::discrete;
  }
  return v;
}

bool is_set_by_events(const Model& model, int state) {
  const auto sets = [state](const Event::Set& s) { return !s.discrete && s.index == state; };
  return std::ranges::any_of(model.events,
                             [&](const Event& e) { return std::ranges::any_of(e.sets, sets); });
}

template <class Unknown>  // StateVariable, AlgebraicVariable
Variable local_variable(const Unknown& unknown) {
  Variable v;
  v.name = unknown.name;
  v.description = unknown.doc;
  set_units(v, unknown.unit.dimension, unknown.unit);
  v.initial = Initial::calculated;
  return v;
}

// The value references of some of the model's parameters or inputs, ascending.
std::vector<std::uint32_t> references(std::vector<int> indices, std::size_t first) {
  std::sort(indices.begin(), indices.end());
  indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
  std::vector<std::uint32_t> list;
  for (const int i : indices) list.push_back(static_cast<std::uint32_t>(first) + i);
  return list;
}

// The settable parameters on which each parameter depends, through calculated ones.
std::vector<std::vector<int>> ingredients_of(const Model& model) {
  std::vector<std::vector<int>> list(model.parameters.size());
  for (const int i : model.parameter_order)
    for (const Symbol& symbol : model.parameters[i].value.symbols()) {
      if (symbol.kind != SymbolKind::parameter) continue;
      if (model.parameters[symbol.index].calculated)
        list[i].insert(list[i].end(), list[symbol.index].begin(), list[symbol.index].end());
      else
        list[i].push_back(symbol.index);
    }
  // A parameter that the static equilibrium determines depends on all others.
  std::vector<int> settable;
  for (int i = 0; i < std::ssize(model.parameters); ++i) {
    const Parameter& p = model.parameters[i];
    if (p.variability != Variability::structural && !p.calculated && !p.trimmed) {
      settable.push_back(i);
    }
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (model.parameters[i].trimmed) list[i] = settable;
  }
  return list;
}

}  // namespace

void set_units(Variable& variable, const Dimension& dimension, const Unit& display) {
  variable.dimension = dimension;
  variable.unit = si_unit_name(dimension);
  if (variable.unit == "1") variable.unit.clear();
  const bool other = display.factor != 1.0 || display.offset != 0.0 ||
                     (!variable.unit.empty() && display.name != variable.unit);
  if (!display.name.empty() && other) variable.display = display;
}

VariableTable make_variables(const Model& model, std::span<const std::string> resizable) {
  const std::vector<double> starts = parameter_start_values(model);
  const std::vector<std::vector<int>> ingredients = ingredients_of(model);
  const Feedthrough feedthrough(model);
  VariableTable table;
  const auto add = [&table](Variable variable, Source source, int index) {
    variable.reference = static_cast<std::uint32_t>(table.variables.size());
    variable.source = source;
    variable.index = index;
    table.variables.push_back(std::move(variable));
  };

  add(time_variable(), Source::time, 0);
  const std::size_t first_parameter = table.variables.size();
  for (int i = 0; i < std::ssize(model.parameters); ++i) {
    Variable v = variable_of(model.parameters[i], starts[i]);
    if (v.causality == Causality::calculated_parameter)
      v.dependencies = references(ingredients[i], first_parameter);
    add(std::move(v), Source::parameter, i);
  }
  const std::size_t first_input = table.variables.size();
  for (int i = 0; i < std::ssize(model.inputs); ++i)
    add(variable_of(model.inputs[i], evaluate(model.inputs[i].start, starts)), Source::input, i);
  for (int i = 0; i < std::ssize(model.outputs); ++i) {
    Variable v = variable_of(model.outputs[i]);
    v.dependencies = references(feedthrough.inputs_of(model.outputs[i]), first_input);
    add(std::move(v), Source::output, i);
  }
  for (int i = 0; i < std::ssize(model.states); ++i) {
    Variable v = local_variable(model.states[i]);
    v.reinit = is_set_by_events(model, i);
    add(std::move(v), Source::state, i);
  }
  for (int i = 0; i < std::ssize(model.algebraics); ++i) {
    Variable v = local_variable(model.algebraics[i]);
    v.dependencies = references(feedthrough.of_auxiliary(), first_input);
    add(std::move(v), Source::algebraic, i);
  }
  if (!resizable.empty()) {
    for (const std::string& name : resizable)
      for (Variable& v : table.variables) v.resizable = v.resizable || v.name == name;
    table.resizable = true;
    table.arrays = group_all(table.variables);
    return table;
  }
  table.arrays = find_arrays(table.variables);
  // Continuous states of model exchange stay scalars, as their derivatives are.
  std::erase_if(table.arrays, [&](const ArrayVariable& array) {
    return table.find(array.elements.front())->source == Source::state;
  });
  for (std::size_t k = 0; k < table.arrays.size(); ++k)
    table.arrays[k].reference = first_array + static_cast<std::uint32_t>(k);
  return table;
}

const ArrayVariable* VariableTable::find_array(std::uint32_t reference) const {
  const auto found = std::ranges::lower_bound(arrays, reference, {}, &ArrayVariable::reference);
  return found != arrays.end() && found->reference == reference ? &*found : nullptr;
}

std::string_view keyword(Causality causality) {
  static constexpr std::string_view keywords[] = {
      "independent", "parameter", "calculatedParameter", "input",
      "output",      "local",     "structuralParameter"};
  return keywords[static_cast<int>(causality)];
}

std::string_view keyword(Change variability) {
  static constexpr std::string_view keywords[] = {"constant", "fixed", "tunable", "discrete",
                                                  "continuous"};
  return keywords[static_cast<int>(variability)];
}

std::string_view keyword(Initial initial) {
  static constexpr std::string_view keywords[] = {"", "exact", "calculated"};
  return keywords[static_cast<int>(initial)];
}

}  // namespace mbs
