#pragma once

// The fast path of co-simulation with small communication steps. While the integrator has already
// computed the interval, importers set one input, its derivatives, and do a step, thousands of
// times in each of its steps, and all that happens is that time advances. Each function here
// carries such a call out and returns true, or changes nothing and returns false: then the call
// takes its general way (c_interface.hpp) with all checks and messages. None of them throws.

#include "fmu_src/instance.hpp"

namespace mbs {

inline bool set_one_input(void* handle, const std::uint32_t* references,
                          std::size_t reference_count, const double* values, std::size_t count) {
  if (handle == nullptr || references == nullptr || values == nullptr || reference_count != 1 ||
      count != 1)
    return false;
  auto& instance = *static_cast<Instance*>(handle);
  return instance.core.machine.is_in(step_mode | continuous_time_mode) &&
         instance.inputs.set_directly(*references, *values);
}

// The first derivative, or the first and the second in this order.
inline bool set_one_inputs_derivatives(void* handle, const std::uint32_t* references,
                                       std::size_t count, const int* orders, const double* values) {
  if (handle == nullptr || references == nullptr || orders == nullptr || values == nullptr ||
      count - 1 > 1 || orders[0] != 1 ||
      (count == 2 && (orders[1] != 2 || references[1] != references[0])))
    return false;
  auto& instance = *static_cast<Instance*>(handle);
  return instance.core.machine.mode() == step_mode &&
         instance.inputs.set_derivatives_directly(*references, values[0],
                                                  count == 2 ? values + 1 : nullptr);
}

// A step to a point within the integrator's last step, without events on the way.
inline bool try_step_within(void* handle, double time, double step) {
  if (handle == nullptr) return false;
  auto& instance = *static_cast<Instance*>(handle);
  InstanceCore& core = instance.core;
  const double end = time + step;
  if (core.machine.mode() != step_mode || (core.experiment.stop && end > *core.experiment.stop) ||
      !(std::abs(core.co_simulation().time() - time) <= 1e-9 * step) ||
      !core.co_simulation().advance_within_step(end))
    return false;
  instance.inputs.end_derivatives();
  return true;
}

}  // namespace mbs
