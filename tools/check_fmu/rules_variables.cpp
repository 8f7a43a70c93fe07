// Rules M about single variables: names, kinds, start values, aliases.
#include <algorithm>
#include <cmath>
#include <map>

#include "tools/check_fmu/subject.hpp"
#include "tools/import/structured_name.hpp"

namespace mbs::check_fmu {
namespace {

using import::Causality;
using import::Initial;
using import::Value;
using import::Variability;
using import::Variable;
using import::VariableType;

void check_name(const Subject& subject, Report& report, const std::string& name, int line,
                std::map<std::string, int>& lines) {
  if (name.empty()) {
    report.error(line, "a variable has no name", "name it");
    return;
  }
  const auto [first, is_new] = lines.emplace(name, line);
  if (!is_new)
    report.error(line,
                 "the name " + in_quotes(name) + " is used in line " +
                     std::to_string(first->second) + " already",
                 "rename one of them");
  if (name.find_first_of("\r\n\t") != std::string::npos)
    report.error(line, "the name " + in_quotes(name) + " has a line break or tab", "take it out");
  else if (subject.description.naming_convention == "structured" && !is_structured_name(name))
    report.error(line, "the name " + in_quotes(name) + " is no structured name",
                 "rename it, put the part into '...', or use variableNamingConvention=\"flat\"");
}

void check_initial(const Subject& subject, Report& report, const Variable& variable) {
  const auto allowed =
      allowed_initial(subject.description.version, variable.causality, variable.variability);
  const std::string who = in_quotes(variable.name);
  if (!allowed) {
    report.error(variable.line,
                 who + ": causality " + std::string(to_text(variable.causality)) +
                     " does not go with variability " + std::string(to_text(variable.variability)),
                 "parameters are fixed or tunable; inputs and outputs discrete or continuous");
    return;
  }
  if (!variable.has_initial) return;
  if (allowed->empty())
    report.error(variable.line,
                 who + " is " + std::string(to_text(variable.causality)) + " and has initial",
                 "leave the attribute initial out");
  else if (std::find(allowed->begin(), allowed->end(), *variable.initial) == allowed->end())
    report.error(variable.line,
                 who + ": initial=\"" + std::string(to_text(*variable.initial)) +
                     "\" is not allowed for causality " + std::string(to_text(variable.causality)) +
                     " and variability " + std::string(to_text(variable.variability)),
                 "leave it out: the default is " + std::string(to_text(allowed->front())));
}

void check_start(Report& report, const Variable& variable) {
  if (variable.type == VariableType::clock) return;
  const bool needed = variable.causality == Causality::input ||
                      (variable.initial && *variable.initial != Initial::calculated);
  if (needed && !variable.start_text)
    report.error(variable.line, in_quotes(variable.name) + " needs a start value", "add start");
  const bool forbidden = variable.causality == Causality::independent ||
                         (variable.initial && *variable.initial == Initial::calculated);
  if (forbidden && !needed && variable.start_text)
    report.error(variable.line,
                 in_quotes(variable.name) + " is " +
                     (variable.causality == Causality::independent ? "independent" : "calculated") +
                     " and has a start value",
                 "leave start out, or choose initial exact or approx");
}

// a < b, where both have one element
bool less(const Value& a, const Value& b, VariableType type, std::size_t i) {
  if (const auto* reals = std::get_if<import::Reals>(&a))
    return (*reals)[i] < std::get<import::Reals>(b)[0];
  const std::int64_t x = std::get<import::Integers>(a)[i], y = std::get<import::Integers>(b)[0];
  return type == VariableType::uint64
             ? static_cast<std::uint64_t>(x) < static_cast<std::uint64_t>(y)
             : x < y;
}

bool greater(const Value& a, const Value& b, VariableType type, std::size_t i) {
  if (const auto* reals = std::get_if<import::Reals>(&a))
    return (*reals)[i] > std::get<import::Reals>(b)[0];
  const std::int64_t x = std::get<import::Integers>(a)[i], y = std::get<import::Integers>(b)[0];
  return type == VariableType::uint64
             ? static_cast<std::uint64_t>(x) > static_cast<std::uint64_t>(y)
             : x > y;
}

std::size_t size(const Value& value) {
  return std::visit([](const auto& elements) { return elements.size(); }, value);
}

void check_enumeration_start(const Subject& subject, Report& report, const Variable& variable) {
  const auto* values = variable.start ? std::get_if<import::Integers>(&*variable.start) : nullptr;
  if (variable.type != VariableType::enumeration || !values) return;
  for (const import::TypeDefinition& type : subject.description.types) {
    if (type.name != variable.declared_type || type.type != variable.type) continue;
    for (const std::int64_t value : *values)
      if (std::none_of(type.items.begin(), type.items.end(),
                       [value](const auto& item) { return item.value == value; }))
        report.error(variable.line,
                     "start " + std::to_string(value) + " of " + in_quotes(variable.name) +
                         " is no item of " + in_quotes(type.name),
                     "choose the value of an item");
  }
}

void check_limits(Report& report, const Variable& variable) {
  const import::Attributes& a = variable.attributes;
  const std::string who = in_quotes(variable.name);
  const auto text = [&](const Value& value) { return import::to_text(value, variable.type); };
  if (a.nominal && !(*a.nominal > 0))
    report.error(variable.line,
                 "nominal " + import::to_text(*a.nominal) + " of " + who + " is not positive",
                 "give the order of magnitude, without sign");
  if (a.min && a.max && less(*a.max, *a.min, variable.type, 0))
    report.error(variable.line,
                 "max " + text(*a.max) + " of " + who + " is below min " + text(*a.min),
                 "exchange them");
  if (!variable.start) return;
  for (std::size_t i = 0; i < size(*variable.start); ++i) {
    if (a.min && less(*variable.start, *a.min, variable.type, i))
      report.error(
          variable.line,
          "start " + text(*variable.start) + " of " + who + " is below min " + text(*a.min),
          "choose a start value within the bounds");
    if (a.max && greater(*variable.start, *a.max, variable.type, i))
      report.error(
          variable.line,
          "start " + text(*variable.start) + " of " + who + " is above max " + text(*a.max),
          "choose a start value within the bounds");
  }
}

bool is_settable(const Variable& variable) {
  return variable.causality == Causality::input || variable.causality == Causality::parameter;
}

// FMI 2: the same reference within a base type is the same value.
void check_alias_set(Report& report, const std::vector<const Variable*>& set) {
  const Variable& first = *set.front();
  std::size_t starts = 0, settable = 0, constants = 0;
  for (const Variable* variable : set) {
    starts += variable->start_text ? 1 : 0;
    settable += is_settable(*variable) ? 1 : 0;
    constants += variable->variability == Variability::constant ? 1 : 0;
    if (variable->attributes.unit != first.attributes.unit)
      report.error(variable->line,
                   in_quotes(variable->name) + " and its alias " + in_quotes(first.name) +
                       " have different units",
                   "give aliases the same unit, or their own value references");
  }
  const Variable& last = *set.back();
  const std::string who = in_quotes(last.name) + " and its alias " + in_quotes(first.name);
  if (settable > 1)
    report.error(last.line, who + " can both be set", "let one alias be parameter or input");
  if (constants != 0 && constants != set.size())
    report.error(last.line, who + ": one is constant and one is not",
                 "give them their own value references");
  if (constants == 0 && starts > 1)
    report.error(last.line, who + " have " + std::to_string(starts) + " start values",
                 "keep start on one of them");
}

enum class Base { real, integer, boolean, string };

Base base_type(VariableType type) {
  switch (type) {
    case VariableType::boolean:
      return Base::boolean;
    case VariableType::string:
      return Base::string;
    case VariableType::int32:
    case VariableType::enumeration:
      return Base::integer;
    default:
      return Base::real;
  }
}

}  // namespace

void check_numbers(const Subject& subject, Report& report) {
  if (!subject.is_fmi2()) return;
  for (const Variable& variable : subject.description.variables) {
    const import::Attributes& a = variable.attributes;
    for (const std::optional<Value>* value : {&variable.start, &a.min, &a.max}) {
      const auto* reals = *value ? std::get_if<import::Reals>(&**value) : nullptr;
      if (reals && !std::isfinite(reals->front()))
        report.error(variable.line, in_quotes(variable.name) + " has a number that is not finite",
                     "FMI 2 has no INF and NaN: leave the attribute out");
    }
  }
}

void check_names(const Subject& subject, Report& report) {
  std::map<std::string, int> lines;
  for (const Variable& variable : subject.description.variables) {
    check_name(subject, report, variable.name, variable.line, lines);
    for (const import::Alias& alias : variable.aliases)
      check_name(subject, report, alias.name, alias.line, lines);
  }
}

void check_combinations(const Subject& subject, Report& report) {
  for (const Variable& variable : subject.description.variables) {
    if (variable.type != VariableType::clock) check_initial(subject, report, variable);
    check_start(report, variable);
  }
}

void check_continuous(const Subject& subject, Report& report) {
  for (const Variable& variable : subject.description.variables)
    if (!import::is_real(variable.type) && variable.variability == Variability::continuous)
      report.error(variable.line,
                   in_quotes(variable.name) + " is a " + std::string(type_name(variable.type)) +
                       " and continuous",
                   variable.has_variability ? "make it discrete"
                                            : "write variability: the default is continuous");
}

void check_independent(const Subject& subject, Report& report) {
  std::size_t count = 0;
  for (const Variable& variable : subject.description.variables) {
    if (variable.causality != Causality::independent) continue;
    if (++count > 1)
      report.error(variable.line, in_quotes(variable.name) + " is a second independent variable",
                   "keep one");
    if (!import::is_real(variable.type))
      report.error(variable.line,
                   "the independent variable is a " + std::string(type_name(variable.type)),
                   "make it a floating-point variable");
  }
  if (!subject.is_fmi2() && count == 0)
    report.error(0, "has no independent variable",
                 "add a Float64 with causality=\"independent\", usually time");
}

void check_value_references(const Subject& subject, Report& report) {
  std::map<std::pair<Base, std::uint32_t>, std::vector<const Variable*>> sets;
  for (const Variable& variable : subject.description.variables)
    sets[{subject.is_fmi2() ? base_type(variable.type) : Base::real, variable.reference}].push_back(
        &variable);
  for (const auto& [key, set] : sets) {
    if (set.size() == 1) continue;
    if (subject.is_fmi2())
      check_alias_set(report, set);
    else
      report.error(set.back()->line,
                   in_quotes(set.back()->name) + " has the value reference of " +
                       in_quotes(set.front()->name) + ", " + std::to_string(key.second),
                   "use <Alias> for another name, or another value reference");
  }
}

void check_bounds(const Subject& subject, Report& report) {
  for (const Variable& variable : subject.description.variables) {
    check_limits(report, variable);
    check_enumeration_start(subject, report, variable);
  }
}

}  // namespace mbs::check_fmu
