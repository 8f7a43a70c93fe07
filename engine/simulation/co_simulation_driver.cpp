#include "engine/simulation/co_simulation_driver.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace mbs {
namespace {

constexpr double nearly_at_once = 1e-10;  // of a step: events that act together

std::unique_ptr<IntegratorStep> make_integrator_step(HybridSystem& system) {
  const SolverChoice& choice = system.choice();
  auto step = std::make_unique<IntegratorStep>(system.equations(), system.context(), choice.method,
                                               system.options(), choice.event_points);
  system.follow(&step->integrator());
  return step;
}

}  // namespace

CoSimulationDriver::CoSimulationDriver(std::shared_ptr<const Equations> equations,
                                       SolverChoice choice)
    : system_(std::make_unique<HybridSystem>(std::move(equations), std::move(choice))),
      inputs_(system_->equations(), system_->inputs(), system_->options().rtol),
      step_(make_integrator_step(*system_)) {}

InitialReport CoSimulationDriver::initialise(double t0, double tolerance) {
  if (started_) throw std::logic_error("a simulation that has begun cannot be initialised again");
  restart_needed_ = false;
  cached_.close();
  if (system_->set_tolerance(tolerance)) {
    step_ = make_integrator_step(*system_);
    inputs_.set_tolerance(system_->options().rtol);
    preview_.reset();
  }
  inputs_.start(t0);
  return system_->initialise(t0);
}

bool CoSimulationDriver::advance_within_step(double t) {
  if (!cached_.holds(time(), t) || system_->parameters().may_differ()) return false;
  if (!inputs_.go_on() && !inputs_.follow_prediction(time(), cached_.step_end()) &&
      inputs_.differ(time(), cached_.step_end())) {
    inputs_differ_ = true;
    cached_.close();
    return false;
  }
  system_->events().begin_report();
  system_->move_to(t);
  return true;
}

// advance(t, events):
//
//   handle events that are due, put in force what has been set
//   repeat
//     from the present time to the end of the integrator's step or t, whichever comes first:
//     if there are events, the first of them that acts or is to be stopped at is where we go:
//       stop there if that is asked for, or if it ends the simulation
//       otherwise, for all that happens at that time together:
//         change      events set states, contacts close, open, stick or slip
//         event       it is counted, reported and logged
//         projection  positions and velocities onto the constraints; accelerations
//         restart     the integrator starts anew from that state, with nothing found ahead
//     otherwise, if events have not been looked for that far: look
//     otherwise, if that is t: move there, done; the state follows when it is asked for
//     otherwise: the integrator makes its next step, on the inputs predicted
//
// Events that change nothing (contacts that graze) leave the step as it is.
CoSimulationDriver::Advance CoSimulationDriver::advance(double t, Events events) {
  if (advance_within_step(t)) return Advance::reached;
  if (!system_->is_initialised())
    throw std::logic_error("advance() needs a successful initialise() first");
  EventRecord& record = system_->events();
  if (record.has_ended()) throw std::logic_error(record.end_message());
  if (!(t > time()) || !std::isfinite(t))
    throw std::invalid_argument("advance() needs a time after the present one");
  record.begin_report();
  cached_.close();
  handle_due_events();
  apply_changes(events == Events::left_open);
  if (record.has_ended()) return Advance::terminated;
  if (record.is_due()) return Advance::event;
  try {
    return advance_by_steps(t, events);
  } catch (const SolverFailure&) {
    return_to_known(t);
    throw;
  }
}

