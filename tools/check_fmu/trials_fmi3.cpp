// Additions of FMI 3 to a step: event mode, early return, intermediate update, arrays.
#include <algorithm>
#include <cmath>

#include "tools/check_fmu/trial.hpp"

namespace mbs::check_fmu {
namespace {

using import::Status;
using import::Variable;

bool has_event_mode(const import::ModelDescription& d) {
  return fmi3_only(d) && d.co_simulation->has_event_mode;
}
bool has_no_event_mode(const import::ModelDescription& d) {
  return fmi3_only(d) && !d.co_simulation->has_event_mode;
}
bool has_output_clocks(const import::ModelDescription& d) {
  return has_event_mode(d) &&
         std::any_of(d.variables.begin(), d.variables.end(), [](const Variable& v) {
           return v.type == import::VariableType::clock && v.causality == import::Causality::output;
         });
}
bool updates(const import::ModelDescription& d) {
  return fmi3_only(d) && d.co_simulation->provides_intermediate_update;
}

void refuses_event_mode(Trial& trial) {
  trial.fmu();
  trial.parent().doing("Instantiate with eventModeUsed");
  try {
    const auto instance = trial.fmu().instantiate({.name = "check", .event_mode = true});
    trial.error("is instantiated with eventModeUsed = true although hasEventMode is false",
                "log and return null");
  } catch (const import::ImportError&) {
  }
}

// Iterates in event mode until nothing changes any more; false when the model ends the simulation.
bool pass_event_mode(Trial& trial, import::Instance& instance) {
  constexpr int most = 100;
  for (int i = 0; i < most; ++i) {
    trial.parent().doing("UpdateDiscreteStates");
    const import::DiscreteUpdate update = instance.update_discrete_states();
    trial.expect_good(update.status, "UpdateDiscreteStates");
    if (update.terminate) return false;
    if (!update.needed_again) {
      trial.parent().doing("EnterStepMode");
      trial.expect_good(instance.enter_step_mode(), "EnterStepMode");
      return true;
    }
  }
  trial.stop("UpdateDiscreteStates asks for another one a hundred times",
             "answer discreteStatesNeedUpdate = false once nothing changes");
}

// The values of discrete outputs, which change in event mode alone.
Values discrete_outputs(Trial& trial, import::Instance& instance) {
  Values values = trial.outputs(instance);
  const auto variables = trial.output_variables();
  for (std::size_t i = 0; i < values.size(); ++i)
    if (variables[i]->variability != import::Variability::discrete) values[i] = import::Value{};
  return values;
}

void goes_through_events(Trial& trial) {
  const auto instance = trial.started({.event_mode = true, .early_return = true});
  if (!pass_event_mode(trial, *instance)) return;
  constexpr int most_steps = 10'000;
  const Grid& grid = trial.grid();
  bool reported = false;
  double time = grid.start;
  int steps = 0, early = 0;
  for (int i = 0; i < grid.count; ++i) {
    const double end = grid.time(i + 1);
    while (time < end) {
      if (++steps > most_steps)
        trial.stop(
            "returns early " + std::to_string(most_steps) + " times before " + import::to_text(end),
            "guard against chattering: keep a least time between events");
      const Values before = discrete_outputs(trial, *instance);
      const import::StepResult result = trial.step(*instance, time, end - time);
      if (result.terminate) return;
      const std::string changed = trial.difference(discrete_outputs(trial, *instance), before);
      if (!changed.empty() && !reported) {
        trial.report("F4").error(trial.library(), 0,
                                 "in a step from " + import::to_text(time) +
                                     ", outside of event mode, the discrete output " + changed,
                                 "ask for event mode and change it there");
        reported = true;
      }
      if (result.early_return) {
        if (!trial.capabilities().might_return_early && ++early == 1)
          trial.report("F3").error(trial.library(), 0,
                                   "returns early although mightReturnEarlyFromDoStep is false",
                                   "set the capability");
        if (!(result.time >= time && result.time < end + 1e-9 * grid.step))
          trial.report("F2").error(trial.library(), 0,
                                   "returns early from a step of " + import::to_text(time) +
                                       " to " + import::to_text(end) + " at " +
                                       import::to_text(result.time),
                                   "lastSuccessfulTime lies within the step");
      }
      time = result.early_return ? result.time : end;
      if (result.event_needed) {
        trial.parent().doing("EnterEventMode");
        trial.expect_good(instance->enter_event_mode(), "EnterEventMode");
        if (!pass_event_mode(trial, *instance)) return;
      }
    }
  }
}

// Output clocks at the start and at each event: to be read in event mode, and quiet once nothing is
// left to be updated.
void ticks_in_event_mode(Trial& trial) {
  std::vector<const Variable*> clocks;
  for (const Variable& variable : trial.description().variables)
    if (variable.type == import::VariableType::clock &&
        variable.causality == import::Causality::output)
      clocks.push_back(&variable);
  const auto instance = trial.started({.event_mode = true, .early_return = true});
  const auto ticking = [&] {
    std::string names;
    for (const Variable* clock : clocks) {
      import::Value value;
      trial.parent().doing("GetClock");
      trial.expect_good(import::get_value(*instance, *clock, 1, value),
                        "GetClock of " + in_quotes(clock->name) + " in event mode");
      if (std::get<import::Integers>(value).front() != 0) names += " " + in_quotes(clock->name);
    }
    return names;
  };
  constexpr int most = 100;
  double time = trial.grid().start;
  for (int event = 0; event < most; ++event) {
    ticking();
    import::DiscreteUpdate update;
    for (int i = 0; i < most && (i == 0 || update.needed_again); ++i) {
      trial.parent().doing("UpdateDiscreteStates");
      update = instance->update_discrete_states();
      trial.expect_good(update.status, "UpdateDiscreteStates");
      if (update.terminate) return;
      const std::string names = ticking();
      if (!update.needed_again && !names.empty())
        trial.stop("after an update that is the last one at its time these clocks tick:" + names,
                   "deactivate clocks in UpdateDiscreteStates, or ask for another one");
    }
    trial.expect_good(instance->enter_step_mode(), "EnterStepMode");
    for (;;) {
      if (!(time < trial.grid().end())) return;
      const double step = std::min(trial.grid().step, trial.grid().end() - time);
      const import::StepResult result = trial.step(*instance, time, step);
      if (result.terminate) return;
      time = result.early_return ? result.time : time + step;
      if (!result.event_needed) continue;
      trial.expect_good(instance->enter_event_mode(), "EnterEventMode");
      break;
    }
  }
}

void completes_steps(Trial& trial) {
  for (const bool event_mode : {false, true}) {
    if (event_mode && !trial.capabilities().has_event_mode) continue;
    const auto instance = trial.started({.event_mode = event_mode});
    if (event_mode && !pass_event_mode(trial, *instance)) return;
    for (int i = 0; i < trial.grid().count; ++i) {
      const double time = trial.grid().time(i);
      const import::StepResult result =
          trial.step(*instance, time, trial.grid().time(i + 1) - time);
      if (result.terminate) break;
      if (result.early_return)
        trial.stop("returns early although earlyReturnAllowed is false",
                   "handle the event inside and complete the step");
      if (!event_mode && result.event_needed)
        trial.stop("asks for event mode although eventModeUsed is false", "handle it inside");
      if (!event_mode || !result.event_needed) continue;
      trial.expect_good(instance->enter_event_mode(), "EnterEventMode");
      if (!pass_event_mode(trial, *instance)) return;
    }
  }
}

void updates_in_order(Trial& trial) {
  const Grid& grid = trial.grid();
  double from = grid.start, to = grid.start, last = grid.start;
  std::string wrong;
  const auto seen = [&](const import::IntermediateUpdate& update) -> std::optional<double> {
    const double slack = 1e-9 * grid.step;
    if (!(update.time >= from - slack && update.time <= to + slack))
      wrong = "is called for " + import::to_text(update.time) + " in a step from " +
              import::to_text(from) + " to " + import::to_text(to);
    if (update.step_finished) {
      if (update.time < last - slack)
        wrong = "goes back from " + import::to_text(last) + " to " + import::to_text(update.time);
      last = update.time;
    }
    return std::nullopt;
  };
  const auto instance = trial.started({.intermediate_update = seen});
  for (int i = 0; i < grid.count && wrong.empty(); ++i) {
    from = grid.time(i);
    to = grid.time(i + 1);
    if (trial.step(*instance, from, to - from).terminate) break;
  }
  if (!wrong.empty())
    trial.error("the intermediate update " + wrong,
                "intermediateUpdateTime lies within the step and does not go back");
}

void counts_values(Trial& trial) {
  const Variable* variable = trial.find([](const Variable& v) { return is_scalar_real(v); });
  if (!variable) return;
  for (const std::size_t count : {0, 2}) {
    const auto instance = trial.started();
    double values[2] = {};
    const std::string what = "reading the scalar " + in_quotes(variable->name) + " as " +
                             std::to_string(count) + " values";
    trial.parent().doing(what);
    trial.expect_refused(instance->get_real({&variable->reference, 1}, {values, count}), what,
                         "nValues is the number of all elements: answer Error");
  }
}

}  // namespace

std::vector<TrialEntry> event_trials() {
  return {{"F1", "event mode that there is not", has_no_event_mode, refuses_event_mode},
          {"F1", "event mode", has_event_mode, goes_through_events},
          {"F6", "output clocks", has_output_clocks, ticks_in_event_mode},
          {"F2", "early return not allowed", fmi3_only, completes_steps},
          {"F5", "intermediate update", updates, updates_in_order},
          {"F7", "numbers of values", fmi3_only, counts_values}};
}

}  // namespace mbs::check_fmu
