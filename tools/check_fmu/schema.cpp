#include "tools/check_fmu/schema.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <vector>

namespace mbs::check_fmu {
namespace {

// Attributes: names, '!' behind those required. Children: in their order, each as names of elements
// with their entry in this table, "element=entry", alternatives separated by '|', then how often:
// '!' once, '?' at most once, '*' any number, '+' at least once. An entry "any" is not checked.
struct Entry {
  std::string_view name, attributes, children;
};

constexpr std::string_view interface2 =
    "modelIdentifier! needsExecutionTool canBeInstantiatedOnlyOncePerProcess "
    "canNotUseMemoryManagementFunctions canGetAndSetFMUstate canSerializeFMUstate "
    "providesDirectionalDerivative ";

constexpr Entry fmi2_entries[] = {
    {"fmiModelDescription",
     "fmiVersion! modelName! guid! description author version copyright license generationTool "
     "generationDateAndTime variableNamingConvention numberOfEventIndicators",
     "ModelExchange=me|CoSimulation=cs+ UnitDefinitions=units? TypeDefinitions=types? "
     "LogCategories=categories? DefaultExperiment=experiment? VendorAnnotations=annotations? "
     "ModelVariables=variables! ModelStructure=structure!"},
    {"me", "@interface completedIntegratorStepNotNeeded", "SourceFiles=sources?"},
    {"cs",
     "@interface canHandleVariableCommunicationStepSize canInterpolateInputs "
     "maxOutputDerivativeOrder canRunAsynchronuously",
     "SourceFiles=sources?"},
    {"sources", "", "File=file+"},
    {"file", "name!", ""},
    {"units", "", "Unit=unit+"},
    {"unit", "name!", "BaseUnit=base? DisplayUnit=display*"},
    {"base", "kg m s A K mol cd rad factor offset", ""},
    {"display", "name! factor offset", ""},
    {"types", "", "SimpleType=type+"},
    {"type", "name! description",
     "Real=typeReal|Integer=typeInteger|Boolean=none|String=none|Enumeration=typeEnumeration!"},
    {"typeReal", "quantity unit displayUnit relativeQuantity min max nominal unbounded", ""},
    {"typeInteger", "quantity min max", ""},
    {"typeEnumeration", "quantity", "Item=item+"},
    {"item", "name! value! description", ""},
    {"none", "", ""},
    {"categories", "", "Category=category+"},
    {"category", "name! description", ""},
    {"experiment", "startTime stopTime tolerance stepSize", ""},
    {"annotations", "", "Tool=any+"},
    {"variables", "", "ScalarVariable=variable+"},
    {"variable",
     "name! valueReference! description causality variability initial "
     "canHandleMultipleSetPerTimeInstant",
     "Real=real|Integer=integer|Boolean=plain|String=plain|Enumeration=enumeration! "
     "Annotations=annotations?"},
    {"real",
     "declaredType quantity unit displayUnit relativeQuantity min max nominal unbounded start "
     "derivative reinit",
     ""},
    {"integer", "declaredType quantity min max start", ""},
    {"plain", "declaredType start", ""},
    {"enumeration", "declaredType! quantity min max start", ""},
    {"structure", "", "Outputs=unknowns? Derivatives=unknowns? InitialUnknowns=unknowns?"},
    {"unknowns", "", "Unknown=unknown+"},
    {"unknown", "index! dependencies dependenciesKind", ""},
};

constexpr std::string_view interface3 =
    "modelIdentifier! needsExecutionTool canBeInstantiatedOnlyOncePerProcess canGetAndSetFMUState "
    "canSerializeFMUState providesDirectionalDerivatives providesAdjointDerivatives "
    "providesPerElementDependencies ";
constexpr std::string_view variable3 =
    "name! valueReference! description causality variability canHandleMultipleSetPerTimeInstant "
    "clocks ";

constexpr Entry fmi3_entries[] = {
    {"fmiModelDescription",
     "fmiVersion! modelName! instantiationToken! description author version copyright license "
     "generationTool generationDateAndTime variableNamingConvention",
     "ModelExchange=me? CoSimulation=cs? ScheduledExecution=se? UnitDefinitions=units? "
     "TypeDefinitions=types? LogCategories=categories? DefaultExperiment=experiment? "
     "ModelVariables=variables! ModelStructure=structure! Annotations=any?"},
    {"me", "@interface needsCompletedIntegratorStep providesEvaluateDiscreteStates",
     "Annotations=any?"},
    {"cs",
     "@interface canHandleVariableCommunicationStepSize fixedInternalStepSize "
     "maxOutputDerivativeOrder recommendedIntermediateInputSmoothness providesIntermediateUpdate "
     "mightReturnEarlyFromDoStep canReturnEarlyAfterIntermediateUpdate hasEventMode "
     "providesEvaluateDiscreteStates",
     "Annotations=any?"},
    {"se", "@interface", "Annotations=any?"},
    {"units", "", "Unit=unit+"},
    {"unit", "name!", "BaseUnit=base? DisplayUnit=display* Annotations=any?"},
    {"base", "kg m s A K mol cd rad factor offset", ""},
    {"display", "name! factor offset inverse", "Annotations=any?"},
    {"types", "",
     "Float32Type=typeFloat|Float64Type=typeFloat|Int8Type=typeInt|UInt8Type=typeInt|"
     "Int16Type=typeInt|UInt16Type=typeInt|Int32Type=typeInt|UInt32Type=typeInt|"
     "Int64Type=typeInt|UInt64Type=typeInt|BooleanType=typePlain|StringType=typePlain|"
     "BinaryType=typeBinary|EnumerationType=typeEnumeration|ClockType=typeClock+"},
    {"typeFloat",
     "name! description quantity unit displayUnit relativeQuantity unbounded min max nominal",
     "Annotations=any?"},
    {"typeInt", "name! description quantity min max", "Annotations=any?"},
    {"typePlain", "name! description", "Annotations=any?"},
    {"typeBinary", "name! description mimeType maxSize", "Annotations=any?"},
    {"typeEnumeration", "name! description quantity min max", "Annotations=any? Item=item+"},
    {"item", "name! value! description", "Annotations=any?"},
    {"typeClock", "name! description @clock", "Annotations=any?"},
    {"categories", "", "Category=category+"},
    {"category", "name! description", "Annotations=any?"},
    {"experiment", "startTime stopTime tolerance stepSize", "Annotations=any?"},
    {"variables", "",
     "Float32=float|Float64=float|Int8=int|UInt8=int|Int16=int|UInt16=int|Int32=int|UInt32=int|"
     "Int64=int|UInt64=int|Boolean=boolean|String=string|Binary=binary|Enumeration=enumeration|"
     "Clock=clock+"},
    {"float",
     "@variable intermediateUpdate previous declaredType initial quantity unit displayUnit "
     "relativeQuantity unbounded min max nominal start derivative reinit",
     "Annotations=any? Dimension=dimension* Alias=floatAlias*"},
    {"int", "@variable intermediateUpdate previous declaredType initial quantity min max start",
     "Annotations=any? Dimension=dimension* Alias=alias*"},
    {"boolean", "@variable intermediateUpdate previous declaredType initial start",
     "Annotations=any? Dimension=dimension* Alias=alias*"},
    {"string", "@variable intermediateUpdate previous declaredType initial",
     "Annotations=any? Dimension=dimension* Start=start* Alias=alias*"},
    {"binary", "@variable intermediateUpdate previous declaredType initial mimeType maxSize",
     "Annotations=any? Dimension=dimension* Start=start* Alias=alias*"},
    {"enumeration",
     "@variable intermediateUpdate previous declaredType! initial quantity min max start",
     "Annotations=any? Dimension=dimension* Alias=alias*"},
    {"clock", "@variable declaredType @clock", "Annotations=any? Alias=alias*"},
    {"dimension", "start valueReference", ""},
    {"start", "value", ""},
    {"alias", "name! description", ""},
    {"floatAlias", "name! description displayUnit", ""},
    {"structure", "",
     "Output=unknown* ContinuousStateDerivative=unknown* ClockedState=unknown* "
     "InitialUnknown=unknown* EventIndicator=unknown*"},
    {"unknown", "valueReference! dependencies dependenciesKind", "Annotations=any?"},
};

constexpr std::string_view clock3 =
    "canBeDeactivated priority intervalVariability! intervalDecimal shiftDecimal supportsFraction "
    "resolution intervalCounter shiftCounter ";

struct Child {
  std::size_t place = 0;  // in the sequence
  std::string entry;
};

struct Sequence {
  std::string names;  // for messages: "A" or "A or B"
  char often = '!';
};

struct ElementType {
  std::map<std::string, bool, std::less<>> attributes;  // required?
  std::map<std::string, Child, std::less<>> children;
  std::vector<Sequence> sequence;
};

using Schema = std::map<std::string, ElementType, std::less<>>;

void add_attributes(ElementType& type, std::string_view text, std::string_view interface) {
  for (std::string keyword : import::split_keywords(text)) {
    if (keyword == "@interface") {
      add_attributes(type, interface, {});
    } else if (keyword == "@variable") {
      add_attributes(type, variable3, {});
    } else if (keyword == "@clock") {
      add_attributes(type, clock3, {});
    } else {
      const bool required = keyword.back() == '!';
      if (required) keyword.pop_back();
      type.attributes[keyword] = required;
    }
  }
}

void add_children(ElementType& type, std::string_view text) {
  for (const std::string& keyword : import::split_keywords(text)) {
    Sequence sequence;
    sequence.often = keyword.back();
    std::string_view rest(keyword.data(), keyword.size() - 1);
    while (!rest.empty()) {
      const std::string_view one = rest.substr(0, rest.find('|'));
      rest.remove_prefix(std::min(one.size() + 1, rest.size()));
      const std::size_t equals = one.find('=');
      const std::string name(one.substr(0, equals));
      type.children[name] = {type.sequence.size(), std::string(one.substr(equals + 1))};
      sequence.names += (sequence.names.empty() ? "<" : " or <") + name + ">";
    }
    type.sequence.push_back(sequence);
  }
}

template <std::size_t N>
Schema make_schema(const Entry (&entries)[N], std::string_view interface) {
  Schema schema;
  for (const Entry& entry : entries) {
    ElementType& type = schema[std::string(entry.name)];
    add_attributes(type, entry.attributes, interface);
    add_children(type, entry.children);
  }
  return schema;
}

class Walk {
 public:
  Walk(const import::XmlFile& xml, const Schema& schema,
       const std::function<void(const SchemaFinding&)>& found)
      : xml_(xml), schema_(schema), found_(found) {}

