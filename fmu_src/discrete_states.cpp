#include "fmu_src/discrete_states.hpp"

#include <algorithm>

namespace mbs {

void DiscreteStates::enter_event_mode() {
  if (!core_.options.event_mode_used && core_.machine.kind() == Kind::co_simulation)
    throw Refusal("event mode was not requested when the instance was made");
  core_.machine.enter(event_mode);
  happened_.clear();
}

bool DiscreteStates::update() {
  const EventRecord& events = core_.system().events();
  core_.model().with_driver([](auto& driver) { driver.apply_discrete_changes(); });
  core_.log_events();
  hold_counters();
  happened_.clear();
  if (!clocks_ || events.has_ended()) return false;
  for (const Root& event : events.reported()) happened_.push_back(event.function);
  return !happened_.empty();
}

const OutputClock& DiscreteStates::clock(std::uint32_t reference) const {
  const std::vector<OutputClock>& clocks = core_.variables().clocks;
  if (!clocks_ || reference < first_clock || reference - first_clock >= clocks.size())
    throw Refusal("there is no clock with the value reference " + std::to_string(reference));
  return clocks[reference - first_clock];
}

// A clock ticks from the time when its event is due until the event has happened; a clock whose
// event follows from another one ticks until the next update.
void DiscreteStates::get_clocks(std::span<const std::uint32_t> references,
                                std::span<bool> ticks) const {
  for (const std::uint32_t reference : references) clock(reference);
  if (!core_.machine.is_in(event_mode) && !references.empty())
    throw Refusal("clocks tick in event mode and can be read there alone");
  for (std::size_t i = 0; i < references.size(); ++i) {
    const OutputClock& one = clock(references[i]);
    ticks[i] = false;
    for (int function = one.first; function < one.first + one.count; ++function)
      ticks[i] = ticks[i] || core_.system().events().is_due(function) ||
                 std::ranges::find(happened_, function) != happened_.end();
  }
}

void DiscreteStates::refuse_clocks(std::span<const std::uint32_t> references) const {
  for (const std::uint32_t reference : references)
    throw Refusal("'" + clock(reference).name +
                  "' is an output clock, it ticks by itself and cannot be set");
}

void DiscreteStates::hold_counters() {
  const auto& counted = core_.structure().statistic_outputs;
  counters_.resize(static_cast<Eigen::Index>(counted.size()));
  for (std::size_t i = 0; i < counted.size(); ++i)
    counters_[static_cast<Eigen::Index>(i)] = core_.system().output(counted[i].output);
}

std::optional<double> DiscreteStates::event_mode_counter(int output) const {
  const auto& counted = core_.structure().statistic_outputs;
  for (std::size_t i = 0; i < counted.size() && std::ssize(counted) == counters_.size(); ++i)
    if (counted[i].output == output) return counters_[static_cast<Eigen::Index>(i)];
  return std::nullopt;
}

DiscreteStates::Stored DiscreteStates::stored() const {
  const auto count = static_cast<Eigen::Index>(core_.structure().statistic_outputs.size());
  return {happened_, counters_.size() == count ? counters_ : Vector(Vector::Zero(count))};
}

void DiscreteStates::restore(Stored stored) {
  happened_ = std::move(stored.happened);
  counters_ = std::move(stored.counters);
}

}  // namespace mbs
