#include "engine/simulation/event_record.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "engine/base/text.hpp"

namespace mbs {
namespace {

constexpr std::int64_t most_stored_events = 1 << 20;
constexpr double infinity = std::numeric_limits<double>::infinity();

// The difference of two times that are the same but for rounding.
double spacing(double t) {
  return 64.0 * std::numeric_limits<double>::epsilon() * std::max(1.0, std::abs(t));
}

}  // namespace

EventRecord::EventRecord(const Equations& equations)
    : structure_(equations.structure()),
      count_(Vector::Zero(equations.sizes().phi)),
      time_(Vector::Zero(equations.sizes().phi)) {
  functions_.reserve(64);
  taken_.reserve(64);
  uncounted_.reserve(64);
  reported_.reserve(64);
}

bool EventRecord::acts(int function) const {
  const auto& known = structure_.switching[static_cast<std::size_t>(function)];
  return known.acts || known.guards_mode;
}

bool EventRecord::is_time_event(int function) const {
  return structure_.switching[static_cast<std::size_t>(function)].of_time;
}

void EventRecord::count(const Root& event) {
  count_[event.function] += 1.0;
  time_[event.function] = event.t;
  const auto& function = structure_.switching[static_cast<std::size_t>(event.function)];
  if (ended_by_ < 0 && function.terminate) ended_by_ = event.function;
}

// Laws of force may jump at time events, whether they act or not.
void EventRecord::reach(const Root& event, bool leave_uncounted) {
  const bool internal = structure_.switching[static_cast<std::size_t>(event.function)].internal;
  if (leave_uncounted && !internal)
    uncounted_.push_back(event);
  else
    count(event);
  if (!internal) reported_.push_back(event);
  last_reached_ = event.t;
  if (acts(event.function) || is_time_event(event.function)) functions_.push_back(event.function);
}

bool EventRecord::is_due(int function) const {
  return std::ranges::find(functions_, function) != functions_.end() ||
         std::ranges::find(uncounted_, function, &Root::function) != uncounted_.end();
}

bool EventRecord::time_event_is_due() const {
  const auto of_time = [this](int function) { return is_time_event(function); };
  return std::ranges::any_of(functions_, of_time) ||
         std::ranges::any_of(uncounted_, of_time, &Root::function);
}

bool EventRecord::announced_is_reached(double t) const {
  return announced_->function >= 0 && t >= announced_->t - spacing(announced_->t);
}

double EventRecord::law_time(double t) const {
  if (!announced_) return time_event_is_due() ? std::nextafter(t, -infinity) : t;
  const auto [next, function] = *announced_;
  const bool due = function >= 0 && t >= next && t - next <= spacing(next);
  return due ? std::nextafter(next, -infinity) : t;
}

// The order of the model does not depend on the last digits of the events' times.
std::span<const int> EventRecord::take_due() {
  for (const Root& event : uncounted_) count(event);
  uncounted_.clear();
  taken_.clear();
  if (!has_ended()) std::swap(taken_, functions_);
  std::ranges::sort(taken_);
  return taken_;
}

void EventRecord::fill(Vector& y) const {
  for (const auto& [output, function, time] : structure_.event_outputs)
    y[output] = time ? time_[function] : count_[function];
}

std::string EventRecord::end_message() const {
  if (!has_ended()) return {};
  return "event '" + structure_.switching[static_cast<std::size_t>(ended_by_)].name +
         "' at t = " + short_number(time_[ended_by_]) + " ended the simulation";
}

void EventRecord::log(double t, std::span<const std::string> texts) {
  for (const std::string& text : texts) log_.push_back({t, text});
}

void EventRecord::save(ByteWriter& writer) const {
  writer.put(count_);
  writer.put(time_);
  writer.put(ended_by_);
  writer.put<std::int64_t>(std::ssize(functions_));
  for (const int function : functions_) writer.put(function);
  writer.put<std::int64_t>(std::ssize(uncounted_));
  for (const Root& event : uncounted_) {
    writer.put(event.t);
    writer.put(event.function);
    writer.put(event.direction);
  }
  writer.put<std::uint32_t>(announced_.has_value());
  if (!announced_) return;
  writer.put(announced_->t);
  writer.put(announced_->function);
}

void EventRecord::restore(ByteReader& reader) {
  const int functions = static_cast<int>(count_.size());
  reader.get(count_);
  reader.get(time_);
  reader.get(ended_by_);
  if (ended_by_ < -1 || ended_by_ >= functions)
    throw std::runtime_error("the stored state was ended by an event that is not there");
  functions_.resize(restore_count(reader));
  for (int& function : functions_) function = restore_function(reader, functions);
  uncounted_.resize(restore_count(reader));
  for (Root& event : uncounted_) {
    reader.get(event.t);
    event.function = restore_function(reader, functions);
    reader.get(event.direction);
    event.column = 0;
  }
  std::uint32_t has_announced = 0;
  reader.get(has_announced);
  announced_.reset();
  if (has_announced != 0) {
    Equations::TimeEvent next;
    reader.get(next.t);
    reader.get(next.function);
    if (next.function >= functions)
      throw std::runtime_error("the stored state has an event that is not there");
    announced_ = next;
  }
  reported_.clear();
  last_reached_ = -infinity;
  keep_ = false;
  log_.clear();
}

std::size_t restore_count(ByteReader& reader) {
  std::int64_t stored = 0;
  reader.get(stored);
  if (stored < 0 || stored > most_stored_events)
    throw std::runtime_error("the stored state has more events than can be");
  return static_cast<std::size_t>(stored);
}

int restore_function(ByteReader& reader, int functions) {
  int function = -1;
  reader.get(function);
  if (function < 0 || function >= functions)
    throw std::runtime_error("the stored state has an event that is not there");
  return function;
}

}  // namespace mbs
