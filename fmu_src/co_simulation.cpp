#include "fmu_src/co_simulation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/text.hpp"

namespace mbs {
namespace {

// Two times are meant to be the same when they differ by rounding or by what is negligible against
// the step.
bool same_time(double a, double b, double step) {
  const double magnitude = std::max(std::abs(a), std::abs(b));
  return std::abs(a - b) <=
         std::max(1e-9 * step, 64.0 * std::numeric_limits<double>::epsilon() * magnitude);
}

void check_step(const InstanceCore& core, double time, double step) {
  const double now = core.time(), end = time + step;
  const std::optional<double> stop = core.experiment.stop;
  if (!std::isfinite(time) || !std::isfinite(step) || step <= 0.0)
    throw Refusal("a step of " + number_text(step) + " from " + number_text(time) +
                  " is not possible");
  if (!same_time(time, now, step))
    throw Refusal("the step begins at " + number_text(time) + " but the instance is at " +
                  number_text(now));
  if (end <= now)
    throw Refusal("a step of " + number_text(step) + " is below the spacing of numbers at " +
                  number_text(time));
  if (stop && end > *stop + 1e-9 * std::max(1.0, std::abs(*stop)))
    throw Refusal("the step to " + number_text(end) + " goes past the stop time " +
                  number_text(*stop));
  const EventRecord& events = core.system().events();
  if (events.has_ended()) throw Refusal(events.end_message());
}

// With event mode nothing discrete changes within a step. Where steps may not end at events, those
// before the end have to be handled inside nevertheless.
CoSimulationDriver::Events treatment_of_events(const InstanceOptions& options) {
  if (!options.event_mode_used) return CoSimulationDriver::Events::handled;
  return options.early_return_allowed ? CoSimulationDriver::Events::left_open
                                      : CoSimulationDriver::Events::left_open_at_end;
}

// Calls back at the integrator's steps. Returns the time at which the importer wants to end.
std::optional<double> update_intermediately(InstanceCore& core, InputAccess& inputs) {
  core.log_events();
  core.machine.enter(intermediate_update_mode);
  inputs.begin_samples();
  const bool may_end = core.options.early_return_allowed;
  const std::optional<double> end = core.options.intermediate_update(core.time(), may_end);
  if (!core.machine.is_in(intermediate_update_mode))
    throw Refusal("a call within the intermediate update has ended the step");
  core.machine.enter(step_mode);
  inputs.end_samples();
  return may_end ? end : std::nullopt;
}

void advance(InstanceCore& core, InputAccess& inputs, double goal) {
  CoSimulationDriver& driver = core.co_simulation();
  const CoSimulationDriver::Events events = treatment_of_events(core.options);
  while (driver.advance(goal, events) == CoSimulationDriver::Advance::stopped) {
    const std::optional<double> end = update_intermediately(core, inputs);
    if (!end || !(*end < goal)) continue;
    if (!(*end > driver.time())) return;
    goal = *end;
  }
  core.log_events();
}

}  // namespace

StepEnd do_step(InstanceCore& core, InputAccess& inputs, double time, double step) {
  const EventRecord& events = core.system().events();
  const double end = time + step;
  const bool fmi3 = core.options.fmi_version == 3;
  try {
    check_step(core, time, step);
    advance(core, inputs, end);
  } catch (const SolverFailure& failure) {
    core.log_events();
    // FMI 3.0: with Discard the state would have to be that before the step.
    if (fmi3) throw;
    core.machine.enter(step_discarded);
    throw Refusal(failure.what(), Status::discard);
  }
  if (core.time() == end) inputs.end_derivatives();
  const bool early = core.time() < end;
  if (!events.has_ended()) return {events.is_due(), early};
  // The end of the simulation is a reason to return early where that is allowed (FMI 3.0.2, 4.2.1).
  if (fmi3) return {false, core.options.early_return_allowed && early};
  core.machine.enter(step_discarded);
  throw Refusal(events.end_message(), Status::discard);
}

}  // namespace mbs
