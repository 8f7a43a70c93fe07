#include "tests/harness/exchange.hpp"

#include <algorithm>
#include <stdexcept>

namespace mbs::test {
namespace {

void expect(import::Status status, const char* call) {
  if (!import::is_good(status))
    throw std::runtime_error(std::string(call) + ": " + std::string(import::to_text(status)));
}

}  // namespace

Exchange::Exchange(import::Fmu& fmu, const OdeSolver& solver, const OdeOptions& options,
                   const std::function<void(import::Instance&)>& prepare)
    : fmu_(fmu), instance(fmu.instantiate({.logging = true, .model_exchange = true})) {
  if (prepare) prepare(*instance);
  expect(instance->enter_initialization({}), "enter initialization");
  expect(instance->exit_initialization(), "exit initialization");
  x_.resize(instance->state_count());
  before_.resize(instance->indicator_count());
  now_ = before_;
  const auto rates = [this](double t, std::span<const double> x, std::span<double> dx) {
    expect(instance->set_time(t), "set time");
    expect(instance->set_continuous_states(x), "set states");
    expect(instance->get_state_derivatives(dx), "get derivatives");
  };
  ode_ = solver.make(rates, x_.size(), options);
  update();
}

double Exchange::operator[](const char* name) {
  const import::Variable* variable = fmu_.description().find(name);
  import::Value value;
  if (!variable) throw std::runtime_error(std::string("there is no ") + name);
  expect(import::get_value(*instance, *variable, 1, value), name);
  if (const auto* reals = std::get_if<import::Reals>(&value)) return reals->front();
  return static_cast<double>(std::get<import::Integers>(value).front());
}

// The numbers of the instance, which may have other sizes than its description.
std::size_t Exchange::size(import::ValueReference reference) {
  const import::ModelDescription& d = fmu_.description();
  import::Value value;
  expect(import::get_value(*instance, d.variables.at(d.position(reference).value()), 1, value),
         "get a size");
  return static_cast<std::size_t>(std::get<import::Integers>(value).front());
}

std::vector<double> Exchange::states() {
  std::vector<double> x(x_.size());
  expect(instance->get_continuous_states(x), "get states");
  return x;
}

void Exchange::restart(double time) {
  time_ = time;
  x_ = states();
  expect(instance->get_event_indicators(before_), "get event indicators");
  ode_->start(time_, x_);
}

// The description declares the states that events may change.
void Exchange::expect_reinit(const std::vector<double>& before) {
  const import::ModelDescription& d = fmu_.description();
  const std::vector<double> now = states();
  std::size_t i = 0;
  for (const import::Unknown& unknown : d.structure.derivatives) {
    const import::Variable& rate = d.variables.at(unknown.variable.value());
    const import::Variable& state = d.variables.at(d.position(rate.derivative.value()).value());
    std::size_t count = 1;
    for (const import::Dimension& dimension : state.dimensions)
      count *= dimension.start ? *dimension.start : size(dimension.reference.value());
    for (const std::size_t end = i + count; i < end; ++i)
      if (now.at(i) != before.at(i) && !state.reinit.value_or(false))
        throw std::runtime_error(state.name + " has changed and has no reinit");
  }
}

Exchange::Stop Exchange::update() {
  Stop stop{.event = true};
  const std::vector<double> before = states();
  for (bool again = true; again;) {
    const import::DiscreteUpdate update = instance->update_discrete_states();
    expect(update.status, "update discrete states");
    stop.states_changed = stop.states_changed || update.states_changed;
    stop.terminate = stop.terminate || update.terminate;
    next_event_ = update.next_event;
    again = update.needed_again && !stop.terminate;
  }
  if (stop.terminate) return stop;
  expect_reinit(before);
  expect(instance->enter_continuous_time_mode(), "enter continuous-time mode");
  restart(time_);
  return stop;
}

// The FMU at a time of the last step.
void Exchange::place(double time) {
  ode_->at(time, x_);
  expect(instance->set_time(time), "set time");
  expect(instance->set_continuous_states(x_), "set states");
  expect(instance->get_event_indicators(now_), "get event indicators");
}

// A sign changes as the standards define it: from above zero to zero or below, or back.
bool Exchange::crossed() const {
  for (std::size_t i = 0; i < now_.size(); ++i)
    if ((before_[i] > 0.0) != (now_[i] > 0.0)) return true;
  return false;
}

Exchange::Stop Exchange::run(double end) {
  while (time_ < end) {
    const double limit = next_event_ ? std::min(end, *next_event_) : end;
    double left = time_;
    time_ = ode_->step(limit);
    place(time_);
    const bool indicated = crossed();
    if (indicated) {
      for (double middle; (middle = 0.5 * (left + time_)) > left && middle < time_;) {
        place(middle);
        (crossed() ? time_ : left) = middle;
      }
      place(time_);
    }
    const import::CompletedStep step = instance->completed_integrator_step();
    expect(step.status, "completed integrator step");
    if (step.terminate) return {.terminate = true};
    if (indicated || step.event_needed || (next_event_ && time_ >= *next_event_)) {
      expect(instance->enter_event_mode(), "enter event mode");
      return update();
    }
    before_ = now_;
  }
  return {};
}

}  // namespace mbs::test
