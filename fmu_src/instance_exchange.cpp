// Model exchange: arguments are checked here, the rest is the simulation's.

#include "fmu_src/instance.hpp"

#include <algorithm>
#include <cmath>

#include "engine/model/words.hpp"

namespace mbs {
namespace {

// What cannot be evaluated at the states of a trial step may go better with a smaller one.
template <class Body>
void evaluate(const Body& body) {
  try {
    body();
  } catch (const SolverFailure& failure) {
    throw Refusal(failure.what(), Status::discard);
  }
}

void copy(const Vector& from, std::span<double> to) {
  std::copy(from.begin(), from.end(), to.begin());
}

}  // namespace

void Instance::expect_count(std::size_t given, int wanted) const {
  if (given != static_cast<std::size_t>(wanted))
    throw Refusal("there are " + std::to_string(wanted) + " values, not " + std::to_string(given));
}

void Instance::set_time(double time) {
  if (!std::isfinite(time)) throw Refusal("the time is " + number_text(time));
  simulation_->set_exchange_time(time);
}

void Instance::set_states(std::span<const double> values) {
  expect_count(values.size(), state_count());
  for (const double x : values)
    if (!std::isfinite(x)) throw Refusal("a state is " + number_text(x), Status::discard);
  simulation_->set_exchange_states(values);
}

void Instance::get_states(std::span<double> values) {
  expect_count(values.size(), state_count());
  if (phase_ == initialization) ensure_initialised();
  evaluate([&] {
    const Simulation::Preview* ahead = pending();
    if (ahead == nullptr) return simulation_->exchange_states(values);
    auto to = values.begin();
    for (const Vector* part : {&ahead->x.p, &ahead->x.v, &ahead->x.r})
      to = std::copy(part->begin(), part->end(), to);
  });
}

void Instance::get_rates(std::span<double> values) {
  expect_count(values.size(), state_count());
  if (phase_ == initialization) ensure_initialised();
  evaluate([&] {
    const Simulation::Preview* ahead = pending();
    copy(ahead ? ahead->dx : simulation_->rates(), values);
  });
}

void Instance::get_nominals(std::span<double> values) const {
  expect_count(values.size(), state_count());
  simulation_->exchange_nominals(values);
}

void Instance::get_indicators(std::span<double> values) {
  expect_count(values.size(), indicator_count());
  if (phase_ == initialization) ensure_initialised();
  evaluate([&] {
    const Simulation::Preview* ahead = pending();
    copy(ahead ? ahead->phi : simulation_->indicators(), values);
  });
}

bool Instance::completed_step() {
  bool needed = false;
  evaluate([&] { needed = simulation_->completed_step(); });
  return needed;
}

}  // namespace mbs
