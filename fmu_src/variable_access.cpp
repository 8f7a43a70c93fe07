#include "fmu_src/variable_access.hpp"

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

template <class T>
constexpr ValueType type_of = std::is_same_v<T, double> ? ValueType::real : ValueType::integer;

}  // namespace

std::span<const std::uint32_t> VariableAccess::scalars(std::span<const std::uint32_t> references,
                                                       int buffer) {
  const VariableTable& table = core_.variables();
  if (core_.options.fmi_version == 2) return references;  // which has no arrays
  for (const std::uint32_t reference :
       table.resizable ? references : std::span<const std::uint32_t>())
    if (const ArrayVariable* array = table.find_array(reference))
      if (table.variables[array->elements.front()].resizable)
        throw Refusal("'" + array->name + "' has another type: UInt64");
  try {
    return scalars_of(table, references, scalars_[static_cast<std::size_t>(buffer)]);
  } catch (const std::out_of_range& error) {
    throw Refusal(error.what());
  }
}

double VariableAccess::output(const Variable& v, const Preview* pending) {
  if (core_.options.event_mode_used && !core_.machine.is_in(initialization_mode))
    if (const std::optional<double> counter = discrete_.event_mode_counter(v.index))
      return *counter;
  return pending ? pending->output(v.index) : core_.system().output(v.index);
}

double VariableAccess::indicator(int i, const Preview* pending) {
  if (pending != nullptr) return pending->indicators()[i];
  ModelExchangeDriver* driver = core_.model().model_exchange.get();
  return (driver != nullptr ? driver->indicators() : core_.system().indicators())[i];
}

double VariableAccess::computed(const Variable& v) {
  HybridSystem& system = core_.system();
  const EventRecord& events = system.events();
  const Preview* pending = core_.pending();
  const State& state = pending ? pending->state() : system.state();
  const auto contact = [&]() -> const Structure::Contact& {
    return core_.structure().contacts[static_cast<std::size_t>(v.index)];
  };
  switch (v.source) {
    case Source::output:
      return output(v, pending);
    case Source::state:
      return state.r[v.index];
    case Source::algebraic:
      return state.w[v.index];
    case Source::derivative:
      return (pending ? pending->rates() : system.rates())[v.index];
    case Source::indicator:
      return indicator(v.index, pending);
    case Source::event_count:
      return events.count(v.index);
    case Source::contact_mode:
      return state.modes[static_cast<std::size_t>(contact().mode)];
    case Source::contact_count: {
      double count = 0.0;
      for (int k = 0; k < functions_of(contact()); ++k) count += events.count(contact().phi + k);
      return count;
    }
    default:
      return continuous_state(state, v.index);
  }
}

double VariableAccess::value_of(const Variable& v) {
  HybridSystem& system = core_.system();
  const bool at_start = core_.machine.is_in(initialization_mode);
  const Experiment& experiment = core_.experiment;
  switch (v.source) {
    case Source::time:
      return experiment.initialized ? system.time() : experiment.start;
    case Source::parameter:
      // The static equilibrium determines trimmed parameters and those calculated from them.
      if (at_start && v.causality == Causality::calculated_parameter &&
          !system.choice().trims.empty())
        core_.ensure_initialized();
      return system.parameters().value(v.index);
    case Source::input:
      return core_.model().with_driver([&](auto& driver) { return driver.input(v.index); });
    default:
      break;
  }
  if (at_start) core_.ensure_initialized();
  if (!experiment.initialized && core_.machine.is_in(failed))
    throw Refusal(quoted(v) + " has no value, there was no successful initialization");
  if (!experiment.initialized) return 0.0;  // there is no value yet
  const double x = computed(v);
  if (std::isnan(x))
    core_.machine.warn(quoted(v) + " is not a number at t = " + number_text(system.time()));
  return x;
}

template <class T>
void VariableAccess::get(std::span<const std::uint32_t> references, std::span<T> values) {
  const auto variable = [&](std::uint32_t reference) -> const Variable& {
    return find_variable(core_.variables(), reference, type_of<T>);
  };
  expect_count(values.size(), references.size());
  for (const std::uint32_t reference : references) variable(reference);
  for (std::size_t i = 0; i < references.size(); ++i) {
    const double x = value_of(variable(references[i]));
    if constexpr (std::is_same_v<T, double>) {
      values[i] = x;
    } else {
      constexpr double largest = std::numeric_limits<T>::max();
      values[i] = static_cast<T>(std::isnan(x) ? 0.0 : std::clamp(x, -largest, largest));
    }
  }
}

