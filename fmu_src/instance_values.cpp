// Values of variables, asked for and set.

#include "fmu_src/instance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/text.hpp"
#include "fmu_src/arrays.hpp"

namespace mbs {
namespace {

std::string quoted(const Variable& v) {
  return "'" + v.name + "'";
}

bool is_continuous_state(const Variable& v) {
  return v.source == Source::continuous || v.source == Source::state;
}

}  // namespace

const Variable& Instance::variable(std::uint32_t reference, ValueType type) const {
  const Variable* v = packed_->variables.find(reference);
  if (v == nullptr)
    throw Refusal("there is no variable with the value reference " + std::to_string(reference));
  if (v->type != type)
    throw Refusal(quoted(*v) + " (value reference " + std::to_string(reference) +
                  ") has another type: " + (v->type == ValueType::real ? "real" : "integer"));
  return *v;
}

// In event mode what is set is seen at once, so that importers can iterate over loops; between
// steps it is for the next one: to look at anything before that is forbidden (FMI 2.0.5 4.2.4, FMI
// 3.0.2 4.2.1), and what the step has computed stays.
const Simulation::Preview* Instance::pending() {
  if (phase_ != in_events || !simulation_->has_pending()) return nullptr;
  try {
    return &simulation_->preview();
  } catch (const SolverFailure& failure) {  // others may be set
    throw Refusal(failure.what(), Status::discard);
  }
}

double Instance::computed(const Variable& v) {
  const Simulation::Preview* pending = this->pending();
  const State& state = pending ? pending->x : simulation_->state();
  switch (v.source) {
    case Source::output:
      if (event_mode_ && phase_ != initialization) {
        const auto& counted = packed_->equations->structure().statistic_outputs;
        for (std::size_t i = 0; i < counted.size() && std::ssize(counted) == counters_.size(); ++i)
          if (counted[i].output == v.index) return counters_[static_cast<Eigen::Index>(i)];
      }
      return pending ? pending->y[v.index] : simulation_->output(v.index);
    case Source::state:
      return state.r[v.index];
    case Source::algebraic:
      return state.w[v.index];
    case Source::derivative:
      return (pending ? pending->dx : simulation_->rates())[v.index];
    case Source::indicator:
      return (pending ? pending->phi : simulation_->indicators())[v.index];
    case Source::event_count:
      return simulation_->event_count(v.index);
    case Source::contact_count:
    case Source::contact_mode: {
      const auto& contacts = packed_->equations->structure().contacts;
      const Structure::Contact& c = contacts[static_cast<std::size_t>(v.index)];
      if (v.source == Source::contact_mode) return state.modes[static_cast<std::size_t>(c.mode)];
      double count = 0.0;
      for (int k = 0; k < functions_of(c); ++k) count += simulation_->event_count(c.phi + k);
      return count;
    }
    default:
      break;
  }
  const Eigen::Index i = v.index, p = state.p.size();
  if (i < p) return state.p[i];
  return i < p + state.v.size() ? state.v[i - p] : state.r[i - p - state.v.size()];
}

void Instance::hold_counters() {
  const auto& counted = packed_->equations->structure().statistic_outputs;
  counters_.resize(static_cast<Eigen::Index>(counted.size()));
  for (std::size_t i = 0; i < counted.size(); ++i)
    counters_[static_cast<Eigen::Index>(i)] = simulation_->output(counted[i].output);
}

double Instance::value_of(const Variable& v) {
  switch (v.source) {
    case Source::time:
      return initialised_ ? simulation_->time() : start_time_;
    case Source::parameter:
      // Those that are found with a rest, and what is made of them.
      if (phase_ == initialization && v.causality == Causality::calculated_parameter &&
          !simulation_->solver().trims.empty())
        ensure_initialised();
      return simulation_->parameter(v.index);
    case Source::input:
      return simulation_->input(v.index);
    case Source::output:
    case Source::state:
    case Source::algebraic:
    case Source::continuous:
    case Source::derivative:
    case Source::indicator:
    case Source::event_count:
    case Source::contact_count:
    case Source::contact_mode:
      break;
  }
  if (phase_ == initialization) ensure_initialised();
  if (!initialised_ && phase_ == failed)
    throw Refusal(quoted(v) + " has no value, there was no successful initialisation");
  if (!initialised_) return 0.0;  // there is no value yet
  const double x = computed(v);
  if (std::isnan(x))
    warn(quoted(v) + " is not a number at t = " + number_text(simulation_->time()));
  return x;
}

std::span<const std::uint32_t> Instance::scalars(std::span<const std::uint32_t> references,
                                                 int use) {
  if (fmi_version_ == 2) return references;  // which has no arrays
  const bool resizable = packed_->variables.resizable;
  for (const std::uint32_t reference : resizable ? references : std::span<const std::uint32_t>())
    if (const ArrayVariable* array = packed_->variables.find_array(reference))
      if (packed_->variables.variables[array->elements.front()].resizable)
        throw Refusal("'" + array->name + "' has another type: UInt64");
  try {
    return scalars_of(packed_->variables, references, scalars_[static_cast<std::size_t>(use)]);
  } catch (const std::out_of_range& error) {
    throw Refusal(error.what());
  }
}

template <class T>
constexpr ValueType type_of = std::is_same_v<T, double> ? ValueType::real : ValueType::integer;

template <class T>
void Instance::get(std::span<const std::uint32_t> references, std::span<T> values) {
  expect_count(values.size(), static_cast<int>(references.size()));
  for (const std::uint32_t reference : references) variable(reference, type_of<T>);
  for (std::size_t i = 0; i < references.size(); ++i) {
    const double x = value_of(variable(references[i], type_of<T>));
    if constexpr (std::is_same_v<T, double>) {
      values[i] = x;
    } else {
      constexpr double largest = std::numeric_limits<T>::max();
      values[i] = static_cast<T>(std::isnan(x) ? 0.0 : std::clamp(x, -largest, largest));
    }
  }
}

template <class T>
void Instance::set(std::span<const std::uint32_t> references, std::span<const T> values) {
  expect_count(values.size(), static_cast<int>(references.size()));
  for (std::size_t i = 0; i < references.size(); ++i)
    check_settable(variable(references[i], type_of<T>), static_cast<double>(values[i]));
  bool states = false;
  for (std::size_t i = 0; i < references.size(); ++i) {
    const Variable& v = packed_->variables.variables[references[i]];
    const auto value = static_cast<double>(values[i]);
    if (v.source == Source::input)
      put_input(v.index, value);
    else if (v.source == Source::parameter)
      simulation_->set_parameter(v.index, value);
    else
      states = true;
  }
  if (states) set_some_states(references, values);
  if (phase_ == initialization && !references.empty()) initialised_ = false;
}

template <class T>
void Instance::set_some_states(std::span<const std::uint32_t> references,
                               std::span<const T> values) {
  unordered_.resize(static_cast<std::size_t>(state_count()));
  simulation_->exchange_states(unordered_);
  for (std::size_t i = 0; i < references.size(); ++i) {
    const Variable& v = packed_->variables.variables[references[i]];
    if (is_continuous_state(v))
      unordered_[static_cast<std::size_t>(place_of(v))] = static_cast<double>(values[i]);
  }
  simulation_->set_exchange_states(unordered_);
}

// What was set within a step goes on from point to point, until event mode says otherwise.
void Instance::put_input(int i, double value) {
  if (phase_ == in_events) sampled_.forget(i);
  if (phase_ == intermediate || (phase_ == stepping && sampled_.has(i))) {
    const Inputs::Jet u = sampled_.add(i, simulation_->time(), value);
    simulation_->set_input(i, value, u.first, u.second);
  } else if (phase_ == in_events) {
    simulation_->set_input(i, value);
  } else {
    simulation_->set_input_value(i, value);
  }
}

template void Instance::get(std::span<const std::uint32_t>, std::span<double>);
template void Instance::get(std::span<const std::uint32_t>, std::span<std::int32_t>);
template void Instance::set(std::span<const std::uint32_t>, std::span<const double>);
template void Instance::set(std::span<const std::uint32_t>, std::span<const std::int32_t>);

// Model exchange: importers set continuous states one by one, too (FMI 2.0.5 3.2.3, FMI 3.0.2
// 3.2.1), in continuous-time mode alone.
void Instance::check_settable(const Variable& v, double value) const {
  if (phase_ == continuous_time && is_continuous_state(v)) {
    if (std::isfinite(value)) return;
    throw Refusal("the value for " + quoted(v) + " is " + number_text(value), Status::discard);
  }
  if (v.causality != Causality::parameter && v.causality != Causality::input) {
    const std::string kind(v.variability == Change::constant ? keyword(v.variability)
                                                             : keyword(v.causality));
    throw Refusal(quoted(v) + " cannot be set, its kind is " + kind);
  }
  if (phase_ == intermediate && v.causality != Causality::input)
    throw Refusal(quoted(v) + " cannot be set within a step; continuous inputs can");
  if (v.variability == Change::fixed && (phase_ & (instantiated | initialization)) == 0)
    throw Refusal(quoted(v) +
                  " is a fixed parameter and cannot be set once initialisation is over; make it "
                  "tunable in the model");
  if (!std::isfinite(value))
    throw Refusal("the value for " + quoted(v) + " is " + number_text(value));
  if (value < v.minimum || value > v.maximum)
    throw Refusal("the value " + number_text(value) + " for " + quoted(v) + " is not between " +
                      number_text(v.minimum) + " and " + number_text(v.maximum),
                  Status::discard);
}

void Instance::no_such_variables(std::span<const std::uint32_t> references,
                                 const char* type) const {
  if (references.empty()) return;
  throw Refusal(std::string("this FMU has no variables of type ") + type);
}

void Instance::set_input_derivatives(std::span<const std::uint32_t> references,
                                     std::span<const int> orders, std::span<const double> values) {
  for (std::size_t i = 0; i < references.size(); ++i) {
    const bool possible = (orders[i] == 1 || orders[i] == 2) && std::isfinite(values[i]);
    if (possible && references[i] - first_input_ < bounds_.size()) continue;
    const Variable& v = variable(references[i], ValueType::real);
    if (v.source != Source::input) throw Refusal(quoted(v) + " is not an input");
    if (orders[i] < 1 || orders[i] > 2)
      throw Refusal("derivatives of inputs have order 1 or 2, not " + std::to_string(orders[i]));
    throw Refusal("the derivative of " + quoted(v) + " is " + number_text(values[i]));
  }
  for (std::size_t i = 0; i < references.size(); ++i) {
    const int k = static_cast<int>(references[i] - first_input_);
    simulation_->set_input_derivative(k, orders[i], values[i]);
    ramps_ = ramps_ || values[i] != 0.0;
  }
  if (phase_ == initialization && !references.empty()) initialised_ = false;
}

}  // namespace mbs
