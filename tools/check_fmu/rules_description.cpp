// Rules M about the description as a whole: its form, units, dates, capabilities.
#include <algorithm>
#include <cctype>
#include <map>

#include "tools/check_fmu/schema.hpp"
#include "tools/check_fmu/subject.hpp"

namespace mbs::check_fmu {
namespace {

using import::Attributes;
using import::ModelDescription;
using import::Unit;
using import::VariableType;

// A list attribute has single blanks between its keywords and none around.
bool has_surplus_blanks(std::string_view text) {
  if (text.empty()) return false;
  return text.front() == ' ' || text.back() == ' ' || text.find("  ") != std::string_view::npos ||
         text.find_first_of("\t\r\n") != std::string_view::npos;
}

void check_list_attribute(const Subject& subject, Report& report, pugi::xml_node node,
                          const char* name) {
  const std::string_view text = node.attribute(name).value();
  if (has_surplus_blanks(text))
    report.error(
        subject.xml.line(node),
        std::string("attribute ") + name + "=\"" + std::string(text) + "\" has surplus blanks",
        "separate by one blank and put none around: some importers crash");
}

void check_dependency_lists(const Subject& subject, Report& report, pugi::xml_node list) {
  for (const pugi::xml_node unknown : list.children()) {
    check_list_attribute(subject, report, unknown, "dependencies");
    check_list_attribute(subject, report, unknown, "dependenciesKind");
  }
}

bool has_display_unit(const Unit& unit, const std::string& name) {
  return std::any_of(unit.display_units.begin(), unit.display_units.end(),
                     [&](const import::DisplayUnit& d) { return d.name == name; });
}

struct UnitUse {
  std::string who;
  const Attributes& attributes;
  int line;
};

void check_unit_use(const ModelDescription& description, const UnitUse& use, Report& report) {
  const Attributes& a = use.attributes;
  const Unit* unit = a.has_unit ? description.find_unit(a.unit) : nullptr;
  if (a.has_unit && !unit)
    report.error(
        use.line, "unit " + in_quotes(a.unit) + " of " + use.who + " is not defined",
        a.unit.empty() ? "leave the attribute out for no unit" : "add it to <UnitDefinitions>");
  if (!a.has_display_unit) return;
  if (!a.has_unit)
    report.error(use.line, use.who + " has a displayUnit and no unit", "add the unit");
  else if (unit && !has_display_unit(*unit, a.display_unit))
    report.error(use.line,
                 "display unit " + in_quotes(a.display_unit) + " of " + use.who +
                     " is not defined under the unit " + in_quotes(a.unit),
                 "add <DisplayUnit> there");
}

void check_unit_definitions(const Subject& subject, Report& report) {
  std::map<std::string, int> seen;
  for (const Unit& unit : subject.description.units) {
    if (unit.name.empty())
      report.advice(unit.line, "defines a unit without a name",
                    "leave the attribute unit out where there is none");
    if (!seen.emplace(unit.name, unit.line).second)
      report.error(unit.line, "unit " + in_quotes(unit.name) + " is defined twice", "keep one");
    std::set<std::string> display_names;
    for (const import::DisplayUnit& display : unit.display_units) {
      if (!display_names.insert(display.name).second)
        report.error(unit.line, "display unit " + in_quotes(display.name) + " is defined twice",
                     "keep one");
      if (display.inverse && display.offset != 0)
        report.error(unit.line,
                     "display unit " + in_quotes(display.name) + " has inverse and offset",
                     "use one of them");
    }
  }
}

void check_declared_type(const Subject& subject, const import::Variable& variable, Report& report) {
  if (variable.declared_type.empty()) {
    if (variable.type == VariableType::enumeration)
      report.error(variable.line, "enumeration " + in_quotes(variable.name) + " declares no type",
                   "define one and name it in declaredType");
    return;
  }
  const auto& types = subject.description.types;
  const auto type = std::find_if(types.begin(), types.end(),
                                 [&](const auto& t) { return t.name == variable.declared_type; });
  if (type == types.end())
    report.error(variable.line,
                 "declared type " + in_quotes(variable.declared_type) + " of " +
                     in_quotes(variable.name) + " is not defined",
                 "add it to <TypeDefinitions>");
  else if (type->type != variable.type)
    report.error(variable.line,
                 "declared type " + in_quotes(variable.declared_type) + " of " +
                     in_quotes(variable.name) + " is a " + std::string(type_name(type->type)),
                 "declare a type that fits");
}

bool is_standard_category(std::string_view name, bool fmi2) {
  static const std::set<std::string_view> both = {"logEvents",           "logSingularLinearSystems",
                                                  "logNonlinearSystems", "logDynamicStateSelection",
                                                  "logStatusWarning",    "logStatusDiscard",
                                                  "logStatusError",      "logStatusFatal"};
  return both.contains(name) || (fmi2 && (name == "logStatusPending" || name == "logAll"));
}

// YYYY-MM-DDThh:mm:ssZ
bool is_utc_time(std::string_view text) {
  constexpr std::string_view pattern = "0000-00-00T00:00:00Z";
  if (text.size() != pattern.size()) return false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const bool digit = std::isdigit(static_cast<unsigned char>(text[i])) != 0;
    if (pattern[i] == '0' ? !digit : text[i] != pattern[i]) return false;
  }
  const auto number = [&](std::size_t at) { return (text[at] - '0') * 10 + (text[at + 1] - '0'); };
  const int month = number(5), day = number(8);
  return month >= 1 && month <= 12 && day >= 1 && day <= 31 && number(11) < 24 && number(14) < 60 &&
         number(17) < 60;
}

}  // namespace

