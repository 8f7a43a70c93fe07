#include "tools/import/model_description.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "engine/model/indexed_name.hpp"
#include "tools/import/read.hpp"

namespace mbs::import {
namespace {

Interface read_interface(Reader& reader, pugi::xml_node node) {
  const bool fmi2 = reader.is_fmi2();
  const auto flag = [&](const char* name) { return reader.boolean(node, name); };
  Interface i;
  i.line = reader.line(node);
  i.model_identifier = reader.required_text(node, "modelIdentifier");
  i.needs_execution_tool = flag("needsExecutionTool");
  i.only_once_per_process = flag("canBeInstantiatedOnlyOncePerProcess");
  i.can_get_and_set_state = flag(fmi2 ? "canGetAndSetFMUstate" : "canGetAndSetFMUState");
  i.can_serialize_state = flag(fmi2 ? "canSerializeFMUstate" : "canSerializeFMUState");
  i.provides_directional_derivatives =
      flag(fmi2 ? "providesDirectionalDerivative" : "providesDirectionalDerivatives");
  i.can_handle_variable_step = flag("canHandleVariableCommunicationStepSize");
  i.max_output_derivative_order = reader.whole(node, "maxOutputDerivativeOrder").value_or(0);
  if (fmi2) {
    i.can_interpolate_inputs = flag("canInterpolateInputs");
    i.can_not_use_memory_management = flag("canNotUseMemoryManagementFunctions");
    i.can_run_asynchronously = flag("canRunAsynchronuously");  // the standard's own spelling
    for (const pugi::xml_node file : node.child("SourceFiles").children("File"))
      i.source_files.push_back(reader.required_text(file, "name"));
    return i;
  }
  i.provides_adjoint_derivatives = flag("providesAdjointDerivatives");
  i.provides_per_element_dependencies = flag("providesPerElementDependencies");
  i.provides_intermediate_update = flag("providesIntermediateUpdate");
  i.might_return_early = flag("mightReturnEarlyFromDoStep");
  i.can_return_early_after_intermediate_update = flag("canReturnEarlyAfterIntermediateUpdate");
  i.has_event_mode = flag("hasEventMode");
  i.provides_evaluate_discrete_states = flag("providesEvaluateDiscreteStates");
  i.fixed_internal_step = reader.real(node, "fixedInternalStepSize");
  return i;
}

std::optional<Interface> read_optional_interface(Reader& reader, pugi::xml_node root,
                                                 const char* name) {
  const pugi::xml_node node = root.child(name);
  if (!node) return std::nullopt;
  return read_interface(reader, node);
}

void read_units(Reader& reader, pugi::xml_node list) {
  static constexpr const char* base_names[] = {"kg", "m", "s", "A", "K", "mol", "cd", "rad"};
  const auto parse = [](std::string_view text) { return parse_integer(text, VariableType::int32); };
  for (const pugi::xml_node node : list.children("Unit")) {
    Unit unit;
    unit.line = reader.line(node);
    unit.name = reader.required_text(node, "name");
    const pugi::xml_node base = node.child("BaseUnit");
    unit.has_base = !base.empty();
    for (std::size_t i = 0; i < unit.exponents.size(); ++i)
      unit.exponents[i] = static_cast<int>(
          reader.parsed<std::int64_t>(base, base_names[i], "a whole number", parse).value_or(0));
    unit.factor = reader.real(base, "factor").value_or(1);
    unit.offset = reader.real(base, "offset").value_or(0);
    for (const pugi::xml_node display : node.children("DisplayUnit"))
      unit.display_units.push_back(
          {reader.required_text(display, "name"), reader.real(display, "factor").value_or(1),
           reader.real(display, "offset").value_or(0), reader.boolean(display, "inverse")});
    reader.description().units.push_back(std::move(unit));
  }
}

void read_unknown(Reader& reader, pugi::xml_node node, std::vector<Unknown>& list) {
  Unknown unknown;
  unknown.line = reader.line(node);
  unknown.given = reader.required_whole(node, reader.is_fmi2() ? "index" : "valueReference");
  unknown.has_dependencies = !node.attribute("dependencies").empty();
  unknown.has_kinds = !node.attribute("dependenciesKind").empty();
  unknown.dependencies_text = reader.text(node, "dependencies");
  unknown.dependencies = reader.whole_list(node, "dependencies");
  unknown.kinds = split_keywords(node.attribute("dependenciesKind").value());
  list.push_back(std::move(unknown));
}

void read_structure(Reader& reader, pugi::xml_node node) {
  ModelStructure& structure = reader.description().structure;
  structure.line = reader.line(node);
  struct List {
    const char* fmi2;
    const char* fmi3;
    std::vector<Unknown>* unknowns;
  };
  const List lists[] = {{"Outputs", "Output", &structure.outputs},
                        {"Derivatives", "ContinuousStateDerivative", &structure.derivatives},
                        {nullptr, "ClockedState", &structure.clocked_states},
                        {"InitialUnknowns", "InitialUnknown", &structure.initial_unknowns},
                        {nullptr, "EventIndicator", &structure.event_indicators}};
  for (const List& list : lists) {
    if (!reader.is_fmi2()) {
      for (const pugi::xml_node child : node.children(list.fmi3))
        read_unknown(reader, child, *list.unknowns);
    } else if (list.fmi2) {
      for (const pugi::xml_node child : node.child(list.fmi2).children("Unknown"))
        read_unknown(reader, child, *list.unknowns);
    }
  }
}

// Needs the variables.
void resolve_structure(ModelDescription& description) {
  std::unordered_map<std::uint32_t, std::size_t> positions;
  for (std::size_t i = 0; i < description.variables.size(); ++i)
    positions.emplace(description.version == FmiVersion::fmi2 ? static_cast<std::uint32_t>(i + 1)
                                                              : description.variables[i].reference,
                      i);
  ModelStructure& s = description.structure;
  for (std::vector<Unknown>* list :
       {&s.outputs, &s.derivatives, &s.clocked_states, &s.initial_unknowns, &s.event_indicators})
    for (Unknown& unknown : *list)
      if (const auto found = positions.find(unknown.given); found != positions.end())
        unknown.variable = found->second;
}

FmiVersion read_version(const XmlFile& file) {
  const pugi::xml_node root = file.root();
  if (std::string_view(root.name()) != "fmiModelDescription")
    throw ImportError(place(file, root) + ": the root element is <" + root.name() +
                      ">, not <fmiModelDescription>");
  const std::string text = root.attribute("fmiVersion").value();
  if (text.starts_with("2.")) return FmiVersion::fmi2;
  if (text.starts_with("3.")) return FmiVersion::fmi3;
  throw ImportError(place(file, root) + ": fmiVersion=\"" + text +
                    "\" is not supported; 2.0 and 3.0 are");
}

void read_experiment(Reader& reader, pugi::xml_node node) {
  if (!node) return;
  reader.description().default_experiment = DefaultExperiment{
      reader.real(node, "startTime"), reader.real(node, "stopTime"), reader.real(node, "tolerance"),
      reader.real(node, "stepSize"), reader.line(node)};
}

void read_header(Reader& reader, pugi::xml_node root) {
  ModelDescription& d = reader.description();
  d.version_text = root.attribute("fmiVersion").value();
  d.model_name = reader.required_text(root, "modelName");
  d.token = reader.required_text(root, reader.is_fmi2() ? "guid" : "instantiationToken");
  d.description = reader.text(root, "description");
  d.author = reader.text(root, "author");
  d.model_version = reader.text(root, "version");
  d.copyright = reader.text(root, "copyright");
  d.license = reader.text(root, "license");
  d.generation_tool = reader.text(root, "generationTool");
  d.generation_date = reader.text(root, "generationDateAndTime");
  if (root.attribute("variableNamingConvention"))
    d.naming_convention = reader.text(root, "variableNamingConvention");
  if (reader.is_fmi2())
    d.event_indicators = reader.whole(root, "numberOfEventIndicators").value_or(0);
}

}  // namespace

ModelDescription read_model_description(const XmlFile& file) {
  ModelDescription description;
  description.version = read_version(file);
  Reader reader(file, description);
  const pugi::xml_node root = file.root();
  read_header(reader, root);
  description.model_exchange = read_optional_interface(reader, root, "ModelExchange");
  description.co_simulation = read_optional_interface(reader, root, "CoSimulation");
  if (!reader.is_fmi2())
    description.scheduled_execution = read_optional_interface(reader, root, "ScheduledExecution");
  read_units(reader, root.child("UnitDefinitions"));
  read_types(reader, root.child("TypeDefinitions"));
  for (const pugi::xml_node node : root.child("LogCategories").children("Category"))
    description.log_categories.push_back(
        {reader.required_text(node, "name"), reader.text(node, "description"), reader.line(node)});
  read_experiment(reader, root.child("DefaultExperiment"));
  read_variables(reader, root.child("ModelVariables"));
  read_structure(reader, root.child("ModelStructure"));
  resolve_structure(description);
  return description;
}

const Variable* ModelDescription::find(std::string_view name) const {
  for (const Variable& variable : variables) {
    if (variable.name == name) return &variable;
    for (const Alias& alias : variable.aliases)
      if (alias.name == name) return &variable;
  }
  return nullptr;
}

const Unit* ModelDescription::find_unit(std::string_view name) const {
  const auto found =
      std::find_if(units.begin(), units.end(), [&](const Unit& unit) { return unit.name == name; });
  return found == units.end() ? nullptr : &*found;
}

std::optional<std::size_t> ModelDescription::position(std::uint32_t given) const {
  if (version == FmiVersion::fmi2)
    return given >= 1 && given <= variables.size() ? std::optional<std::size_t>(given - 1)
                                                   : std::nullopt;
  for (std::size_t i = 0; i < variables.size(); ++i)
    if (variables[i].reference == given) return i;
  return std::nullopt;
}

std::string_view to_text(Causality causality) {
  constexpr std::array<std::string_view, 7> keywords = {
      "parameter",   "calculatedParameter", "input", "output", "local",
      "independent", "structuralParameter"};
  return keywords[static_cast<std::size_t>(causality)];
}

std::string_view to_text(Variability variability) {
  constexpr std::array<std::string_view, 5> keywords = {"constant", "fixed", "tunable", "discrete",
                                                        "continuous"};
  return keywords[static_cast<std::size_t>(variability)];
}

std::string_view to_text(Initial initial) {
  constexpr std::array<std::string_view, 3> keywords = {"exact", "approx", "calculated"};
  return keywords[static_cast<std::size_t>(initial)];
}

std::optional<std::vector<Initial>> allowed_initial(FmiVersion version, Causality causality,
                                                    Variability variability) {
  using enum Initial;
  const bool steady = variability == Variability::fixed || variability == Variability::tunable;
  const bool constant = variability == Variability::constant;
  switch (causality) {
    case Causality::parameter:
    case Causality::structural_parameter:
      if (steady) return std::vector{exact};
      return std::nullopt;
    case Causality::calculated_parameter:
      if (steady) return std::vector{calculated, approx};
      return std::nullopt;
    case Causality::input:
      if (steady || constant) return std::nullopt;
      return version == FmiVersion::fmi2 ? std::vector<Initial>{} : std::vector{exact};
    case Causality::output:
      if (constant) return std::vector{exact};
      if (steady) return std::nullopt;
      return std::vector{calculated, exact, approx};
    case Causality::local:
      if (constant) return std::vector{exact};
      if (steady) return std::vector{calculated, approx};
      return std::vector{calculated, exact, approx};
    case Causality::independent:
      if (variability == Variability::continuous) return std::vector<Initial>{};
      return std::nullopt;
  }
  return std::nullopt;
}

std::vector<std::size_t> dimension_sizes(const ModelDescription& description,
                                         const Variable& variable) {
  std::vector<std::size_t> sizes;
  for (const Dimension& dimension : variable.dimensions) {
    if (dimension.start) {
      sizes.push_back(*dimension.start);
    } else if (dimension.reference) {
      const auto position = description.position(*dimension.reference);
      const auto* integers = position && description.variables[*position].start
                                 ? std::get_if<Integers>(&*description.variables[*position].start)
                                 : nullptr;
      if (integers && integers->size() == 1)
        sizes.push_back(static_cast<std::size_t>(integers->front()));
    }
  }
  return sizes;
}

std::optional<std::size_t> element_count(const ModelDescription& description,
                                         const Variable& variable) {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  const std::vector<std::size_t> sizes = dimension_sizes(description, variable);
  if (sizes.size() != variable.dimensions.size()) return std::nullopt;
  std::size_t count = 1;
  for (const std::size_t size : sizes)
    count = size != 0 && count > most / size ? most : count * size;
  return count;
}

std::string element_name(const ModelDescription& description, const Variable& variable,
                         std::size_t element) {
  std::vector<std::size_t> sizes = dimension_sizes(description, variable);
  for (std::size_t& size : sizes) size = std::max<std::size_t>(1, size);  // an FMU may say 0
  return mbs::element_name(variable.name, sizes, element);
}

NamedElement find_element(const ModelDescription& description, const std::string& name) {
  if (const Variable* variable = description.find(name)) return {variable, std::nullopt};
  const IndexedName parts = split_indices(name);
  const Variable* variable = parts.indices.empty() ? nullptr : description.find(parts.base);
  if (!variable) return {};
  const std::vector<std::size_t> sizes = dimension_sizes(description, *variable);
  if (sizes.size() != parts.indices.size()) return {};
  std::size_t element = 0;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    const auto index = static_cast<std::size_t>(parts.indices[k]);
    if (index > sizes[k]) return {};
    element = element * sizes[k] + index - 1;
  }
  return {variable, element};
}

bool is_c_identifier(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_letter = [](char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  return !text.empty() && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return is_letter(c) || is_digit(c); });
}

}  // namespace mbs::import
