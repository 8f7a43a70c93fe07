// Rules S: the model structure against the variables.
#include <algorithm>
#include <iterator>
#include <map>

#include "tools/check_fmu/subject.hpp"

namespace mbs::check_fmu {
namespace {

using import::Causality;
using import::Initial;
using import::ModelDescription;
using import::Unknown;
using import::Variable;

constexpr std::size_t most_names = 8;  // in one message

std::string element_name(const Subject& subject, const std::string& fmi3) {
  return subject.is_fmi2() ? "<" + fmi3 + "s>" : "<" + fmi3 + ">";
}

std::string join(const ModelDescription& description, const std::set<std::size_t>& positions) {
  std::string text;
  std::size_t count = 0;
  for (const std::size_t position : positions) {
    if (count++ == most_names)
      return text + " and " + std::to_string(positions.size() - most_names) + " more";
    text += (count == 1 ? "" : ", ") + in_quotes(description.variables[position].name);
  }
  return text;
}

std::set<std::size_t> difference(const std::set<std::size_t>& a, const std::set<std::size_t>& b) {
  std::set<std::size_t> result;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::inserter(result, result.end()));
  return result;
}

// The variables of a list. Reports variables that are declared twice or do not exist.
std::set<std::size_t> declared_unknowns(Report& report, const std::vector<Unknown>& list,
                                        const std::string& name) {
  std::set<std::size_t> positions;
  for (const Unknown& unknown : list) {
    if (!unknown.variable)
      report.error(unknown.line,
                   name + " lists " + std::to_string(unknown.given) + ", which is no variable",
                   "list variables that exist");
    else if (!positions.insert(*unknown.variable).second)
      report.error(unknown.line, name + " lists " + std::to_string(unknown.given) + " twice",
                   "list it once");
  }
  return positions;
}

void compare(const Subject& subject, Report& report, const std::string& name,
             const std::set<std::size_t>& expected, const std::set<std::size_t>& found) {
  const ModelDescription& d = subject.description;
  const auto missing = difference(expected, found), surplus = difference(found, expected);
  if (!missing.empty())
    report.error(d.structure.line, name + " lacks " + join(d, missing), "add them");
  if (!surplus.empty())
    report.error(d.structure.line, name + " must not list " + join(d, surplus), "take them out");
}

bool starts_unknown(const Variable& variable) {
  return variable.initial && *variable.initial != Initial::exact;
}

// Position of the state that a derivative belongs to.
std::optional<std::size_t> state_of(const ModelDescription& description,
                                    const Unknown& derivative) {
  if (!derivative.variable) return std::nullopt;
  const auto& reference = description.variables[*derivative.variable].derivative;
  return reference ? description.position(*reference) : std::nullopt;
}

// The states on which an unknown may depend: those whose derivatives are declared, where that
// counts.
std::set<std::size_t> states(const Subject& subject) {
  const ModelDescription& description = subject.description;
  std::set<std::size_t> positions;
  if (subject.is_fmi2() && subject.ignores_derivatives()) return positions;
  for (const Unknown& derivative : description.structure.derivatives)
    if (const auto state = state_of(description, derivative)) positions.insert(*state);
  return positions;
}

bool is_parameter(const Variable& variable) {
  return variable.causality == Causality::parameter ||
         variable.causality == Causality::structural_parameter;
}

// Whether an unknown may depend on this variable.
bool is_known(const Subject& subject, std::size_t position, const std::set<std::size_t>& all_states,
              bool initially) {
  const Variable& variable = subject.description.variables[position];
  if (variable.causality == Causality::input || variable.causality == Causality::independent)
    return true;
  if (initially) return variable.initial && *variable.initial == Initial::exact;
  if (is_parameter(variable)) return !subject.is_fmi2();
  return all_states.contains(position) || (!subject.is_fmi2() && variable.previous);
}

using Positions = std::map<std::uint32_t, std::size_t>;

Positions positions_by_given(const Subject& subject) {
  Positions positions;
  const auto& variables = subject.description.variables;
  for (std::size_t i = 0; i < variables.size(); ++i)
    positions.emplace(
        subject.is_fmi2() ? static_cast<std::uint32_t>(i + 1) : variables[i].reference, i);
  return positions;
}

void report_unknown(Report& report, int line, const Variable& variable, bool initially) {
  const std::string what = "dependency " + in_quotes(variable.name) + " is not known ";
  if (initially)
    report.error(line, what + "in initialization",
                 "list inputs, variables with initial=\"exact\", independent");
  else if (is_parameter(variable))  // FMI 2: no importer is led astray by it
    report.advice(line, what + "outside of initialization: it is a parameter", "leave it out");
  else
    report.error(line, what + "there", "list inputs, states, independent");
}

void check_known(const Subject& subject, Report& report, const Unknown& unknown,
                 const Positions& positions, const std::set<std::size_t>& all_states,
                 bool initially) {
  std::set<std::uint32_t> seen;
  for (const std::uint32_t given : unknown.dependencies) {
    const auto position = positions.find(given);
    if (!seen.insert(given).second)
      report.error(unknown.line, "dependency " + std::to_string(given) + " is listed twice",
                   "list it once");
    else if (position == positions.end())
      report.error(unknown.line, "dependency " + std::to_string(given) + " is no variable",
                   subject.is_fmi2() ? "give the index of a variable, from 1"
                                     : "give the value reference of a variable");
    else if (!is_known(subject, position->second, all_states, initially))
      report_unknown(report, unknown.line, subject.description.variables[position->second],
                     initially);
  }
  if (subject.is_fmi2() &&
      !std::is_sorted(unknown.dependencies.begin(), unknown.dependencies.end()))
    report.error(unknown.line, "the dependencies are not in the order of the variables",
                 "sort them by index");
}

struct List {
  const std::vector<Unknown>& unknowns;
  bool initially;
};

std::vector<List> all_lists(const Subject& subject) {
  const import::ModelStructure& s = subject.description.structure;
  return {{s.outputs, false},
          {s.derivatives, false},
          {s.clocked_states, false},
          {s.initial_unknowns, true},
          {s.event_indicators, false}};
}

}  // namespace

