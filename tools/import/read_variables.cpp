// Type definitions and variables. FMI 2 writes <ScalarVariable name=...><Real
// start=.../></ScalarVariable>, FMI 3 writes <Float64 name=... start=.../>: `outer` is the element
// with the name, `inner` the one with the type.
#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "tools/import/read.hpp"

namespace mbs::import {
namespace {

using TypeIndex = std::unordered_map<std::string, const TypeDefinition*>;

std::optional<VariableType> type_of(std::string_view element, FmiVersion version) {
  if (version == FmiVersion::fmi2) {
    if (element == "Real") return VariableType::float64;
    if (element == "Integer") return VariableType::int32;
    if (element == "Boolean") return VariableType::boolean;
    if (element == "String") return VariableType::string;
    if (element == "Enumeration") return VariableType::enumeration;
    return std::nullopt;
  }
  for (int i = 0; i <= static_cast<int>(VariableType::clock); ++i)
    if (element == type_name(static_cast<VariableType>(i))) return static_cast<VariableType>(i);
  return std::nullopt;
}

// FMI 2 enumerations are int32.
VariableType width(VariableType type, FmiVersion version) {
  const bool small = version == FmiVersion::fmi2 && type == VariableType::enumeration;
  return small ? VariableType::int32 : type;
}

std::optional<Value> read_bound(Reader& reader, pugi::xml_node node, const char* name,
                                VariableType type) {
  if (is_text(type) || !node.attribute(name)) return std::nullopt;
  const std::vector<std::string> keywords = split_keywords(node.attribute(name).value());
  std::string wrong;
  const auto value = keywords.size() == 1
                         ? parse_value(keywords, width(type, reader.description().version), wrong)
                         : std::nullopt;
  if (!value)
    reader.not_understood(node, name, node.attribute(name).value(),
                          "one number of type " + std::string(type_name(type)));
  return value;
}

// Overwrites attributes that were inherited from the declared type.
void read_attributes(Reader& reader, pugi::xml_node node, VariableType type, Attributes& a) {
  if (node.attribute("quantity")) a.quantity = reader.text(node, "quantity");
  if (node.attribute("unit")) {
    a.unit = reader.text(node, "unit");
    a.has_unit = true;
  }
  if (node.attribute("displayUnit")) {
    a.display_unit = reader.text(node, "displayUnit");
    a.has_display_unit = true;
  }
  if (const auto min = read_bound(reader, node, "min", type)) a.min = min;
  if (const auto max = read_bound(reader, node, "max", type)) a.max = max;
  if (const auto nominal = reader.real(node, "nominal")) a.nominal = nominal;
  if (const auto flag = reader.optional_boolean(node, "relativeQuantity"))
    a.relative_quantity = *flag;
  if (const auto flag = reader.optional_boolean(node, "unbounded")) a.unbounded = *flag;
}

void read_start(Reader& reader, pugi::xml_node inner, Variable& variable) {
  std::vector<std::string> keywords;
  const bool in_elements = !reader.is_fmi2() && is_text(variable.type);
  if (in_elements) {
    std::string text;
    for (const pugi::xml_node start : inner.children("Start")) {
      keywords.emplace_back(start.attribute("value").value());
      text += (keywords.size() == 1 ? "" : "\n") + keywords.back();
    }
    if (keywords.empty()) return;
    variable.start_text = text;
  } else {
    const pugi::xml_attribute start = inner.attribute("start");
    if (!start) return;
    variable.start_text = start.value();
    keywords = is_text(variable.type) ? std::vector<std::string>{start.value()}
                                      : split_keywords(start.value());
  }
  std::string wrong;
  variable.start = parse_value(keywords, width(variable.type, reader.description().version), wrong);
  if (!variable.start || keywords.empty()) {
    variable.start.reset();
    reader.not_understood(inner, in_elements ? "value" : "start",
                          wrong.empty() ? *variable.start_text : wrong,
                          "a value of type " + std::string(type_name(variable.type)));
  }
}

Variability default_variability(const Variable& variable, FmiVersion version) {
  if (version == FmiVersion::fmi2) return Variability::continuous;
  switch (variable.causality) {
    case Causality::parameter:
    case Causality::calculated_parameter:
    case Causality::structural_parameter:
      return Variability::fixed;
    default:
      return is_real(variable.type) ? Variability::continuous : Variability::discrete;
  }
}

void read_classification(Reader& reader, pugi::xml_node outer, Variable& variable) {
  static constexpr std::string_view causalities[] = {
      "parameter",   "calculatedParameter", "input", "output", "local",
      "independent", "structuralParameter"};
  static constexpr std::string_view variabilities[] = {"constant", "fixed", "tunable", "discrete",
                                                       "continuous"};
  static constexpr std::string_view initials[] = {"exact", "approx", "calculated"};
  const FmiVersion version = reader.description().version;
  variable.causality =
      reader.keyword<Causality>(outer, "causality", causalities).value_or(Causality::local);
  if (reader.is_fmi2() && variable.causality == Causality::structural_parameter)
    reader.not_understood(outer, "causality", "structuralParameter", "a causality of FMI 2");
  const auto variability = reader.keyword<Variability>(outer, "variability", variabilities);
  variable.has_variability = variability.has_value();
  variable.variability = variability.value_or(default_variability(variable, version));
  variable.initial = reader.keyword<Initial>(outer, "initial", initials);
  variable.has_initial = variable.initial.has_value();
  if (variable.initial || variable.type == VariableType::clock) return;
  const auto allowed = allowed_initial(version, variable.causality, variable.variability);
  if (allowed && !allowed->empty()) variable.initial = allowed->front();
}

void read_fmi3_parts(Reader& reader, pugi::xml_node node, Variable& variable) {
  for (const pugi::xml_node child : node.children("Dimension")) {
    const auto parse = [](std::string_view text) {
      return parse_integer(text, VariableType::uint64);
    };
    const auto size = reader.parsed<std::int64_t>(child, "start", "a whole number", parse);
    variable.dimensions.push_back(
        {size ? std::optional(static_cast<std::uint64_t>(*size)) : std::nullopt,
         reader.whole(child, "valueReference")});
  }
  for (const pugi::xml_node child : node.children("Alias"))
    variable.aliases.push_back({reader.required_text(child, "name"),
                                reader.text(child, "description"),
                                reader.text(child, "displayUnit"), reader.line(child)});
  variable.previous = reader.whole(node, "previous");
  variable.clocks = reader.whole_list(node, "clocks");
  variable.intermediate_update = reader.boolean(node, "intermediateUpdate");
  variable.interval_variability = reader.text(node, "intervalVariability");
  variable.interval_decimal = reader.real(node, "intervalDecimal");
}

void read_variable(Reader& reader, const TypeIndex& types, pugi::xml_node outer,
                   pugi::xml_node inner, VariableType type) {
  Variable variable;
  variable.type = type;
  variable.line = reader.line(outer);
  variable.name = reader.required_text(outer, "name");
  variable.description = reader.text(outer, "description");
  variable.reference = reader.required_whole(outer, "valueReference");
  variable.can_handle_multiple_set =
      reader.optional_boolean(outer, "canHandleMultipleSetPerTimeInstant");
  read_classification(reader, outer, variable);
  variable.declared_type = reader.text(inner, "declaredType");
  if (const auto found = types.find(variable.declared_type); found != types.end())
    variable.attributes = found->second->attributes;
  read_attributes(reader, inner, type, variable.attributes);
  read_start(reader, inner, variable);
  variable.derivative = reader.whole(inner, "derivative");
  variable.reinit = reader.optional_boolean(inner, "reinit");
  if (!reader.is_fmi2()) read_fmi3_parts(reader, inner, variable);
  reader.description().variables.push_back(std::move(variable));
}

void read_type(Reader& reader, pugi::xml_node outer, pugi::xml_node inner, VariableType type) {
  TypeDefinition definition;
  definition.type = type;
  definition.line = reader.line(outer);
  definition.name = reader.required_text(outer, "name");
  definition.description = reader.text(outer, "description");
  read_attributes(reader, inner, type, definition.attributes);
  for (const pugi::xml_node item : inner.children("Item")) {
    const auto parse = [](std::string_view text) {
      return parse_integer(text, VariableType::int64);
    };
    definition.items.push_back(
        {reader.required_text(item, "name"),
         reader.parsed<std::int64_t>(item, "value", "a whole number", parse).value_or(0)});
  }
  reader.description().types.push_back(std::move(definition));
}

// The child of an FMI 2 element that is named after its type.
pugi::xml_node typed_child(pugi::xml_node node) {
  for (const pugi::xml_node child : node.children())
    if (type_of(child.name(), FmiVersion::fmi2)) return child;
  return {};
}

}  // namespace

void read_types(Reader& reader, pugi::xml_node list) {
  constexpr std::string_view ending = "Type";
  for (const pugi::xml_node outer : list.children()) {
    if (outer.type() != pugi::node_element) continue;
    std::string_view name = outer.name();
    pugi::xml_node inner = outer;
    if (reader.is_fmi2()) {
      inner = typed_child(outer);
      name = inner.name();
    } else if (name.ends_with(ending)) {
      name.remove_suffix(ending.size());
    }
    if (const auto type = type_of(name, reader.description().version))
      read_type(reader, outer, inner, *type);
    else
      reader.problem(outer, std::string("<") + outer.name() + "> defines no type of this version");
  }
}

void read_variables(Reader& reader, pugi::xml_node list) {
  TypeIndex types;
  for (const TypeDefinition& type : reader.description().types) types.emplace(type.name, &type);
  ModelDescription& description = reader.description();
  description.variables.reserve(static_cast<std::size_t>(std::distance(list.begin(), list.end())));
  for (const pugi::xml_node outer : list.children()) {
    if (outer.type() != pugi::node_element) continue;
    const pugi::xml_node inner = reader.is_fmi2() ? typed_child(outer) : outer;
    if (const auto type = type_of(inner.name(), description.version))
      read_variable(reader, types, outer, inner, *type);
    else
      reader.problem(outer, std::string("<") + outer.name() + " name=\"" +
                                outer.attribute("name").value() +
                                "\"> has no type of this version of FMI");
  }
}

}  // namespace mbs::import
