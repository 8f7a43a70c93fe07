// Variables that follow from the equations: counters, modes and clocks of events, and the states,
// derivatives and indicators of model exchange.

#include <algorithm>
#include <set>
#include <stdexcept>

#include "engine/equations/input_filter_states.hpp"
#include "engine/simulation/hybrid_system.hpp"
#include "fmu_src/arrays.hpp"
#include "fmu_src/exchange_arrays.hpp"
#include "fmu_src/variables.hpp"

namespace mbs {
namespace {

// The names of all variables so far.
class Names {
 public:
  explicit Names(const VariableTable& table) {
    for (const Variable& v : table.variables) names_.insert(v.name);
    for (const ArrayVariable& array : table.arrays) names_.insert(array.name);
  }
  std::string unused(std::string name) {
    while (!names_.insert(name).second) name += '\'';
    return name;
  }

 private:
  std::set<std::string> names_;
};

// In a model with resizable parameters the variables from `first` on become arrays after those of
// the model. Where they do not form complete arrays, as contacts between neighbours may not, these
// variables are removed.
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

std::string description_of_modes(const Structure::Contact& c) {
  const std::string redundant_normal = "4: closed, redundant (other contacts carry its force)";
  const std::string redundant_friction = "3: sticks, redundant (other constraints carry its force)";
  if (c.tangents == 0) return "0: open, 1: closed, " + redundant_normal;
  if (c.normal < 0) return "1: sticks, 2: slides, " + redundant_friction;
  return "0: open, 1: sticks, 2: slides, " + redundant_friction + ", " + redundant_normal +
         (c.tangents > 1 ? ", 5, 6: sticks along the first, second tangent alone" : "");
}

// Counters and modes are whole numbers that change at events. The clocks that tick with them are
// scalars: there are none in a model with resizable parameters.
void add_event_variables(VariableTable& table, const Structure& known, Names& names) {
  const std::size_t first_event = table.variables.size(), model_arrays = table.arrays.size();
  const auto output = [&](const std::string& name, const std::string& description, Source source,
                          std::size_t index) {
    Variable v;
    v.name = names.unused(name);
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
    table.clocks.push_back({names.unused(name + ".clock"), "ticks with " + name,
                            first_clock + static_cast<std::uint32_t>(table.clocks.size()), first,
                            count});
  };
  std::vector<char> of_contact(known.switching.size(), 0);
  for (const Structure::Contact& c : known.contacts)
    for (int k = 0; k < functions_of(c); ++k) of_contact[static_cast<std::size_t>(c.phi + k)] = 1;
  for (std::size_t i = 0; i < known.switching.size(); ++i) {
    if (of_contact[i] != 0 || known.switching[i].internal) continue;
    const std::string& name = known.switching[i].name;
    output(name + ".count", "number of events " + name, Source::event_count, i);
    clock(name, static_cast<int>(i), 1);
  }
  for (std::size_t i = 0; i < known.contacts.size(); ++i) {
    const Structure::Contact& c = known.contacts[i];
    output(c.name + ".mode", description_of_modes(c), Source::contact_mode, i);
    output(c.name + ".count", "number of events of " + c.name, Source::contact_count, i);
    clock(c.name, c.phi, functions_of(c));
  }
  if (!table.resizable || first_event == table.variables.size()) return;
  group_events(table, first_event);
  if (first_event == table.variables.size()) table.arrays.resize(model_arrays);
}

// The dimension of a body's coordinate, by its name; nothing for a joint's coordinate, which may be
// an angle or a length.
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

void add_exchange_variables(VariableTable& table, const Equations& equations) {
  const Sizes& n = equations.sizes();
  const Structure& known = equations.structure();
  Names names(table);
  add_event_variables(table, known, names);
  const auto add = [&](const std::string& name, Source source, int index) {
    Variable v;
    v.name = names.unused(name);
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
  // Events correct drift and apply impacts: constraints change positions and velocities there,
  // norms of Euler parameters the former alone. A model of other sizes may have constraints, too.
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

}  // namespace mbs
