// Rules about capabilities that belong together, most of them of FMI 3: early return,
// intermediate update, clocks, arrays, saved states.
#include <algorithm>
#include <map>

#include "tools/check_fmu/subject.hpp"

namespace mbs::check_fmu {
namespace {

using import::Causality;
using import::Variability;
using import::Variable;
using import::VariableType;

void check_dimension(const std::map<std::uint32_t, const Variable*>& by_reference, Report& report,
                     const Variable& variable, const import::Dimension& dimension) {
  const std::string who = in_quotes(variable.name);
  if (variable.causality == Causality::structural_parameter) {
    report.error(variable.line, "the structural parameter " + who + " is an array",
                 "make it scalars");
    return;
  }
  if (dimension.start.has_value() == dimension.reference.has_value()) {
    report.error(variable.line,
                 "a dimension of " + who + " has both start and valueReference, or none",
                 "give one of them");
    return;
  }
  if (dimension.start) {
    if (*dimension.start == 0)
      report.error(variable.line, "a dimension of " + who + " is 0", "give a positive size");
    return;
  }
  const auto found = by_reference.find(*dimension.reference);
  if (found == by_reference.end())
    report.error(variable.line,
                 "a dimension of " + who + " refers to " + std::to_string(*dimension.reference) +
                     ", which is no variable",
                 "refer to a structural parameter");
  else if (found->second->type != VariableType::uint64 ||
           (found->second->causality != Causality::structural_parameter &&
            found->second->variability != Variability::constant))
    report.error(variable.line,
                 "a dimension of " + who + " refers to " + in_quotes(found->second->name),
                 "refer to a UInt64 that is constant or a structural parameter");
  else if (found->second->start && *found->second->start == import::Value(import::Integers{0}))
    report.error(variable.line,
                 "a dimension of " + who + " is " + in_quotes(found->second->name) + ", which is 0",
                 "start with a positive size");
}

// A state and its derivative, element by element.
void check_same_sizes(const Subject& subject,
                      const std::map<std::uint32_t, const Variable*>& by_reference, Report& report,
                      const Variable& variable) {
  if (!variable.derivative) return;
  const auto state = by_reference.find(*variable.derivative);
  if (state == by_reference.end()) return;
  if (import::dimension_sizes(subject.description, variable) !=
      import::dimension_sizes(subject.description, *state->second))
    report.error(variable.line,
                 in_quotes(variable.name) + " has other dimensions than " +
                     in_quotes(state->second->name) + ", whose derivative it is",
                 "give both the same");
}

void check_start_count(const Subject& subject, Report& report, const Variable& variable) {
  if (!variable.start) return;
  const auto count = element_count(subject.description, variable);
  const std::size_t given = std::visit([](const auto& v) { return v.size(); }, *variable.start);
  if (count && *count > 0 && given != 1 && given != *count)
    report.error(variable.line,
                 in_quotes(variable.name) + " has " + std::to_string(*count) + " elements and " +
                     std::to_string(given) + " start values",
                 "give one for each element, or a single one for all");
}

// The standard has no such rule, but no importer can use such arrays, this one included.
void check_size(const Subject& subject, Report& report, const Variable& variable) {
  const auto count = element_count(subject.description, variable);
  if (count && *count > import::most_elements)
    report.advice(variable.line,
                  in_quotes(variable.name) + " has " + std::to_string(*count) +
                      " elements, more than " + std::to_string(import::most_elements),
                  "give it a smaller size at the start; its values are not checked");
}

bool is_periodic(const std::string& variability) {
  return variability == "constant" || variability == "fixed" || variability == "tunable";
}

}  // namespace

void check_early_return(const Subject& subject, Report& report) {
  const auto& cs = subject.description.co_simulation;
  if (cs && cs->can_return_early_after_intermediate_update && !cs->provides_intermediate_update)
    report.error(cs->line,
                 "canReturnEarlyAfterIntermediateUpdate without providesIntermediateUpdate",
                 "set both or none");
}

void check_intermediate_update(const Subject& subject, Report& report) {
  const auto& cs = subject.description.co_simulation;
  for (const Variable& variable : subject.description.variables) {
    if (!variable.intermediate_update) continue;
    if (variable.variability != Variability::continuous)
      report.error(variable.line,
                   in_quotes(variable.name) + " is not continuous and has intermediateUpdate",
                   "leave intermediateUpdate out");
    if (cs && !cs->provides_intermediate_update)
      report.advice(
          variable.line,
          in_quotes(variable.name) +
              " has intermediateUpdate, but the FMU does not provide intermediate updates",
          "set providesIntermediateUpdate or leave it out");
  }
}

void check_clocks(const Subject& subject, Report& report) {
  const auto& cs = subject.description.co_simulation;
  std::set<std::uint32_t> clocks;
  for (const Variable& variable : subject.description.variables)
    if (variable.type == VariableType::clock) clocks.insert(variable.reference);
  for (const Variable& variable : subject.description.variables) {
    for (const std::uint32_t clock : variable.clocks)
      if (!clocks.contains(clock))
        report.error(variable.line,
                     in_quotes(variable.name) + " names the clock " + std::to_string(clock) +
                         ", which is no clock",
                     "give value references of clocks");
    if (!variable.clocks.empty() && variable.variability != Variability::discrete &&
        variable.variability != Variability::tunable)
      report.error(variable.line,
                   in_quotes(variable.name) + " has clocks and is " +
                       std::string(to_text(variable.variability)),
                   "make it discrete or tunable, or leave clocks out");
    if (variable.type != VariableType::clock) continue;
    const bool periodic = is_periodic(variable.interval_variability);
    if (variable.variability != Variability::discrete)
      report.error(variable.line, "clock " + in_quotes(variable.name) + " is not discrete",
                   "make it discrete");
    if (variable.causality == Causality::output && variable.interval_variability != "triggered")
      report.error(variable.line, "output clock " + in_quotes(variable.name) + " is not triggered",
                   "time-based clocks are inputs");
    if (variable.interval_variability != "triggered" && variable.causality == Causality::local)
      report.error(variable.line, "local clock " + in_quotes(variable.name) + " is not triggered",
                   "time-based clocks are inputs");
    // A fixed or tunable interval may be read instead.
    if (variable.interval_variability == "constant" && !variable.interval_decimal)
      report.error(variable.line, "clock " + in_quotes(variable.name) + " has no interval",
                   "add intervalDecimal");
    if (!periodic && variable.interval_decimal)
      report.error(variable.line, "clock " + in_quotes(variable.name) + " has an interval",
                   "leave intervalDecimal out: it is for constant, fixed and tunable intervals");
    if (periodic && variable.interval_decimal && !(*variable.interval_decimal > 0))
      report.error(variable.line,
                   "the interval of clock " + in_quotes(variable.name) + " is not positive",
                   "choose a positive one");
  }
  if (!clocks.empty() && cs && !cs->has_event_mode)
    report.error(cs->line, "has clocks and no event mode", "set hasEventMode");
}

void check_arrays(const Subject& subject, Report& report) {
  if (subject.is_fmi2()) return;
  std::map<std::uint32_t, const Variable*> by_reference;
  for (const Variable& variable : subject.description.variables)
    by_reference.emplace(variable.reference, &variable);
  for (const Variable& variable : subject.description.variables) {
    for (const import::Dimension& dimension : variable.dimensions)
      check_dimension(by_reference, report, variable, dimension);
    check_same_sizes(subject, by_reference, report, variable);
    check_start_count(subject, report, variable);
    check_size(subject, report, variable);
  }
}

void check_state_capabilities(const Subject& subject, Report& report) {
  const import::ModelDescription& d = subject.description;
  for (const auto* interface : {&d.model_exchange, &d.co_simulation, &d.scheduled_execution})
    if (*interface && (*interface)->can_serialize_state && !(*interface)->can_get_and_set_state)
      report.error((*interface)->line, "the state can be serialized but not saved",
                   "set the capability to get and set the state too");
}

}  // namespace mbs::check_fmu
