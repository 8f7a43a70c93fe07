#include "fmu_src/input_access.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/text.hpp"

namespace mbs {

InputAccess::InputAccess(InstanceCore& core) : core_(core) {
  reset();
  if (core.variables().resizable && core.options.fmi_version == 3) return;
  constexpr double most = std::numeric_limits<double>::max();
  for (const Variable& v : core.variables().variables) {
    if (v.source != Source::input) continue;
    if (v.index == 0) first_ = v.reference;
    if (v.reference != first_ + bounds_.size()) break;
    bounds_.push_back({std::max(v.minimum, -most), std::min(v.maximum, most)});
  }
}

void InputAccess::reset() {
  has_derivatives_ = false;
  sampled_ = SampledInputs(core_.sizes().u);
}

// A sampled input goes on from sample to sample until it is set in event mode.
void InputAccess::set(int i, double value) {
  const StateMachine& machine = core_.machine;
  if (machine.kind() == Kind::model_exchange) return core_.model_exchange().set_input(i, value);
  CoSimulationDriver& driver = core_.co_simulation();
  if (machine.is_in(event_mode)) sampled_.forget(i);
  if (machine.is_in(intermediate_update_mode) || (machine.is_in(step_mode) && sampled_.has(i))) {
    const Inputs::Jet u = sampled_.add(i, driver.time(), value);
    driver.set_input(i, value, u.first, u.second);
  } else if (machine.is_in(event_mode)) {
    driver.set_input(i, value);
  } else {
    driver.inputs().set_value(i, value, driver.time());
  }
}

void InputAccess::set_derivatives(std::span<const std::uint32_t> references,
                                  std::span<const int> orders, std::span<const double> values) {
  for (std::size_t i = 0; i < references.size(); ++i) {
    const bool possible = (orders[i] == 1 || orders[i] == 2) && std::isfinite(values[i]);
    if (possible && references[i] - first_ < bounds_.size()) continue;
    const Variable& v = find_variable(core_.variables(), references[i], ValueType::real);
    if (v.source != Source::input) throw Refusal("'" + v.name + "' is not an input");
    if (orders[i] < 1 || orders[i] > 2)
      throw Refusal("derivatives of inputs have order 1 or 2, not " + std::to_string(orders[i]));
    throw Refusal("the derivative of '" + v.name + "' is " + number_text(values[i]));
  }
  for (std::size_t i = 0; i < references.size(); ++i) {
    const int k = static_cast<int>(references[i] - first_);
    core_.co_simulation().inputs().set_derivative(k, orders[i], values[i], core_.time());
    has_derivatives_ = has_derivatives_ || values[i] != 0.0;
  }
  if (core_.machine.is_in(initialization_mode) && !references.empty())
    core_.experiment.initialized = false;
}

void InputAccess::end_samples() {
  for (int i = 0; i < core_.sizes().u; ++i)
    if (const auto last = sampled_.abandoned(i)) core_.co_simulation().set_input(i, *last);
}

void InputAccess::restore(const Stored& stored) {
  has_derivatives_ = stored.has_derivatives;
  sampled_ = SampledInputs(core_.sizes().u);
  sampled_.restore(stored.samples);
}

}  // namespace mbs
