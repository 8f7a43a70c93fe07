#include "fmu_src/model_exchange.hpp"

#include <algorithm>
#include <cmath>

#include "engine/base/text.hpp"

namespace mbs {
namespace {

void copy(const Vector& from, std::span<double> to) {
  std::copy(from.begin(), from.end(), to.begin());
}

}  // namespace

bool is_continuous_state(const Variable& variable) {
  return variable.source == Source::continuous || variable.source == Source::state;
}

// fill(list) gives the values in the order of the equations.
template <class Fill>
void ModelExchange::fill_in_order(const std::vector<int> ExchangeArrays::*order,
                                  std::span<double> values, const Fill& fill) {
  if (!arrays_) return fill(values);
  unordered_.resize(values.size());
  fill(std::span(unordered_));
  const std::vector<int>& places = (*core_.variables().exchange_arrays).*order;
  for (std::size_t k = 0; k < values.size(); ++k)
    values[k] = unordered_[static_cast<std::size_t>(places[k])];
}

void ModelExchange::set_time(double time) {
  if (!std::isfinite(time)) throw Refusal("the time is " + number_text(time));
  core_.model_exchange().set_time(time);
}

void ModelExchange::set_states(std::span<const double> values) {
  expect_count(values.size(), static_cast<std::size_t>(state_count()));
  for (const double x : values)
    if (!std::isfinite(x)) throw Refusal("a state is " + number_text(x), Status::discard);
  if (!arrays_) return core_.model_exchange().set_states(values);
  unordered_.resize(values.size());
  const std::vector<int>& places = core_.variables().exchange_arrays->states;
  for (std::size_t k = 0; k < values.size(); ++k)
    unordered_[static_cast<std::size_t>(places[k])] = values[k];
  core_.model_exchange().set_states(unordered_);
}

void ModelExchange::get_states(std::span<double> values) {
  expect_count(values.size(), static_cast<std::size_t>(state_count()));
  core_.need_values();
  evaluate([&] {
    const Preview* pending = core_.pending();
    fill_in_order(&ExchangeArrays::states, values, [&](std::span<double> list) {
      if (pending == nullptr) return core_.system().get_states(list);
      mbs::get_states(pending->state(), list);
    });
  });
}

void ModelExchange::get_rates(std::span<double> values) {
  expect_count(values.size(), static_cast<std::size_t>(state_count()));
  core_.need_values();
  evaluate([&] {
    const Preview* pending = core_.pending();
    const Vector& rates = pending ? pending->rates() : core_.system().rates();
    fill_in_order(&ExchangeArrays::states, values,
                  [&](std::span<double> list) { copy(rates, list); });
  });
}

void ModelExchange::get_nominals(std::span<double> values) {
  expect_count(values.size(), static_cast<std::size_t>(state_count()));
  fill_in_order(&ExchangeArrays::states, values, [&](std::span<double> list) {
    mbs::get_nominals(core_.system().equations(), list);
  });
}

void ModelExchange::get_indicators(std::span<double> values) {
  expect_count(values.size(), static_cast<std::size_t>(indicator_count()));
  core_.need_values();
  evaluate([&] {
    const Preview* pending = core_.pending();
    const Vector& phi = pending ? pending->indicators() : core_.model_exchange().indicators();
    fill_in_order(&ExchangeArrays::indicators, values,
                  [&](std::span<double> list) { copy(phi, list); });
  });
}

bool ModelExchange::completed_step() {
  bool needed = false;
  evaluate([&] { needed = core_.model_exchange().completed_step(); });
  return needed;
}

}  // namespace mbs