template <class T>
void VariableAccess::set(std::span<const std::uint32_t> references, std::span<const T> values) {
  expect_count(values.size(), references.size());
  for (std::size_t i = 0; i < references.size(); ++i)
    check_settable(find_variable(core_.variables(), references[i], type_of<T>),
                   static_cast<double>(values[i]));
  bool states = false;
  for (std::size_t i = 0; i < references.size(); ++i) {
    const Variable& v = core_.variables().variables[references[i]];
    const auto value = static_cast<double>(values[i]);
    if (v.source == Source::input)
      inputs_.set(v.index, value);
    else if (v.source == Source::parameter)
      core_.system().parameters().set(v.index, value);
    else
      states = true;
  }
  if (states) exchange_.set_states(references, values);
  if (core_.machine.is_in(initialization_mode) && !references.empty())
    core_.experiment.initialized = false;
}

template void VariableAccess::get(std::span<const std::uint32_t>, std::span<double>);
template void VariableAccess::get(std::span<const std::uint32_t>, std::span<std::int32_t>);
template void VariableAccess::set(std::span<const std::uint32_t>, std::span<const double>);
template void VariableAccess::set(std::span<const std::uint32_t>, std::span<const std::int32_t>);

// In model exchange importers set continuous states one by one, too (FMI 2.0.5 3.2.3, FMI 3.0.2
// 3.2.1), but in continuous-time mode alone.
void VariableAccess::check_settable(const Variable& v, double value) const {
  const StateMachine& machine = core_.machine;
  if (machine.is_in(continuous_time_mode) && is_continuous_state(v)) {
    if (std::isfinite(value)) return;
    throw Refusal("the value for " + quoted(v) + " is " + number_text(value), Status::discard);
  }
  if (v.causality != Causality::parameter && v.causality != Causality::input) {
    const std::string kind(v.variability == Change::constant ? keyword(v.variability)
                                                             : keyword(v.causality));
    throw Refusal(quoted(v) + " cannot be set, its kind is " + kind);
  }
  if (machine.is_in(intermediate_update_mode) && v.causality != Causality::input)
    throw Refusal(quoted(v) + " cannot be set within a step; continuous inputs can");
  if (v.variability == Change::fixed && !machine.is_in(instantiated | initialization_mode))
    throw Refusal(quoted(v) +
                  " is a fixed parameter and cannot be set once initialization is over; make it "
                  "tunable in the model");
  if (!std::isfinite(value))
    throw Refusal("the value for " + quoted(v) + " is " + number_text(value));
  if (value < v.minimum || value > v.maximum)
    throw Refusal("the value " + number_text(value) + " for " + quoted(v) + " is not between " +
                      number_text(v.minimum) + " and " + number_text(v.maximum),
                  Status::discard);
}

void VariableAccess::get_output_derivatives(std::span<const std::uint32_t> references,
                                            std::span<const int> orders, std::span<double> values) {
  std::fill(values.begin(), values.end(), 0.0);
  for (const int order : orders)
    if (order < 1 || order > 2)
      throw Refusal("derivatives of outputs have order 1 or 2, not " + std::to_string(order));
  const auto elements = scalars(references);
  expect_count(values.size(), elements.size());
  for (const std::uint32_t reference : elements) {
    const Variable& v = find_variable(core_.variables(), reference, ValueType::real);
    if (v.source != Source::output) throw Refusal("'" + v.name + "' is not an output");
  }
  core_.need_values();
  evaluate([&] {
    for (std::size_t k = 0, i = 0; k < references.size(); ++k) {
      const std::size_t count = scalars(references.subspan(k, 1), 1).size();
      for (const std::size_t end = i + count; i < end; ++i) {
        const Variable& v = core_.variables().variables[elements[i]];
        values[i] = derivatives_.of_outputs(orders[k])[v.index];
      }
    }
  });
}

}  // namespace mbs