void check_outputs(const Subject& subject, Report& report) {
  const ModelDescription& d = subject.description;
  std::set<std::size_t> expected;
  for (std::size_t i = 0; i < d.variables.size(); ++i)
    if (d.variables[i].causality == Causality::output) expected.insert(i);
  const std::string name = element_name(subject, "Output");
  compare(subject, report, name, expected, declared_unknowns(report, d.structure.outputs, name));
}

void check_initial_unknowns(const Subject& subject, Report& report) {
  const ModelDescription& d = subject.description;
  const std::string name = element_name(subject, "InitialUnknown");
  std::set<std::size_t> expected, clocked;
  for (std::size_t i = 0; i < d.variables.size(); ++i) {
    const Variable& variable = d.variables[i];
    if (!variable.clocks.empty())
      clocked.insert(i);
    else if (variable.causality == Causality::calculated_parameter ||
             (variable.causality == Causality::output && starts_unknown(variable)))
      expected.insert(i);
  }
  for (const Unknown& derivative : d.structure.derivatives) {
    if (!derivative.variable) continue;
    const Variable& variable = d.variables[*derivative.variable];
    const auto state = state_of(d, derivative);
    if (!state)
      report.error(derivative.line, in_quotes(variable.name) + " is no derivative of a variable",
                   "give it the attribute derivative");
    if (starts_unknown(variable)) expected.insert(*derivative.variable);
    if (state && starts_unknown(d.variables[*state])) expected.insert(*state);
  }
  const auto found = declared_unknowns(report, d.structure.initial_unknowns, name);
  // Clocked variables may be listed if the FMU initializes them.
  compare(subject, report, name, expected, difference(found, clocked));
  const auto& list = d.structure.initial_unknowns;
  for (std::size_t i = 1; subject.is_fmi2() && i < list.size(); ++i)
    if (list[i].given < list[i - 1].given)
      report.error(list[i].line, name + " is not in the order of the variables",
                   "sort it by index");
}

void check_dependencies(const Subject& subject, Report& report) {
  const Positions positions = positions_by_given(subject);
  const std::set<std::size_t> all_states = states(subject);
  for (const List& list : all_lists(subject)) {
    std::set<std::size_t> without;
    int line = 0;
    for (const Unknown& unknown : list.unknowns) {
      check_known(subject, report, unknown, positions, all_states, list.initially);
      if (unknown.has_dependencies || !unknown.variable) continue;
      if (without.empty()) line = unknown.line;
      without.insert(*unknown.variable);
    }
    if (!without.empty() && &list.unknowns == &subject.description.structure.outputs)
      report.advice(
          line,
          "no dependencies are given for " + join(subject.description, without) +
              ", which means: on everything",
          "list them, or dependencies=\"\" for none, so that importers see no false loops");
  }
}

void check_dependency_kinds(const Subject& subject, Report& report) {
  static const std::set<std::string> all = {"dependent", "constant", "fixed", "tunable",
                                            "discrete"};
  for (const List& list : all_lists(subject)) {
    for (const Unknown& unknown : list.unknowns) {
      if (unknown.has_kinds && !unknown.has_dependencies)
        report.error(unknown.line, "dependenciesKind without dependencies", "add dependencies");
      else if (unknown.has_kinds && unknown.kinds.size() != unknown.dependencies.size())
        report.error(unknown.line,
                     std::to_string(unknown.kinds.size()) + " kinds for " +
                         std::to_string(unknown.dependencies.size()) + " dependencies",
                     "give one kind for each dependency");
      for (const std::string& kind : unknown.kinds) {
        if (!all.contains(kind))
          report.error(unknown.line, in_quotes(kind) + " is no kind of dependency",
                       "use dependent, constant, fixed, tunable or discrete");
        else if (list.initially && kind != "dependent" && kind != "constant")
          report.error(unknown.line, "kind " + in_quotes(kind) + " in an initial unknown",
                       "only dependent and constant are allowed there");
      }
    }
  }
}

// Checks FMUs with states; M14 covers the others.
void check_reinit(const Subject& subject, Report& report) {
  if (subject.is_fmi2() && !subject.description.model_exchange) return;
  const std::set<std::size_t> all_states = states(subject);
  const auto& variables = subject.description.variables;
  for (std::size_t i = 0; i < variables.size(); ++i)
    if (variables[i].reinit && !all_states.contains(i))
      report.error(variables[i].line,
                   in_quotes(variables[i].name) + " has reinit but is no continuous state",
                   "leave reinit out, or list its derivative in the model structure");
}

}  // namespace mbs::check_fmu
