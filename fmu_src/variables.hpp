#pragma once

// The FMU's variables, made from the model alone and the same for every version of FMI. The
// exporter writes this table into modelDescription.xml, and the runtime gives the values of its
// variables.
//
//   time                    independent
//   structural parameters   local constants (they are folded into the model and cannot be set)
//   fixed, tunable          parameters, or calculated parameters where they depend on others
//   inputs                  continuous
//   outputs                 continuous; discrete if they depend on discrete variables and
//   parameters
//                           alone. The integrator's counters are discrete, too: they change at
//                           communication points, with event mode in it alone
//   events                  their counts, and the modes of contacts: discrete outputs
//   states, algebraics      local, continuous: the model's own r and w
//   p, v, all of r          the continuous states of model exchange, local; with their derivatives
//   switching functions     the event indicators of model exchange, local
//
// A value reference is the variable's index in this table, so it is unique over all types; arrays
// of FMI 3 have further ones.

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/equations/equations.hpp"
#include "engine/model/model.hpp"

namespace mbs {

enum class ValueType : unsigned char {
  real,
  integer,
  size
};  // FMI 2: Real, Integer; FMI 3: Float64, Int32, UInt64

enum class Causality : unsigned char {
  independent,
  parameter,
  calculated_parameter,
  input,
  output,
  local,
  structural_parameter  // FMI 3
};

// FMI's attribute `variability`.
enum class Change : unsigned char { constant, fixed, tunable, discrete, continuous };

// FMI's attribute `initial`; none: must not be written.
enum class Initial : unsigned char { none, exact, calculated };

// The quantity of the simulation that is the value.
enum class Source : unsigned char {
  time,
  parameter,
  input,
  output,
  state,
  algebraic,
  continuous,  // component of (p, v, r)
  derivative,  // likewise
  indicator,
  event_count,  // of a switching function
  contact_count,
  contact_mode  // ContactMode of engine/contact/modes.hpp
};

struct Variable {
  std::string name, description;
  std::uint32_t reference = 0;
  ValueType type = ValueType::real;
  Causality causality = Causality::local;
  Change variability = Change::continuous;
  Initial initial = Initial::none;
  std::optional<double> start;  // present exactly where FMI demands it
  Dimension dimension;
  std::string unit;             // SI, "" when dimensionless
  std::optional<Unit> display;  // where it differs from `unit`; SI value = factor * value + offset
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  double nominal = 1.0;  // continuous states: the scale of the equations
  // Outputs and locals: the inputs that act on the value at the same instant; calculated
  // parameters: the parameters they are made of. Value references, ascending; a variable that is
  // not in the list does not act.
  std::vector<std::uint32_t> dependencies;
  bool follows_states = false;  // outputs: not only of counters
  // Outputs, derivatives, indicators: the states, inputs and parameters on which it depends, and
  // time if it does, and those of them that act by a constant factor, where that is known (the
  // exporter traces it).
  std::optional<std::vector<std::uint32_t>> traced_dependencies;
  std::vector<std::uint32_t> constant_dependencies;
  // Outputs, states, derivatives: the parameters, inputs and time on which the start value depends,
  // where that is known (likewise).
  std::optional<std::vector<std::uint32_t>> initialization_dependencies;
  std::optional<std::uint32_t> derivative_of;  // the state's reference
  bool reinit = false;                         // a continuous state that events can set anew
  bool resizable = false;                      // a structural parameter that FMI 3.0 can set
  bool follows_size = false;   // one that depends on such (known to the exporter alone)
  bool in_description = true;  // written into modelDescription.xml (likewise)
  Source source = Source::time;
  int index = 0;  // in the Model's list of that kind
};

// A triggered output clock of FMI 3: ticks with some switching functions.
struct OutputClock {
  std::string name, description;
  std::uint32_t reference = 0;
  int first = 0, count = 0;  // Structure::switching
};
// Beyond all other references: whether an FMU has clocks or not changes nothing else in it.
constexpr std::uint32_t first_clock = 1u << 25;

// Several variables as one array of FMI 3 (arrays.hpp).
struct ArrayVariable {
  std::string name;
  std::uint32_t reference = 0;
  std::vector<std::uint32_t> elements;  // row by row
  std::vector<int> sizes;               // of the dimensions; none: one scalar
  // The parameter that each size is, by its own reference as an array; no_parameter: it is fixed.
  std::vector<std::uint32_t> size_parameters = {};
};
constexpr std::uint32_t first_array = 1u << 24;  // beyond the references of all scalars
// Arrays of model exchange come behind: whether they exist changes no other reference.
constexpr std::uint32_t first_exchange_array = first_array + (1u << 23);
constexpr std::uint32_t no_parameter = ~0u;

// The order of model exchange where its variables are arrays: element k of those of states, one
// array after the other, is number states[k] of (p, v, r); indicators likewise.
struct ExchangeArrays {
  std::vector<int> states, indicators;
};

struct VariableTable {
  std::vector<Variable> variables;
  std::vector<ArrayVariable> arrays;  // their references ascend
  bool resizable = false;             // the arrays are all there is in FMI 3.0, scalars among them
  std::vector<OutputClock> clocks;    // that there can be
  // References, in the order of model exchange.
  std::vector<std::uint32_t> states, derivatives, indicators;
  // Present in a model with resizable parameters (exchange_arrays.hpp).
  std::optional<ExchangeArrays> exchange_arrays;
  std::string no_exchange_arrays;  // the reason why they are absent
  std::string no_exchange;   // the reason why the model is not for model exchange; empty: it is
  bool has_jacobian = true;  // and with it directional and adjoint derivatives

  // nullptr when there is none.
  const Variable* find(std::uint32_t reference) const {
    return reference < variables.size() ? &variables[reference] : nullptr;
  }
  const ArrayVariable* find_array(std::uint32_t reference) const;
};

// The SI unit of a dimension, and the display unit where it differs.
void set_units(Variable& variable, const Dimension& dimension, const Unit& display);

// The number of switching functions of a contact, from Contact::phi on.
int functions_of(const Structure::Contact& contact);

// `resizable`: names of parameters.
VariableTable make_variables(const Model& model, std::span<const std::string> resizable = {});
// Adds the variables that follow from the equations: events, and those of model exchange.
void add_exchange_variables(VariableTable& table, const Equations& equations);

// The guid or instantiationToken. It changes whenever a variable changes in a way that an importer
// can see, and is the same for the same variables.
enum class Extra : unsigned char { none, clocks, exchange_arrays };  // not in all FMUs
std::string interface_hash(const VariableTable& table, Extra extra = Extra::none);

// The hash of the resolved model's text as the FMU carries it; marks stored states.
std::uint64_t model_hash(std::string_view resolved_text);

// The names in modelDescription.xml.
std::string_view keyword(Causality causality);
std::string_view keyword(Change variability);
std::string_view keyword(Initial initial);

}  // namespace mbs
