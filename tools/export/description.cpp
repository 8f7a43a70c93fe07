#include "tools/export/description.hpp"

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>
#include <pugixml.hpp>
#include <sstream>

#include "engine/base/text.hpp"
#include "fmu_src/categories.hpp"
#include "tools/export/model_structure.hpp"
#include "tools/import/structured_name.hpp"

namespace mbs {
namespace {

constexpr std::string_view generator = "mbsfmu " MBSFMU_VERSION;

std::string integer(double value) {
  return std::to_string(static_cast<long>(value));
}

void set(pugi::xml_node node, const char* attribute, std::string_view value) {
  node.append_attribute(attribute).set_value(std::string(value).c_str());
}

void set_if(pugi::xml_node node, const char* attribute, std::string_view value) {
  if (!value.empty()) set(node, attribute, value);
}

const char* yes(bool is_so) {
  return is_so ? "true" : "false";
}

// Units in use with the display units that go with them; names of one unit are unique.
void append_units(pugi::xml_node root, const VariableTable& table) {
  struct Entry {
    Dimension dimension;
    std::map<std::string, Unit> displays;
  };
  std::map<std::string, Entry> units;
  for (const Variable& variable : table.variables) {
    if (variable.unit.empty()) continue;
    Entry& entry = units[variable.unit];
    entry.dimension = variable.dimension;
    if (variable.display) entry.displays.emplace(variable.display->name, *variable.display);
  }
  if (units.empty()) return;
  pugi::xml_node definitions = root.append_child("UnitDefinitions");
  static constexpr const char* base[] = {"kg", "m", "s", "A", "K", "mol", "cd", "rad"};
  for (const auto& [name, entry] : units) {
    pugi::xml_node unit = definitions.append_child("Unit");
    set(unit, "name", name);
    pugi::xml_node base_unit = unit.append_child("BaseUnit");
    for (std::size_t i = 0; i < entry.dimension.exponents.size(); ++i)
      if (entry.dimension.exponents[i] != 0)
        base_unit.append_attribute(base[i]).set_value(entry.dimension.exponents[i]);
    for (const auto& [display_name, display] : entry.displays) {
      pugi::xml_node node = unit.append_child("DisplayUnit");  // shown = factor * value + offset
      set(node, "name", display_name);
      set(node, "factor", number_text(1.0 / display.factor));
      if (display.offset != 0.0) set(node, "offset", number_text(-display.offset / display.factor));
    }
  }
}

void append_experiment(pugi::xml_node root, const SolverSettings& solver) {
  pugi::xml_node node = root.append_child("DefaultExperiment");
  const double span = solver.stop_time - solver.start_time;
  set(node, "startTime", number_text(solver.start_time));
  set(node, "stopTime", number_text(solver.stop_time));
  set(node, "tolerance", number_text(solver.rtol));
  set(node, "stepSize", number_text(solver.output_step > 0.0 ? solver.output_step : span / 500.0));
}

void append_categories(pugi::xml_node root, std::span<const LogCategory> categories) {
  pugi::xml_node list = root.append_child("LogCategories");
  for (const LogCategory& category : categories) {
    pugi::xml_node node = list.append_child("Category");
    set(node, "name", category.name);
    set(node, "description", category.description);
  }
}

// Attributes of the value, the same in both versions but for the element that carries them. Numbers
// are the shortest text that reads back the same, so that the XML's start is the binary's to the
// bit. `start`: of all elements.
void set_value_attributes(pugi::xml_node node, const Variable& variable,
                          std::span<const double> start) {
  const auto text = [&](double value) {
    return variable.type == ValueType::real ? number_text(value) : integer(value);
  };
  if (variable.type == ValueType::real) {
    set_if(node, "unit", variable.unit);
    if (variable.display && !variable.unit.empty())
      set(node, "displayUnit", variable.display->name);
  }
  if (variable.minimum > -std::numeric_limits<double>::infinity())
    set(node, "min", text(variable.minimum));
  if (variable.maximum < std::numeric_limits<double>::infinity())
    set(node, "max", text(variable.maximum));
  if (variable.nominal != 1.0) set(node, "nominal", number_text(variable.nominal));
  std::string list;
  for (const double value : start) list += (list.empty() ? "" : " ") + text(value);
  set_if(node, "start", list);
}

std::span<const double> start_of(const Variable& variable) {
  if (!variable.start) return {};
  return {&*variable.start, 1};
}

std::string_view convention(const DescriptionRequest& request) {
  return request.style.structured ? "structured" : "flat";
}

std::string name_of(const DescriptionRequest& request, const std::string& name) {
  return request.style.structured ? structured_name(name) : name;
}

// The variables as FMI 3 lists them: scalars, and arrays in the place of their first element.
class Listing {
 public:
  struct Entry {
    std::string name;
    std::uint32_t reference;
    std::vector<std::uint32_t> elements;
    std::vector<int> sizes;
    std::vector<std::uint32_t> size_parameters;
  };

