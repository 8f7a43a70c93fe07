// Communication steps and events.

#include "fmu_src/instance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/text.hpp"

namespace mbs {
namespace {

// Two times that are meant to be the same: rounding of sums and products, and what is negligible
// against the step.
bool same_time(double a, double b, double step) {
  const double magnitude = std::max(std::abs(a), std::abs(b));
  return std::abs(a - b) <=
         std::max(1e-9 * step, 64.0 * std::numeric_limits<double>::epsilon() * magnitude);
}

}  // namespace

void Instance::refuse_step(double time, double step, double now) const {
  if (!std::isfinite(time) || !std::isfinite(step) || step <= 0.0)
    throw Refusal("a step of " + number_text(step) + " from " + number_text(time) +
                  " is not possible");
  if (!same_time(time, now, step))
    throw Refusal("the step begins at " + number_text(time) + " but the instance is at " +
                  number_text(now));
  const double end = time + step;
  if (end <= now)
    throw Refusal("a step of " + number_text(step) + " is below the spacing of numbers at " +
                  number_text(time));
  if (stop_time_ && end > *stop_time_ + 1e-9 * std::max(1.0, std::abs(*stop_time_)))
    throw Refusal("the step to " + number_text(end) + " goes past the stop time " +
                  number_text(*stop_time_));
  if (ended()) throw Refusal(simulation_->ended());
}

// With event mode nothing discrete changes here, but where steps may not end at events: then what
// is before the end has to be handled inside. The importer may look at the integrator's own steps
// and ask for an end.
void Instance::advance(double end) {
  using Events = Simulation::Events;
  const Events events = !event_mode_    ? Events::handled
                        : early_return_ ? Events::left_open
                                        : Events::left_open_at_end;
  double goal = end;
  while (simulation_->advance(goal, events) == Simulation::Advance::stopped) {
    log_events();
    phase_ = intermediate;
    sampled_.begin_point();
    const std::optional<double> wanted = intermediate_update_(simulation_->time(), early_return_);
    if (phase_ != intermediate)
      throw Refusal("a call within the intermediate update has ended the step");
    phase_ = stepping;
    for (int i = 0; i < packed_->equations->sizes().u; ++i)
      if (const auto kept = sampled_.abandoned(i)) simulation_->set_input(i, *kept);
    if (!wanted || !early_return_ || !(*wanted < goal)) continue;
    if (!(*wanted > simulation_->time())) return;
    goal = *wanted;
  }
  log_events();
}

StepEnd Instance::do_step(double time, double step) {
  const double end = time + step;
  try {
    refuse_step(time, step, simulation_->time());
    advance(end);
  } catch (const SolverFailure& failure) {
    log_events();
    if (fmi_version_ == 3) throw;  // with Discard the state would have to be that before the step
    phase_ = step_discarded;
    throw Refusal(failure.what(), Status::discard);
  }
  if (simulation_->time() == end && ramps_) end_ramps();
  const bool before_the_end = simulation_->time() < end;
  if (!ended()) return {simulation_->event_due(), before_the_end};
  // What ends the simulation is a reason to return early for who allowed that (FMI 3.0.2, 4.2.1).
  if (fmi_version_ == 3) return {false, early_return_ && before_the_end};
  phase_ = step_discarded;
  throw Refusal(simulation_->ended(), Status::discard);
}

void Instance::enter_event_mode() {
  if (!event_mode_ && kind_ == Kind::co_simulation)
    throw Refusal("event mode was not asked for when the instance was made");
  phase_ = in_events;
  happened_.clear();
}

bool Instance::update_discrete_states() {
  simulation_->take_effect();
  log_events();
  hold_counters();
  happened_.clear();
  if (!clocks_ || ended()) return false;
  for (const Root& event : simulation_->events()) happened_.push_back(event.function);
  return !happened_.empty();
}

// A clock ticks from when its event is due until that has happened; with what follows from it,
// until the next update.
void Instance::get_clocks(std::span<const std::uint32_t> references, std::span<bool> ticks) const {
  const std::vector<OutputClock>& clocks = packed_->variables.clocks;
  for (const std::uint32_t reference : references)
    if (!clocks_ || reference < first_clock || reference - first_clock >= clocks.size())
      throw Refusal("there is no clock with the value reference " + std::to_string(reference));
  if (phase_ != in_events && !references.empty())
    throw Refusal("clocks tick in event mode, and are to be looked at there");
  for (std::size_t i = 0; i < references.size(); ++i) {
    const OutputClock& clock = clocks[references[i] - first_clock];
    ticks[i] = false;
    for (int function = clock.first; function < clock.first + clock.count; ++function)
      ticks[i] = ticks[i] || simulation_->event_due(function) ||
                 std::find(happened_.begin(), happened_.end(), function) != happened_.end();
  }
}

void Instance::refuse_clocks(std::span<const std::uint32_t> references) const {
  const std::vector<OutputClock>& clocks = packed_->variables.clocks;
  for (const std::uint32_t reference : references) {
    if (!clocks_ || reference < first_clock || reference - first_clock >= clocks.size())
      throw Refusal("there is no clock with the value reference " + std::to_string(reference));
    throw Refusal("'" + clocks[reference - first_clock].name +
                  "' is an output clock, it ticks by itself and cannot be set");
  }
}

void Instance::log_events() {
  const auto& functions = packed_->equations->structure().switching;
  for (const Root& event : simulation_->events())
    logger_.event("event '" + functions[static_cast<std::size_t>(event.function)].name +
                  "' at t = " + number_text(event.t));
  for (const Simulation::Notice& notice : simulation_->take_notices())
    logger_.event(notice.text + " at t = " + number_text(notice.t));
}

}  // namespace mbs
