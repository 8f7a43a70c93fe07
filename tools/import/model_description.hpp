// modelDescription.xml of FMI 2.0 and 3.0 as one structure. Defaults of the standard are filled in;
// the written values are kept as well where a check needs them. Reading does not judge: `problems`
// holds everything that cannot be understood, with its line; the rest is left to the checks.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/import/values.hpp"
#include "tools/import/xml.hpp"

namespace mbs::import {

enum class FmiVersion { fmi2 = 2, fmi3 = 3 };

enum class Causality {
  parameter,
  calculated_parameter,
  input,
  output,
  local,
  independent,
  structural_parameter
};
enum class Variability { constant, fixed, tunable, discrete, continuous };
enum class Initial { exact, approx, calculated };

using ValueReference = std::uint32_t;

// One of ModelExchange, CoSimulation, ScheduledExecution; capabilities under their FMI 3 names.
struct Interface {
  std::string model_identifier;
  bool needs_execution_tool = false;
  bool only_once_per_process = false;
  bool can_get_and_set_state = false;
  bool can_serialize_state = false;
  bool provides_directional_derivatives = false;
  bool provides_adjoint_derivatives = false;
  bool provides_per_element_dependencies = false;
  bool can_handle_variable_step = false;
  bool can_interpolate_inputs = false;         // FMI 2
  bool can_not_use_memory_management = false;  // FMI 2
  bool can_run_asynchronously = false;         // FMI 2
  bool provides_intermediate_update = false;   // FMI 3, as all that follow
  bool might_return_early = false;
  bool can_return_early_after_intermediate_update = false;
  bool has_event_mode = false;
  bool provides_evaluate_discrete_states = false;
  std::optional<double> fixed_internal_step;
  std::uint32_t max_output_derivative_order = 0;
  std::vector<std::string> source_files;  // FMI 2
  int line = 0;
};

struct DefaultExperiment {
  std::optional<double> start, stop, tolerance, step;
  int line = 0;
};

struct DisplayUnit {
  std::string name;
  double factor = 1, offset = 0;
  bool inverse = false;
};

struct Unit {
  std::string name;
  bool has_base = false;
  std::array<int, 8> exponents{};  // kg m s A K mol cd rad
  double factor = 1, offset = 0;
  std::vector<DisplayUnit> display_units;
  int line = 0;
};

// The attributes that a variable may take from its declared type.
struct Attributes {
  std::string quantity, unit, display_unit;
  bool has_unit = false, has_display_unit = false;  // FMI 2 allows a unit whose name is empty
  std::optional<Value> min, max;                    // one element each
  std::optional<double> nominal;
  bool relative_quantity = false, unbounded = false;
};

struct EnumerationItem {
  std::string name;
  std::int64_t value = 0;
};

struct TypeDefinition {
  std::string name, description;
  VariableType type = VariableType::float64;
  Attributes attributes;
  std::vector<EnumerationItem> items;
  int line = 0;
};

struct LogCategory {
  std::string name, description;
  int line = 0;
};

struct Dimension {
  std::optional<std::uint64_t> start;
  std::optional<ValueReference> reference;
};

struct Alias {
  std::string name, description, display_unit;
  int line = 0;
};

struct Variable {
  std::string name, description;
  ValueReference reference = 0;
  VariableType type = VariableType::float64;
  Causality causality = Causality::local;
  Variability variability = Variability::continuous;
  std::optional<Initial> initial;  // none for independent, clocks and FMI 2 inputs
  bool has_variability = false, has_initial = false;
  Attributes attributes;  // those of the declared type included
  std::string declared_type;
  std::optional<std::string> start_text;  // as written; texts one line each
  std::optional<Value> start;
  std::optional<std::uint32_t> derivative;  // FMI 2: index from 1; FMI 3: value reference
  std::optional<ValueReference> previous;
  std::vector<ValueReference> clocks;
  std::string interval_variability;        // of a clock
  std::optional<double> interval_decimal;  // of a clock
  bool intermediate_update = false;
  std::optional<bool> reinit, can_handle_multiple_set;
  std::vector<Dimension> dimensions;
  std::vector<Alias> aliases;
  int line = 0;
};

struct Unknown {
  std::uint32_t given = 0;              // FMI 2: index from 1; FMI 3: value reference
  std::optional<std::size_t> variable;  // position in `variables` if it exists
  bool has_dependencies = false, has_kinds = false;
  std::vector<std::uint32_t> dependencies;  // as `given`
  std::vector<std::string> kinds;
  std::string dependencies_text;
  int line = 0;
};

struct ModelStructure {
  std::vector<Unknown> outputs, derivatives, clocked_states, initial_unknowns, event_indicators;
  int line = 0;
};

struct Problem {
  int line = 0;
  std::string what;
};

struct ModelDescription {
  FmiVersion version = FmiVersion::fmi2;
  std::string version_text, model_name, token, description, author, model_version, copyright,
      license, generation_tool, generation_date, naming_convention = "flat";
  std::optional<Interface> model_exchange, co_simulation, scheduled_execution;
  std::vector<Unit> units;
  std::vector<TypeDefinition> types;
  std::vector<LogCategory> log_categories;
  std::optional<DefaultExperiment> default_experiment;
  std::vector<Variable> variables;
  ModelStructure structure;
  std::uint32_t event_indicators = 0;  // FMI 2: how many; FMI 3 lists them in the structure
  std::vector<Problem> problems;

  const Variable* find(std::string_view name) const;  // also by the name of an alias
  const Unit* find_unit(std::string_view name) const;
  // The position of a variable that the model structure gives by index (FMI 2) or value reference
  // (FMI 3).
  std::optional<std::size_t> position(std::uint32_t given) const;
};

// The keywords of the standard for messages.
std::string_view to_text(Causality causality);
std::string_view to_text(Variability variability);
std::string_view to_text(Initial initial);

// The values that `initial` may have for a variable, the default first; empty where it must not be
// given.
// Nothing when the combination of causality and variability is not allowed at all.
std::optional<std::vector<Initial>> allowed_initial(FmiVersion version, Causality causality,
                                                    Variability variability);

// Throws ImportError only if this is no model description of a version known here.
ModelDescription read_model_description(const XmlFile& file);

// The number of elements with the dimensions' start values; 1 for a scalar; nothing if a dimension
// is not known. SIZE_MAX stands for all larger numbers.
std::optional<std::size_t> element_count(const ModelDescription& description,
                                         const Variable& variable);
// The sizes of the dimensions; those not known are left out.
std::vector<std::size_t> dimension_sizes(const ModelDescription& description,
                                         const Variable& variable);
// "R[2,3]" of an array R.
std::string element_name(const ModelDescription& description, const Variable& variable,
                         std::size_t element);
// A variable by its name, or an element of an array by "R[2,3]"; null: there is none.
struct NamedElement {
  const Variable* variable = nullptr;
  std::optional<std::size_t> element;  // none: all of the variable
};
NamedElement find_element(const ModelDescription& description, const std::string& name);
// Arrays with more elements are neither read nor written.
inline constexpr std::size_t most_elements = 10'000'000;

// Letters, digits and '_', no digit first: what modelIdentifier must be.
bool is_c_identifier(std::string_view text);

}  // namespace mbs::import
