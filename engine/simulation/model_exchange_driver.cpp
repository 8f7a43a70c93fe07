#include "engine/simulation/model_exchange_driver.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "engine/equations/input_filter_states.hpp"

namespace mbs {

ModelExchangeDriver::ModelExchangeDriver(std::shared_ptr<const Equations> equations,
                                         SolverChoice choice)
    : system_(std::make_unique<HybridSystem>(std::move(equations), std::move(choice))),
      indicators_(std::make_unique<OffsetIndicators>(system_->equations(), system_->options())),
      before_(static_cast<std::size_t>(state_count(system_->equations().sizes()))),
      after_(before_) {}

void ModelExchangeDriver::set_input(int i, double value) {
  Inputs& u = system_->inputs();
  if (u.value[i] == value && u.first[i] == 0.0 && u.second[i] == 0.0) return;
  u.value[i] = value;
  u.first[i] = u.second[i] = 0.0;
  system_->move_to(time());
}

InitialReport ModelExchangeDriver::initialise(double t0, double tolerance) {
  if (begun_) throw std::logic_error("a simulation that has begun cannot be initialised again");
  if (system_->set_tolerance(tolerance)) use_options();
  return system_->initialise(t0);
}

// Others of the system's options are in force.
void ModelExchangeDriver::use_options() {
  indicators_ = std::make_unique<OffsetIndicators>(system_->equations(), system_->options());
  preview_.reset();
}

void ModelExchangeDriver::begin() {
  if (!system_->is_initialised() || begun_)
    throw std::logic_error("begin() comes right after a successful initialise()");
  refuse_drives_without_lag();
  begun_ = true;
  system_->parameters().acknowledge();
  indicators_->start(system_->point());
  system_->events().announce(next_time_event());
}

void ModelExchangeDriver::refuse_drives_without_lag() const {
  const std::string why = why_no_exchange(system_->equations(), system_->context().parameters);
  if (!why.empty())
    throw SolverFailure(time(), 0.0, why, "give the drive a lag, or use co-simulation");
}

Equations::TimeEvent ModelExchangeDriver::next_time_event() const {
  return system_->equations().next_time(system_->context(), state());
}

void ModelExchangeDriver::set_time(double t) {
  if (t != time()) system_->move_to(t);
}

const Vector& ModelExchangeDriver::indicators() {
  const Vector& phi = system_->indicators();
  if (!begun_) return phi;
  if (std::exchange(offset_of_, system_->revision()) != system_->revision())
    offset_phi_ = phi + indicators_->offsets();
  return offset_phi_;
}

bool ModelExchangeDriver::completed_step() {
  const bool due = time() >= system_->events().announced().t;
  return indicators_->any_left_its_side(system_->point()) || due ||
         system_->changes().violates_constraints(state());
}

// The events of indicators that have left their sides; false: there are none.
bool ModelExchangeDriver::reach_events() {
  const std::span<const Root> events = indicators_->follow_sides(system_->point());
  for (const Root& event : events) system_->events().reach(event, true);
  return !events.empty();
}

void ModelExchangeDriver::handle_due_events() {
  EventRecord& record = system_->events();
  DiscreteChanges& changes = system_->changes();
  State& x = system_->changing_state();
  const std::span<const int> functions = record.take_due();
  if (!functions.empty()) {
    if (changes.contacts().any())
      changes.contacts().set_gap_thresholds(indicators_->detectable_gaps());
    if (changes.handle_events(functions, 0.0, false, x, record).changed)
      indicators_->forget_sides_of_guards();
  }
  indicators_->offset_guards(system_->point());
}

// apply_discrete_changes():
//
//   change      parameters come into force
//   projection  positions and velocities, where they have drifted or parameters have changed
//   repeat: event by event as in CoSimulationDriver::advance, until no indicator leaves its side
//   restart     is the importer's, reported by states_changed()
void ModelExchangeDriver::apply_discrete_changes() {
  EventRecord& record = system_->events();
  TunableParameters& parameters = system_->parameters();
  record.begin_report();
  states_changed_ = false;
  offset_of_ = 0;
  system_->get_states(before_);
  bool project = system_->changes().violates_constraints(state());
  if (parameters.differ()) {
    parameters.refuse_impossible(time());
    parameters.put_in_force();
    refuse_drives_without_lag();
    system_->changes().freeze_conditions(system_->changing_state());
    project = true;
  }
  if (project) {
    system_->changes().project(system_->changing_state());
    system_->move_to(time());
  }
  if (record.announced_is_reached(time())) {
    const double t = record.announced().t;
    system_->move_to(std::max(time(), t));  // the same time but for rounding
    record.announce({t, -1});
    for (const int function :
         indicators_->time_events(system_->context(), system_->changing_state(), t))
      record.reach({t, function, 1, 0}, true);
    reach_events();
    handle_due_events();
  }
  while (!record.has_ended() && reach_events()) handle_due_events();
  system_->get_states(after_);
  states_changed_ = after_ != before_;
  record.announce(next_time_event());
}

Preview& ModelExchangeDriver::preview() {
  if (!preview_) preview_ = std::make_unique<Preview>(*system_);
  if (!preview_->is_of(system_->revision())) {
    preview_->inputs() = system_->inputs();
    preview_->evaluate(*system_, system_->revision());
  }
  return *preview_;
}

void ModelExchangeDriver::save(ByteWriter& writer) const {
  writer.put<std::uint32_t>(begun_);
  system_->save(writer);
  if (begun_) indicators_->save(writer);
}

void ModelExchangeDriver::read(ByteReader& reader, std::uint64_t id) {
  std::uint32_t flags = 0;
  reader.get(flags);
  begun_ = flags != 0;
  if (system_->restore(reader, id)) use_options();
  if (begun_) indicators_->restore(reader);
}

void ModelExchangeDriver::restore(ByteReader& reader) {
  auto other = standby_
                   ? std::move(standby_)
                   : std::make_unique<ModelExchangeDriver>(system_->model(), system_->choice());
  other->read(reader, system_->revision());
  reader.expect_end();
  std::swap(*this, *other);
  standby_ = std::move(other);
}

}  // namespace mbs