void check_header(const Subject& subject, Report& report) {
  const std::string first = subject.xml.text().substr(0, subject.xml.text().find('\n'));
  std::string lower;
  for (const char c : first)
    lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (!lower.starts_with("<?xml ") || (lower.find("encoding=\"utf-8\"") == std::string::npos &&
                                       lower.find("encoding='utf-8'") == std::string::npos))
    report.error(1, "the first line does not declare UTF-8",
                 "begin with <?xml version=\"1.0\" encoding=\"UTF-8\"?>");
  const std::string expected = subject.is_fmi2() ? "2.0" : "3.0";
  if (subject.description.version_text != expected)
    report.error(subject.xml.line(subject.xml.root()),
                 "fmiVersion is " + in_quotes(subject.description.version_text),
                 "write " + expected + ": importers refuse patch numbers");
}

void check_token(const Subject& subject, Report& report) {
  if (subject.description.token.empty())
    report.error(subject.xml.line(subject.xml.root()),
                 subject.is_fmi2() ? "guid is empty" : "instantiationToken is empty",
                 "write a hash of the interface there");
}

void check_date(const Subject& subject, Report& report) {
  const std::string& date = subject.description.generation_date;
  if (!date.empty() && !is_utc_time(date))
    report.error(subject.xml.line(subject.xml.root()),
                 "generationDateAndTime " + in_quotes(date) + " is no time in UTC",
                 "write it like 2024-01-31T12:00:00Z");
}

void check_units(const Subject& subject, Report& report) {
  check_unit_definitions(subject, report);
  std::set<std::string> names;
  for (const import::TypeDefinition& type : subject.description.types) {
    if (!names.insert(type.name).second)
      report.error(type.line, "type " + in_quotes(type.name) + " is defined twice", "keep one");
    check_unit_use(subject.description,
                   {"type " + in_quotes(type.name), type.attributes, type.line}, report);
  }
  for (const import::Variable& variable : subject.description.variables) {
    check_declared_type(subject, variable, report);
    check_unit_use(subject.description,
                   {in_quotes(variable.name), variable.attributes, variable.line}, report);
    for (const import::Alias& alias : variable.aliases) {
      const Unit* unit = subject.description.find_unit(variable.attributes.unit);
      if (!alias.display_unit.empty() && (!unit || !has_display_unit(*unit, alias.display_unit)))
        report.error(alias.line,
                     "display unit " + in_quotes(alias.display_unit) + " of the alias " +
                         in_quotes(alias.name) + " is not defined under the variable's unit",
                     "add <DisplayUnit> there");
    }
  }
}