  Listing(const VariableTable& table, bool flat) : table_(table), entry_(table.variables.size()) {
    std::vector<const ArrayVariable*> array_of(table.variables.size());
    if (!flat)
      for (const ArrayVariable& array : table.arrays)
        for (const std::uint32_t element : array.elements) array_of[element] = &array;
    for (const Variable& v : table.variables) {
      if (!v.in_description) continue;
      const ArrayVariable* array = array_of[v.reference];
      if (array && array->elements.front() != v.reference) continue;
      for (const std::uint32_t element : array ? array->elements : std::vector{v.reference})
        entry_[element] = entries_.size();
      if (!array)
        entries_.push_back({v.name, v.reference, {v.reference}, {}, {}});
      else
        entries_.push_back(
            {array->name, array->reference, array->elements, array->sizes, array->size_parameters});
    }
  }

  const std::vector<Entry>& entries() const { return entries_; }
  const Variable& first(const Entry& entry) const {
    return table_.variables[entry.elements.front()];
  }
  bool any(const Entry& entry, bool Variable::*is_so) const {
    return std::ranges::any_of(
        entry.elements, [&](std::uint32_t element) { return table_.variables[element].*is_so; });
  }
  std::uint32_t reference(std::uint32_t scalar) const { return entries_[entry_[scalar]].reference; }
  // The entries of some scalars, in their order; those of one array stand one after the other.
  std::vector<const Entry*> of(const std::vector<std::uint32_t>& scalars) const {
    std::vector<const Entry*> list;
    for (const std::uint32_t scalar : scalars) list.push_back(&entries_[entry_[scalar]]);
    list.erase(std::unique(list.begin(), list.end()), list.end());
    return list;
  }
  // The references of the entries that an entry refers to, each once; `list` gives the scalars that
  // one of its elements refers to.
  template <class List>
  std::vector<std::uint32_t> references(const Entry& entry, List&& list) const {
    std::vector<std::uint32_t> all;
    for (const std::uint32_t element : entry.elements)
      for (const std::uint32_t other : list(table_.variables[element]))
        all.push_back(reference(other));
    for (const std::uint32_t size : entry.size_parameters)
      if (size != no_parameter) all.push_back(size);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

 private:
  const VariableTable& table_;
  std::vector<std::size_t> entry_;  // what a scalar is listed as
  std::vector<Entry> entries_;
};

std::string join(const std::vector<std::uint32_t>& list, std::uint32_t shift) {
  std::string text;
  for (const std::uint32_t item : list) {
    if (!text.empty()) text += ' ';
    text += std::to_string(item + shift);
  }
  return text;
}

// dependencies and, where there are kinds to declare, dependenciesKind.
void set_dependencies(pugi::xml_node node, const Variable* variable,
                      const std::vector<std::uint32_t>& list, std::uint32_t shift) {
  set(node, "dependencies", join(list, shift));
  if (variable == nullptr || variable->constant_dependencies.empty()) return;
  std::string kinds;
  for (const std::uint32_t reference : list) {
    const auto& constants = variable->constant_dependencies;
    const bool constant = std::binary_search(constants.begin(), constants.end(), reference);
    kinds += (kinds.empty() ? "" : " ") + std::string(constant ? "constant" : "dependent");
  }
  set(node, "dependenciesKind", kinds);
}

std::string finish(const pugi::xml_document& document) {
  std::ostringstream out;
  document.save(out, "  ", pugi::format_indent, pugi::encoding_utf8);
  return out.str();
}

// A model with resizable parameters as FMI 3.0 has it.
VariableTable resizable_table(VariableTable table) {
  std::vector<std::uint32_t> sizes;
  for (Variable& v : table.variables) {
    if (v.resizable) {
      v.causality = Causality::structural_parameter;
      v.variability = Change::fixed;
      v.type = ValueType::size;
      v.minimum = std::max(1.0, v.minimum);
      sizes.push_back(v.reference);
    }
  }
  for (Variable& v : table.variables) {
    if (!v.follows_size || v.resizable) continue;
    v.causality = Causality::calculated_parameter;
    v.variability = Change::fixed;
    v.initial = Initial::calculated;
    v.start.reset();
    v.dependencies = sizes;
  }
  return table;
}

void append_variables_fmi3(pugi::xml_node root, const DescriptionRequest& request,
                           const Listing& listing) {
  pugi::xml_node variables = root.append_child("ModelVariables");
  for (const Listing::Entry& entry : listing.entries()) {
    const Variable& variable = listing.first(entry);
    static constexpr const char* types[] = {"Float64", "Int32", "UInt64"};
    pugi::xml_node node = variables.append_child(types[static_cast<int>(variable.type)]);
    set(node, "name", name_of(request, entry.name));
    set(node, "valueReference", std::to_string(entry.reference));
    set_if(node, "description", variable.description);
    set(node, "causality", keyword(variable.causality));
    set(node, "variability", keyword(variable.variability));
    if (variable.initial != Initial::none) set(node, "initial", keyword(variable.initial));
    std::vector<double> start;
    for (const std::uint32_t element : entry.elements)
      if (const auto& value = request.table.variables[element].start) start.push_back(*value);
    set_value_attributes(node, variable, start);
    const bool seen_within_steps =
        variable.causality == Causality::output || variable.causality == Causality::input;
    if (seen_within_steps && variable.variability == Change::continuous)
      set(node, "intermediateUpdate", "true");
    if (variable.derivative_of)
      set(node, "derivative", std::to_string(listing.reference(*variable.derivative_of)));
    if (listing.any(entry, &Variable::reinit)) set(node, "reinit", "true");
    for (std::size_t d = 0; d < entry.sizes.size(); ++d) {
      pugi::xml_node dimension = node.append_child("Dimension");
      if (entry.size_parameters[d] == no_parameter)
        set(dimension, "start", std::to_string(entry.sizes[d]));
      else
        set(dimension, "valueReference", std::to_string(entry.size_parameters[d]));
    }
  }
  for (const OutputClock& clock : request.table.clocks) {
    pugi::xml_node node = variables.append_child("Clock");
    set(node, "name", name_of(request, clock.name));
    set(node, "valueReference", std::to_string(clock.reference));
    set(node, "description", clock.description);
    set(node, "causality", "output");
    set(node, "variability", "discrete");
    set(node, "intervalVariability", "triggered");
  }
}

pugi::xml_node begin(pugi::xml_document& document) {
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  set(declaration, "version", "1.0");
  set(declaration, "encoding", "UTF-8");
  return document.append_child("fmiModelDescription");
}

}  // namespace

std::string description_fmi2(const DescriptionRequest& request) {
  pugi::xml_document document;
  pugi::xml_node root = begin(document);
  set(root, "fmiVersion", "2.0");
  set(root, "modelName", request.model.name);
  set(root, "guid", request.token);
  set_if(root, "description", request.model.doc);
  set(root, "generationTool", generator);
  set(root, "generationDateAndTime", request.date);
  set(root, "variableNamingConvention", convention(request));

  set(root, "numberOfEventIndicators", std::to_string(request.table.indicators.size()));

  if (request.table.no_exchange.empty()) {
    pugi::xml_node exchange = root.append_child("ModelExchange");
    set(exchange, "modelIdentifier", request.identifier);
    set(exchange, "canNotUseMemoryManagementFunctions", "true");
    set(exchange, "canGetAndSetFMUstate", "true");
    set(exchange, "canSerializeFMUstate", "true");
    set(exchange, "providesDirectionalDerivative", yes(request.table.has_jacobian));
  }
  pugi::xml_node interface = root.append_child("CoSimulation");
  set(interface, "modelIdentifier", request.identifier);
  set(interface, "canHandleVariableCommunicationStepSize", "true");
  set(interface, "canInterpolateInputs", "true");
  set(interface, "maxOutputDerivativeOrder", "2");
  set(interface, "canNotUseMemoryManagementFunctions", "true");
  set(interface, "canGetAndSetFMUstate", "true");
  set(interface, "canSerializeFMUstate", "true");
  set(interface, "providesDirectionalDerivative", yes(request.table.has_jacobian));

  append_units(root, request.table);
  append_categories(root, log_categories_fmi2());
  append_experiment(root, request.model.solver);

  pugi::xml_node variables = root.append_child("ModelVariables");
  for (const Variable& variable : request.table.variables) {
    pugi::xml_node node = variables.append_child("ScalarVariable");
    set(node, "name", name_of(request, variable.name));
    set(node, "valueReference", std::to_string(variable.reference));
    set_if(node, "description", variable.description);
    set(node, "causality", keyword(variable.causality));
    set(node, "variability", keyword(variable.variability));
    if (variable.initial != Initial::none && variable.causality != Causality::input &&
        variable.causality != Causality::independent)
      set(node, "initial", keyword(variable.initial));
    pugi::xml_node value =
        node.append_child(variable.type == ValueType::integer ? "Integer" : "Real");
    set_value_attributes(value, variable, start_of(variable));
    if (variable.derivative_of)
      set(value, "derivative", std::to_string(*variable.derivative_of + 1));
    if (variable.reinit) set(value, "reinit", "true");
  }

  // Unknowns are numbered from 1 in the order of the variables, which is that of the references.
  pugi::xml_node structure = root.append_child("ModelStructure");
  pugi::xml_node outputs, initial;
  for (const Variable& variable : request.table.variables) {
    if (variable.causality != Causality::output) continue;
    if (!outputs) outputs = structure.append_child("Outputs");
    pugi::xml_node node = outputs.append_child("Unknown");
    set(node, "index", std::to_string(variable.reference + 1));
    set_dependencies(node, &variable, running_dependencies(request.table, variable, false), 1);
  }
  pugi::xml_node derivatives;
  for (const std::uint32_t reference : request.table.derivatives) {
    if (!derivatives) derivatives = structure.append_child("Derivatives");
    const Variable& variable = *request.table.find(reference);
    pugi::xml_node node = derivatives.append_child("Unknown");
    set(node, "index", std::to_string(reference + 1));
    if (variable.traced_dependencies)
      set_dependencies(node, &variable, running_dependencies(request.table, variable, false), 1);
  }
  for (const Variable& variable : request.table.variables) {
    if (!is_initial_unknown(request.table, variable)) continue;
    if (!initial) initial = structure.append_child("InitialUnknowns");
    pugi::xml_node node = initial.append_child("Unknown");
    set(node, "index", std::to_string(variable.reference + 1));
    if (variable.causality != Causality::local || variable.initialization_dependencies)
      set(node, "dependencies",
          join(start_dependencies(request.model, request.table, variable), 1));
  }
  return finish(document);
}

std::string description_fmi3(const DescriptionRequest& given) {
  const bool resizable = given.table.resizable && !given.style.flat;
  const VariableTable table = resizable ? resizable_table(given.table) : given.table;
  const DescriptionRequest request{given.model,      table,      given.token,
                                   given.identifier, given.date, given.style};
  pugi::xml_document document;
  pugi::xml_node root = begin(document);
  set(root, "fmiVersion", "3.0");
  set(root, "modelName", request.model.name);
  set(root, "instantiationToken", request.token);
  set_if(root, "description", request.model.doc);
  set(root, "generationTool", generator);
  set(root, "generationDateAndTime", request.date);
  set(root, "variableNamingConvention", convention(request));

  if (table.no_exchange.empty() && (!resizable || table.exchange_arrays)) {
    pugi::xml_node exchange = root.append_child("ModelExchange");
    set(exchange, "modelIdentifier", request.identifier);
    set(exchange, "canGetAndSetFMUState", "true");
    set(exchange, "canSerializeFMUState", "true");
    set(exchange, "providesDirectionalDerivatives", yes(table.has_jacobian));
    set(exchange, "providesAdjointDerivatives", yes(table.has_jacobian));
    set(exchange, "needsCompletedIntegratorStep", "true");
  }
  pugi::xml_node interface = root.append_child("CoSimulation");
  set(interface, "modelIdentifier", request.identifier);
  set(interface, "canHandleVariableCommunicationStepSize", "true");
  set(interface, "canGetAndSetFMUState", "true");
  set(interface, "canSerializeFMUState", "true");
  set(interface, "providesDirectionalDerivatives", yes(table.has_jacobian));
  set(interface, "providesAdjointDerivatives", yes(table.has_jacobian));
  set(interface, "maxOutputDerivativeOrder", "2");
  set(interface, "recommendedIntermediateInputSmoothness", "2");
  set(interface, "providesIntermediateUpdate", "true");
  set(interface, "canReturnEarlyAfterIntermediateUpdate", "true");
  set(interface, "hasEventMode", "true");
  set(interface, "mightReturnEarlyFromDoStep", "true");

  append_units(root, request.table);
  append_categories(root, log_categories_fmi3());
  append_experiment(root, request.model.solver);

  const Listing listing(request.table, request.style.flat);
  append_variables_fmi3(root, request, listing);

  const auto follows = [&](const Variable& v) {
    return running_dependencies(request.table, v, true);
  };
  const auto set_running = [&](pugi::xml_node node, const Listing::Entry& entry) {
    set_dependencies(node, entry.sizes.empty() ? &listing.first(entry) : nullptr,
                     listing.references(entry, follows), 0);
  };
  const auto at_start = [&](const Variable& v) {
    return start_dependencies(request.model, request.table, v);
  };
  pugi::xml_node structure = root.append_child("ModelStructure");
  for (const Listing::Entry& entry : listing.entries()) {
    if (listing.first(entry).causality != Causality::output) continue;
    pugi::xml_node node = structure.append_child("Output");
    set(node, "valueReference", std::to_string(entry.reference));
    set_running(node, entry);
  }
  for (const OutputClock& clock : request.table.clocks) {
    pugi::xml_node node = structure.append_child("Output");
    set(node, "valueReference", std::to_string(clock.reference));
    set(node, "dependencies", "");
  }
  for (const Listing::Entry* entry : listing.of(request.table.derivatives)) {
    pugi::xml_node node = structure.append_child("ContinuousStateDerivative");
    set(node, "valueReference", std::to_string(entry->reference));
    if (listing.first(*entry).traced_dependencies) set_running(node, *entry);
  }
  for (const Listing::Entry& entry : listing.entries()) {
    if (!is_initial_unknown(request.table, listing.first(entry))) continue;
    pugi::xml_node node = structure.append_child("InitialUnknown");
    set(node, "valueReference", std::to_string(entry.reference));
    if (listing.first(entry).causality != Causality::local ||
        listing.first(entry).initialization_dependencies)
      set(node, "dependencies", join(listing.references(entry, at_start), 0));
  }
  for (const Listing::Entry* entry : listing.of(request.table.indicators)) {
    pugi::xml_node node = structure.append_child("EventIndicator");
    set(node, "valueReference", std::to_string(entry->reference));
    if (listing.first(*entry).traced_dependencies) set_running(node, *entry);
  }
  return finish(document);
}

std::string structured_name(const std::string& name) {
  if (is_structured_name(name)) return name;
  std::string quoted = "'";
  for (const char c : name) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

std::string c_identifier(const std::string& name) {
  std::string text;
  for (const char c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    text += plain ? c : '_';
  }
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text.front())) != 0)
    text.insert(text.begin(), '_');
  return text.substr(0, 60);
}

}  // namespace mbs