  // The recursion is as deep as the table at most.
  void check(pugi::xml_node node, const std::string& entry) {
    const auto type = schema_.find(entry);
    if (type == schema_.end()) return;  // "any"
    check_attributes(node, type->second);
    check_children(node, type->second);
  }

 private:
  void check_attributes(pugi::xml_node node, const ElementType& type) {
    std::set<std::string, std::less<>> seen;
    for (const pugi::xml_attribute attribute : node.attributes()) {
      const std::string_view name = attribute.name();
      if (!seen.emplace(name).second)
        report(false, node, element(node) + " has the attribute " + std::string(name) + " twice",
               "keep one of them: this is not well-formed XML");
      if (name.find(':') != std::string_view::npos || name == "xmlns") continue;
      if (type.attributes.contains(name)) continue;
      const std::string near = same_but_for_case_or_plural(name, type);
      report(false, node, element(node) + " has no attribute " + std::string(name),
             near.empty() ? "remove it" : "did you mean " + near + "?");
    }
    for (const auto& [name, required] : type.attributes)
      if (required && !node.attribute(name.c_str()))
        report(false, node, element(node) + " lacks the attribute " + name, "add it");
  }

  // FMI 2 and 3 differ by case and plural: canGetAndSetFMUstate and canGetAndSetFMUState.
  static std::string same_but_for_case_or_plural(std::string_view name, const ElementType& type) {
    const auto plain = [](std::string_view text) {
      std::string result;
      for (const char c : text)
        result += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
      if (!result.empty() && result.back() == 's') result.pop_back();
      return result;
    };
    for (const auto& [known, required] : type.attributes)
      if (plain(known) == plain(name)) return known;
    return {};
  }