CoSimulationDriver::Advance CoSimulationDriver::advance_by_steps(double t, Events events) {
  EventRecord& record = system_->events();
  const Integrator& integrator = step_->integrator();
  double counted = time();  // events up to here are
  for (;;) {
    const double reached = std::min(step_->end(), t),
                 known = std::min(reached, integrator.state().t);
    if (reach_events(counted, reached, t, events)) {
      system_->move_to(record.last_reached());
      if (record.has_ended()) return Advance::terminated;
      if ((events == Events::stop && !record.reported().empty()) || record.any_uncounted())
        return time() == t && !record.is_due() ? Advance::reached : Advance::event;
      handle_due_events();
      if (record.has_ended()) return Advance::terminated;
      if (time() >= t) return Advance::reached;
      counted = time();
    } else if (step_->examined() < known) {  // what could not be evaluated counts now
      counted = std::max(counted, step_->examined());
      counted = std::max(counted, record.last_reached());
      step_->examine_to(known);
    } else if (reached >= t) {
      break;
    } else if (progress_ && counted < reached && !progress_(reached)) {
      system_->place(integrator.state(), reached);
      return Advance::stopped;
    } else {
      counted = reached;
      make_step(t);
    }
  }
  system_->move_to(t);
  if (step_->events().empty() && !record.is_due())
    cached_.open(std::min(integrator.state().t, step_->examined()), integrator.state().t);
  return Advance::reached;
}

// Nobody comes back to a point within the step before: one at which nobody has looked is not
// computed any more, unless it is where the next step begins.
void CoSimulationDriver::make_step(double t_stop) {
  const double begin = step_->end();
  if (time() == begin) system_->state();
  const Integrator& integrator = step_->integrator();
  const double reach =
      inputs_.predict(integrator.state().t, integrator.statistics().last_step, t_stop);
  step_->make(reach, system_->events());
}

// After a failure on the way to t the system is left where the solution and its events are still
// known, or, if the interpolation fails there, at the beginning of the step.
void CoSimulationDriver::return_to_known(double t) {
  const Integrator& integrator = step_->integrator();
  const double end = integrator.state().t, known = std::min(end, step_->examined());
  if (!(known > time() && known < t)) return;
  if (known == end)
    system_->place(integrator.state(), step_->end());
  else if (!system_->try_move_to(known) && time() < integrator.step_begin())
    system_->move_to(integrator.step_begin());
}

// Events after `from`, up to `to` or to the first ones at which advance() has to stop: true then.
// Events that act nearly at once act together.
bool CoSimulationDriver::reach_events(double from, double to, double end, Events events) {
  EventRecord& record = system_->events();
  const double at_once = nearly_at_once * step_->size();
  bool stop = false, leave_open = false;
  for (const Root& event : step_->events()) {
    if (event.t <= from || event.t > to) continue;
    if (stop && event.t > record.last_reached() + (record.any_to_handle() ? at_once : 0.0)) break;
    if (!stop)
      leave_open =
          events == Events::left_open || (events == Events::left_open_at_end && event.t == end);
    record.reach(event, leave_open);
    stop = stop || record.any_uncounted() || events == Events::stop || record.has_ended() ||
           record.any_to_handle();
  }
  return stop;
}

void CoSimulationDriver::handle_due_events() {
  EventRecord& record = system_->events();
  while (record.is_due() && !record.has_ended()) {
    State& x = system_->changing_state();
    const std::span<const int> functions = record.take_due();
    if (functions.empty()) continue;
    step_->leave(x);
    const double last_step = step_->integrator().statistics().last_step;
    const DiscreteChanges::Outcome outcome =
        system_->changes().handle_events(functions, last_step, true, x, record);
    if (outcome.changed)
      restart_integration(std::min(step_->size(), outcome.first_step), false);
    else if (outcome.grazed)
      step_->watch_again(functions, x);
  }
}

// Integration goes on from the present state, with nothing found ahead. Functions that have jumped
// over zero have events there.
void CoSimulationDriver::restart_integration(double first_step, bool leave_uncounted) {
  if (std::exchange(started_, true)) {
    for (const Root& event : step_->restart(state(), first_step))
      system_->events().reach(event, leave_uncounted);
  } else {
    step_->start(state());
    inputs_.begin();
  }
  restart_needed_ = false;
}

// The present point belongs to what was in force until now.
void CoSimulationDriver::leave_state() {
  State& x = system_->changing_state();
  if (started_) step_->leave(x);
}

