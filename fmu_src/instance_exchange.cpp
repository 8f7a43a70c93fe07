// Model exchange: arguments are checked here, the rest is the simulation's.

#include "fmu_src/instance.hpp"

#include <algorithm>
#include <cmath>

#include "engine/base/text.hpp"

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

// fill(list) gives them in the order of the equations.
template <class Fill>
void Instance::fill_in_order(const std::vector<int> ExchangeArrays::*order,
                             std::span<double> values, const Fill& fill) {
  if (!exchange_arrays_) return fill(values);
  unordered_.resize(values.size());
  fill(std::span(unordered_));
  const std::vector<int>& places = (*packed_->variables.exchange_arrays).*order;
  for (std::size_t k = 0; k < values.size(); ++k)
    values[k] = unordered_[static_cast<std::size_t>(places[k])];
}

void Instance::set_time(double time) {
  if (!std::isfinite(time)) throw Refusal("the time is " + number_text(time));
  simulation_->set_exchange_time(time);
}

void Instance::set_states(std::span<const double> values) {
  expect_count(values.size(), state_count());
  for (const double x : values)
    if (!std::isfinite(x)) throw Refusal("a state is " + number_text(x), Status::discard);
  if (!exchange_arrays_) return simulation_->set_exchange_states(values);
  unordered_.resize(values.size());
  const std::vector<int>& places = packed_->variables.exchange_arrays->states;
  for (std::size_t k = 0; k < values.size(); ++k)
    unordered_[static_cast<std::size_t>(places[k])] = values[k];
  simulation_->set_exchange_states(unordered_);
}

void Instance::get_states(std::span<double> values) {
  expect_count(values.size(), state_count());
  need_values();
  evaluate([&] {
    const Simulation::Preview* ahead = pending();
    fill_in_order(&ExchangeArrays::states, values, [&](std::span<double> list) {
      if (ahead == nullptr) return simulation_->exchange_states(list);
      auto to = list.begin();
      for (const Vector* part : {&ahead->x.p, &ahead->x.v, &ahead->x.r})
        to = std::copy(part->begin(), part->end(), to);
    });
  });
}

void Instance::get_rates(std::span<double> values) {
  expect_count(values.size(), state_count());
  need_values();
  evaluate([&] {
    const Simulation::Preview* ahead = pending();
    const Vector& rates = ahead ? ahead->dx : simulation_->rates();
    fill_in_order(&ExchangeArrays::states, values,
                  [&](std::span<double> list) { copy(rates, list); });
  });
}

void Instance::get_nominals(std::span<double> values) {
  expect_count(values.size(), state_count());
  fill_in_order(&ExchangeArrays::states, values,
                [&](std::span<double> list) { simulation_->exchange_nominals(list); });
}

void Instance::get_indicators(std::span<double> values) {
  expect_count(values.size(), indicator_count());
  need_values();
  evaluate([&] {
    const Simulation::Preview* ahead = pending();
    const Vector& phi = ahead ? ahead->phi : simulation_->indicators();
    fill_in_order(&ExchangeArrays::indicators, values,
                  [&](std::span<double> list) { copy(phi, list); });
  });
}

bool Instance::completed_step() {
  bool needed = false;
  evaluate([&] { needed = simulation_->completed_step(); });
  return needed;
}

}  // namespace mbs