  void check_children(pugi::xml_node node, const ElementType& type) {
    std::vector<std::size_t> counts(type.sequence.size());
    std::size_t place = 0;
    for (const pugi::xml_node child : node.children()) {
      if (child.type() != pugi::node_element) continue;
      const auto known = type.children.find(std::string_view(child.name()));
      if (known == type.children.end()) {
        report(true, child, element(child) + " does not belong in " + element(node), "remove it");
        continue;
      }
      if (known->second.place < place)
        report(true, child, element(child) + " must come before " + type.sequence[place].names,
               "write the elements in the order of the standard");
      place = std::max(place, known->second.place);
      ++counts[known->second.place];
      check(child, known->second.entry);
    }
    for (std::size_t i = 0; i < counts.size(); ++i) check_count(node, type.sequence[i], counts[i]);
  }

  void check_count(pugi::xml_node node, const Sequence& sequence, std::size_t count) {
    const bool needed = sequence.often == '!' || sequence.often == '+';
    const bool single = sequence.often == '!' || sequence.often == '?';
    if (needed && count == 0)
      report(true, node, element(node) + " lacks " + sequence.names,
             "add it, or leave an empty list out altogether");
    if (single && count > 1)
      report(true, node,
             element(node) + " has " + std::to_string(count) + " times " + sequence.names,
             "keep one");
  }

  static std::string element(pugi::xml_node node) { return std::string("<") + node.name() + ">"; }

  void report(bool order, pugi::xml_node node, std::string what, std::string advice) {
    found_({order, xml_.line(node), std::move(what), std::move(advice)});
  }

  const import::XmlFile& xml_;
  const Schema& schema_;
  const std::function<void(const SchemaFinding&)>& found_;
};

}  // namespace

void check_against_schema(const import::XmlFile& xml, import::FmiVersion version,
                          const std::function<void(const SchemaFinding&)>& found) {
  static const Schema fmi2 = make_schema(fmi2_entries, interface2);
  static const Schema fmi3 = make_schema(fmi3_entries, interface3);
  Walk(xml, version == import::FmiVersion::fmi2 ? fmi2 : fmi3, found)
      .check(xml.root(), "fmiModelDescription");
}

}  // namespace mbs::check_fmu
