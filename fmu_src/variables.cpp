#include "fmu_src/variables.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <set>
#include <stdexcept>

#include "engine/base/text.hpp"
#include "engine/equations/input_memory.hpp"
#include "engine/model/quantities.hpp"
#include "engine/simulation/sealed.hpp"
#include "engine/simulation/simulation.hpp"
#include "fmu_src/arrays.hpp"
#include "fmu_src/dependencies.hpp"
#include "fmu_src/exchange_arrays.hpp"

namespace mbs {
namespace {

void set_units(Variable& variable, const Dimension& dimension, const Unit& display) {
  variable.dimension = dimension;
  variable.unit = si_unit_name(dimension);
  if (variable.unit == "1") variable.unit.clear();
  const bool other = display.factor != 1.0 || display.offset != 0.0 ||
                     (!variable.unit.empty() && display.name != variable.unit);
  if (!display.name.empty() && other) variable.display = display;
}

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

// The settable parameters that each parameter is made of, through calculated ones.
std::vector<std::vector<int>> made_of(const Model& model) {
  std::vector<std::vector<int>> list(model.parameters.size());
  for (const int i : model.parameter_order)
    for (const Symbol& symbol : model.parameters[i].value.symbols()) {
      if (symbol.kind != SymbolKind::parameter) continue;
      if (model.parameters[symbol.index].calculated)
        list[i].insert(list[i].end(), list[symbol.index].begin(), list[symbol.index].end());
      else
        list[i].push_back(symbol.index);
    }
  // What is found with the equilibrium depends on all others.
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

// In a model with resizable parameters: arrays of their own after the model's. Where they are none
// (they may stand between neighbours), there are no such variables.
void group_events(VariableTable& table, std::size_t first) {
  try {
    for (ArrayVariable& array : group_all(std::span(table.variables).subspan(first))) {
      array.reference = first_array + static_cast<std::uint32_t>(table.arrays.size());
      const auto same = [&](const ArrayVariable& other) { return other.name == array.name; };
      while (std::any_of(table.arrays.begin(), table.arrays.end(), same)) array.name += '\'';
      table.arrays.push_back(std::move(array));
    }
  } catch (const std::runtime_error&) {
    table.variables.resize(first);
  }
}

// Counters and modes, whole numbers that change at events, and the clocks that tick with them,
// which are scalars: none in a model with resizable parameters.
template <class Unused>
void add_event_variables(VariableTable& table, const Structure& known, const Unused& unused) {
  const std::size_t first_event = table.variables.size(), model_arrays = table.arrays.size();
  const auto output = [&](const std::string& name, const std::string& description, Source source,
                          std::size_t index) {
    Variable v;
    v.name = unused(name);
    v.description = description;
    v.reference = static_cast<std::uint32_t>(table.variables.size());
    v.type = ValueType::integer;
    v.causality = Causality::output;
    v.variability = Change::discrete;
    v.initial = Initial::calculated;
    v.source = source;
    v.index = static_cast<int>(index);
    table.variables.push_back(std::move(v));
  };
  const auto clock = [&](const std::string& name, int first, int count) {
    if (table.resizable) return;
    table.clocks.push_back({unused(name + ".clock"), "ticks with " + name,
                            first_clock + static_cast<std::uint32_t>(table.clocks.size()), first,
                            count});
  };
  std::vector<char> of_contact(known.switching.size(), 0);
  for (const Structure::Contact& c : known.contacts)
    for (int k = 0; k < functions_of(c); ++k) of_contact[static_cast<std::size_t>(c.phi + k)] = 1;
  for (std::size_t i = 0; i < known.switching.size(); ++i) {
    if (of_contact[i] != 0) continue;
    const std::string& name = known.switching[i].name;
    output(name + ".count", "number of events " + name, Source::event_count, i);
    clock(name, static_cast<int>(i), 1);
  }
  for (std::size_t i = 0; i < known.contacts.size(); ++i) {
    const Structure::Contact& c = known.contacts[i];
    const std::string closed = "closed, others bear what it would";
    const std::string along_one = ", 5, 6: held along the first, second tangent alone";
    const std::string modes =
        c.tangents == 0 ? "0: open, 1: closed, 4: " + closed
        : c.normal < 0  ? "1: sticks, 2: slides, 3: held by what else is closed or sticks"
                        : "0: open, 1: sticks, 2: slides, 3: held by what else is closed or "
                          "sticks, 4: " +
                             closed + (c.tangents > 1 ? along_one : "");
    output(c.name + ".mode", modes, Source::contact_mode, i);
    output(c.name + ".count", "number of events of " + c.name, Source::contact_count, i);
    clock(c.name, c.phi, functions_of(c));
  }
  if (!table.resizable || first_event == table.variables.size()) return;
  group_events(table, first_event);
  if (first_event == table.variables.size()) table.arrays.resize(model_arrays);
}

// Of a coordinate of a body, by its name; none: that of a joint, which may be either.
std::optional<Dimension> dimension_of(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  const std::string keyword = dot == std::string::npos ? "" : name.substr(dot + 1);
  const auto is = [&keyword](std::initializer_list<const char*> keywords) {
    return std::find(keywords.begin(), keywords.end(), keyword) != keywords.end();
  };
  const bool speed = is({"vx", "vy", "vz", "omega", "omega_x", "omega_y", "omega_z"});
  const bool length = is({"x", "y", "z", "vx", "vy", "vz"});
  if (!speed && !length && !is({"phi", "e0", "e1", "e2", "e3"})) return std::nullopt;
  const bool angle = !length && keyword[0] != 'e';
  Dimension dimension;
  dimension.exponents[1] = length ? 1 : 0;
  dimension.exponents[2] = speed ? -1 : 0;
  dimension.exponents[7] = angle ? 1 : 0;
  return dimension;
}

}  // namespace

int functions_of(const Structure::Contact& contact) {
  return (contact.normal >= 0) + (contact.tangents > 0);
}

VariableTable make_variables(const Model& model, std::span<const std::string> resizable) {
  const std::vector<double> starts = parameter_start_values(model);
  const std::vector<std::vector<int>> ingredients = made_of(model);
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

void add_exchange_variables(VariableTable& table, const Equations& equations) {
  const Sizes& n = equations.sizes();
  const Structure& known = equations.structure();
  std::set<std::string> names;
  for (const Variable& v : table.variables) names.insert(v.name);
  for (const ArrayVariable& array : table.arrays) names.insert(array.name);
  const auto unused = [&names](std::string name) {
    while (!names.insert(name).second) name += '\'';
    return name;
  };
  add_event_variables(table, known, unused);
  const auto add = [&](const std::string& name, Source source, int index) {
    Variable v;
    v.name = unused(name);
    v.reference = static_cast<std::uint32_t>(table.variables.size());
    v.initial = Initial::calculated;
    v.source = source;
    v.index = index;
    table.variables.push_back(std::move(v));
    return table.variables.back().reference;
  };
  // The model's own states, which have variables already, are the first of r.
  std::vector<std::uint32_t> own;
  for (const Variable& v : table.variables)
    if (v.source == Source::state) own.push_back(v.reference);
  const auto name_of = [](const std::vector<std::string>& list, int i, const char* letter) {
    return i < std::ssize(list) ? list[static_cast<std::size_t>(i)]
                                : letter + std::to_string(i + 1);
  };
  std::vector<std::optional<Dimension>> dimensions;  // of the states, where they are known
  // Drift is taken back at events and impacts happen there: constraints move positions and
  // velocities, norms of Euler parameters the former alone. Other sizes may have constraints, too.
  const bool constrained = n.lambda > 0 || table.resizable;
  const auto add_state = [&](const std::string& name, int index, double nominal, bool moves) {
    table.states.push_back(add(name, Source::continuous, index));
    table.variables.back().nominal = nominal;
    table.variables.back().reinit = moves;
    dimensions.push_back(dimension_of(name));
    if (dimensions.back()) set_units(table.variables.back(), *dimensions.back(), {});
  };
  int index = 0;
  for (int i = 0; i < n.p; ++i, ++index)
    add_state(name_of(known.p_names, i, "p"), index, nominal_of(known.p_scale, i),
              constrained || n.n > 0);
  for (int i = 0; i < n.v; ++i, ++index)
    add_state(name_of(known.v_names, i, "v"), index, nominal_of(known.v_scale, i), constrained);
  for (int i = 0; i < n.r; ++i, ++index) {
    const bool is_own = i < std::ssize(own);
    dimensions.emplace_back();
    if (is_own) dimensions.back() = table.variables[own[static_cast<std::size_t>(i)]].dimension;
    table.states.push_back(is_own ? own[static_cast<std::size_t>(i)]
                                  : add(name_of(known.r_names, i, "r"), Source::continuous, index));
  }
  for (int i = 0; i < index; ++i) {
    const std::uint32_t state = table.states[static_cast<std::size_t>(i)];
    table.derivatives.push_back(
        add("der(" + table.variables[state].name + ")", Source::derivative, i));
    table.variables.back().derivative_of = state;
    if (std::optional<Dimension>& rate = dimensions[static_cast<std::size_t>(i)]) {
      --rate->exponents[2];
      set_units(table.variables.back(), *rate, {});
    }
  }
  for (int i = 0; i < n.phi; ++i)
    table.indicators.push_back(
        add("indicator(" + known.switching[static_cast<std::size_t>(i)].name + ")",
            Source::indicator, i));
  table.has_jacobian = known.M_assembled;
  table.no_exchange = why_no_exchange(equations, equations.default_parameters());
  if (!table.no_exchange.empty())
    for (Variable& v : table.variables) v.reinit = false;
  if (table.resizable) add_exchange_arrays(table, n);
}

const ArrayVariable* VariableTable::find_array(std::uint32_t reference) const {
  const auto found = std::ranges::lower_bound(arrays, reference, {}, &ArrayVariable::reference);
  return found != arrays.end() && found->reference == reference ? &*found : nullptr;
}

std::string interface_hash(const VariableTable& table, Extra extra) {
  // Two hashes with different starts make the 128 bits that such a token usually has.
  std::array<std::uint64_t, 2> hash{fnv_start, fnv("mbsfmu")};
  const auto bytes = [&hash](const void* data, std::size_t size) {
    for (std::uint64_t& h : hash) h = fnv(std::span(static_cast<const std::byte*>(data), size), h);
  };
  const auto number = [&bytes](auto value) { bytes(&value, sizeof value); };
  const auto text = [&](std::string_view s) {
    number(std::uint64_t{s.size()});
    bytes(s.data(), s.size());
  };
  for (const Variable& v : table.variables) {
    text(v.name);
    text(v.description);
    number(v.reference);
    number(v.type);
    number(v.causality);
    number(v.variability);
    number(v.initial);
    number(std::bit_cast<std::uint64_t>(v.start.value_or(0.0)));
    if (v.nominal != 1.0) number(std::bit_cast<std::uint64_t>(v.nominal));
    if (v.reinit) number(v.reinit);
    number(v.start.has_value());
    text(v.unit);
    text(v.display ? v.display->name : std::string());
    number(v.minimum);
    number(v.maximum);
    number(std::uint64_t{v.dependencies.size()});
    for (const std::uint32_t reference : v.dependencies) number(reference);
  }
  if (extra == Extra::clocks)
    for (const OutputClock& clock : table.clocks) {
      text(clock.name);
      number(clock.reference);
    }
  if (extra == Extra::exchange_arrays)
    for (const ArrayVariable& array : table.arrays) {
      text(array.name);
      number(array.reference);
    }
  static constexpr char digits[] = "0123456789abcdef";
  std::string token = "{";
  for (int nibble = 0; nibble < 32; ++nibble) {
    if (nibble == 8 || nibble == 12 || nibble == 16 || nibble == 20) token += '-';
    token += digits[hash[nibble / 16] >> (60 - 4 * (nibble % 16)) & 15u];
  }
  return token + '}';
}

std::uint64_t model_hash(std::string_view resolved_text) {
  return fnv(resolved_text);
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