void check_experiment(const Subject& subject, Report& report) {
  const auto& experiment = subject.description.default_experiment;
  if (!experiment) {
    report.advice(0, "has no <DefaultExperiment>",
                  "add it with startTime, stopTime, tolerance and stepSize");
    return;
  }
  const import::DefaultExperiment& e = *experiment;
  std::string missing;
  for (const char* name : {"startTime", "stopTime", "tolerance", "stepSize"})
    if (!subject.xml.root().child("DefaultExperiment").attribute(name))
      missing += std::string(" ") + name;
  if (!missing.empty())
    report.advice(e.line, "<DefaultExperiment> lacks" + missing, "give all four");
  if (e.stop && !(*e.stop > e.start.value_or(0)))
    report.error(e.line,
                 "stopTime " + import::to_text(*e.stop) + " is not beyond startTime " +
                     import::to_text(e.start.value_or(0)),
                 "choose a later stop time");
  if (e.step && !(*e.step > 0))
    report.error(e.line, "stepSize " + import::to_text(*e.step) + " is not positive",
                 "choose a positive one");
  if (e.tolerance && !(*e.tolerance > 0))
    report.error(e.line, "tolerance " + import::to_text(*e.tolerance) + " is not positive",
                 "choose a positive one");
}

void check_schema(const Subject& subject, Report& report) {
  std::set<int> lines;
  check_against_schema(subject.xml, subject.description.version, [&](const SchemaFinding& found) {
    if (found.is_about_order) return;
    report.error(found.line, found.what, found.advice);
    lines.insert(found.line);
  });
  for (const import::Problem& problem : subject.description.problems)
    if (!lines.contains(problem.line)) report.error(problem.line, problem.what, "");
}

void check_order(const Subject& subject, Report& report) {
  check_against_schema(subject.xml, subject.description.version, [&](const SchemaFinding& found) {
    if (found.is_about_order) report.error(found.line, found.what, found.advice);
  });
}

void check_memory_functions(const Subject& subject, Report& report) {
  const auto& cs = subject.description.co_simulation;
  if (subject.is_fmi2() && cs && !cs->can_not_use_memory_management)
    report.advice(cs->line, "canNotUseMemoryManagementFunctions is not true",
                  "set it and use malloc or new: importers may pass no memory functions");
}

void check_ignored(const Subject& subject, Report& report) {
  const ModelDescription& d = subject.description;
  if (d.model_exchange) return;
  if (!d.structure.derivatives.empty() && subject.ignores_derivatives())
    report.advice(d.structure.derivatives.front().line,
                  std::string(subject.is_fmi2() ? "<Derivatives>" : "<ContinuousStateDerivative>") +
                      " is ignored in co-simulation without directional derivatives",
                  "leave it out, or provide directional derivatives");
  if (!d.structure.event_indicators.empty())
    report.advice(d.structure.event_indicators.front().line,
                  "<EventIndicator> is ignored in co-simulation", "leave it out");
  if (!subject.is_fmi2()) return;
  for (const import::Variable& variable : d.variables)
    if (variable.reinit)
      report.error(variable.line, in_quotes(variable.name) + " has reinit in a co-simulation FMU",
                   "leave reinit out: it belongs to model exchange");
  const pugi::xml_attribute indicators = subject.xml.root().attribute("numberOfEventIndicators");
  if (indicators && indicators.as_uint() != 0)
    report.advice(subject.xml.line(subject.xml.root()),
                  "numberOfEventIndicators is ignored in co-simulation", "leave it out");
}

void check_lists(const Subject& subject, Report& report) {
  const pugi::xml_node root = subject.xml.root();
  for (const pugi::xml_node variable : root.child("ModelVariables").children()) {
    check_list_attribute(subject, report, variable, "clocks");
    if (std::string_view(variable.name()) != "String")
      check_list_attribute(subject, report, variable, "start");
  }
  const pugi::xml_node structure = root.child("ModelStructure");
  check_dependency_lists(subject, report, structure);
  for (const pugi::xml_node list : structure.children())
    check_dependency_lists(subject, report, list);
}

void check_log_categories(const Subject& subject, Report& report) {
  const auto& categories = subject.description.log_categories;
  if (categories.empty())
    report.advice(
        0, "declares no log categories",
        "declare those used: without any, the category must be null, and importers crash");
  std::set<std::string> names;
  for (const import::LogCategory& category : categories) {
    if (category.name.empty())
      report.error(category.line, "a log category has no name", "name it");
    else if (!is_standard_category(category.name, subject.is_fmi2()))
      report.advice(category.line,
                    "log category " + in_quotes(category.name) + " is none of the standard",
                    "importers know logEvents, logNonlinearSystems, logStatusError and the like");
    if (!names.insert(category.name).second)
      report.error(category.line, "log category " + in_quotes(category.name) + " is there twice",
                   "keep one");
  }
}

}  // namespace mbs::check_fmu