// Puts inputs and parameters that have been set in force, and restarts integration if they differ.
void CoSimulationDriver::apply_changes(bool leave_uncounted) {
  handle_due_events();
  TunableParameters& parameters = system_->parameters();
  const bool parameters_differ = parameters.differ();
  parameters.acknowledge();
  const double step_end = started_ ? step_->integrator().state().t : time();
  if (std::exchange(inputs_differ_, false) || inputs_.differ(time(), step_end)) {
    leave_state();
    system_->changes().update_input_filters({inputs_.latest(), parameters.in_force()},
                                            system_->changing_state());
    inputs_.replace();
    restart_needed_ = true;
  }
  if (parameters_differ) {
    parameters.refuse_impossible(time());
    if (!restart_needed_) leave_state();
    system_->changes().update_input_filters({system_->inputs(), parameters.requested()},
                                            system_->changing_state());
    parameters.put_in_force();
    system_->changes().freeze_conditions(system_->changing_state());
    inputs_.limit_to_next_point();
    restart_needed_ = true;
  }
  if (restart_needed_) {
    const double last_size = started_ ? step_->size() : 0.0;
    system_->changes().restore_consistency(last_size, system_->changing_state(), system_->events());
    restart_integration(last_size, leave_uncounted);
  } else if (!started_) {
    restart_integration(0.0, leave_uncounted);
  }
  // A jump of an input may have carried functions over zero whose events act.
  if (!leave_uncounted) handle_due_events();
}

void CoSimulationDriver::apply_discrete_changes() {
  if (!system_->is_initialised())
    throw std::logic_error("apply_discrete_changes() needs a successful initialise() first");
  system_->events().begin_report();
  cached_.close();
  apply_changes(false);
}

double CoSimulationDriver::step_ahead(double t_stop) {
  if (!system_->is_initialised())
    throw std::logic_error("step_ahead() needs a successful initialise() first");
  EventRecord& record = system_->events();
  cached_.close();
  record.begin_report();
  apply_changes(false);
  if (record.has_ended()) return time();
  record.keep_report();  // for the advance() that follows
  if (step_->end() <= time()) make_step(t_stop);
  // The first event that acts, with those that act together with it.
  double first = std::numeric_limits<double>::infinity(), together = first;
  for (const Root& event : step_->events()) {
    const auto& function =
        system_->equations().structure().switching[static_cast<std::size_t>(event.function)];
    if (event.t <= time()) continue;
    if (std::isinf(first) && (function.terminate || record.acts(event.function))) {
      first = together = event.t;
    } else if (std::isfinite(first) && event.t <= together + nearly_at_once * step_->size()) {
      together = event.t;
    }
  }
  if (std::isfinite(first)) return together;
  // advance() says what cannot be examined.
  const double examined = step_->examined();
  const bool less = examined > time() && examined < step_->integrator().state().t;
  return less ? examined : step_->end();
}

bool CoSimulationDriver::has_pending() const {
  return inputs_.any_pending() || system_->parameters().differ();
}

Preview& CoSimulationDriver::preview() {
  if (!preview_) preview_ = std::make_unique<Preview>(*system_);
  const std::uint64_t revision = system_->revision() + inputs_.revision();
  if (!preview_->is_of(revision)) {
    inputs_.pending(time(), preview_->inputs());
    preview_->evaluate(*system_, revision);
  }
  return *preview_;
}

void CoSimulationDriver::save(ByteWriter& writer) const {
  system_->save(writer);
  inputs_.save(writer);
  writer.put<std::uint32_t>(started_ | restart_needed_ << 1);
  if (started_) step_->save(writer);
}

void CoSimulationDriver::read(ByteReader& reader, std::uint64_t id) {
  const bool other_options = system_->restore(reader, id);
  inputs_.restore(reader);
  inputs_.set_tolerance(system_->options().rtol);
  std::uint32_t flags = 0;
  reader.get(flags);
  started_ = flags & 1u;
  restart_needed_ = flags & 2u;
  if (other_options || !started_) step_ = make_integrator_step(*system_);
  if (other_options) preview_.reset();
  if (started_) step_->restore(reader);
  inputs_differ_ = false;
  cached_.close();
}

void CoSimulationDriver::restore(ByteReader& reader) {
  auto other = standby_ ? std::move(standby_)
                        : std::make_unique<CoSimulationDriver>(system_->model(), system_->choice());
  other->read(reader, system_->revision() + inputs_.revision());
  reader.expect_end();
  other->progress_ = std::move(progress_);
  std::swap(*this, *other);
  standby_ = std::move(other);
}

}  // namespace mbs
