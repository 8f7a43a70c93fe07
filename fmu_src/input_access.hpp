#pragma once

// Setting inputs: values, their derivatives for one step, and samples within steps.

#include <vector>

#include "fmu_src/instance_core.hpp"
#include "fmu_src/sampled_inputs.hpp"

namespace mbs {

class InputAccess {
 public:
  explicit InputAccess(InstanceCore& core);

  // Forgets samples and derivatives; after a reset and after a change of the model's sizes.
  void reset();

  void set(int i, double value);
  // The n-th derivative of inputs at the present time, for the next step alone: FMI 2.0 sets inputs
  // and their derivatives with respect to the beginning of a communication step. An input that is
  // not set again stays where the step took it.
  void set_derivatives(std::span<const std::uint32_t> references, std::span<const int> orders,
                       std::span<const double> values);
  void end_derivatives() {
    if (!has_derivatives_) return;
    has_derivatives_ = false;
    core_.co_simulation().inputs().hold_values();
  }

  // In the callback within a step: an input that is not sampled there any more holds its value.
  void begin_samples() { sampled_.begin_point(); }
  void end_samples();

  // Stored states.
  struct Stored {
    bool has_derivatives = false;
    Vector samples;
  };
  Stored stored() const { return {has_derivatives_, sampled_.stored()}; }
  void restore(const Stored& stored);

  // For the fast path (fast_path.hpp): an input of this reference that takes the value without
  // further checks. False: the call needs set().
  bool set_directly(std::uint32_t reference, double value) {
    const std::uint32_t k = reference - first_;
    if (k >= bounds_.size()) return false;
    const int i = static_cast<int>(k);
    if (sampled_.has(i)) return false;
    CoSimulationDriver* driver = core_.model().co_simulation.get();
    if (driver != nullptr && driver->inputs().holds(i, value)) return true;
    if (!(value >= bounds_[k].least && value <= bounds_[k].largest)) return false;
    if (driver != nullptr)
      driver->inputs().set_value(i, value, driver->time());
    else
      core_.model_exchange().set_input(i, value);
    return true;
  }
  // The first derivative, and the second unless it is null, of an input that has just been set.
  bool set_derivatives_directly(std::uint32_t reference, double first, const double* second) {
    const std::uint32_t k = reference - first_;
    if (k >= bounds_.size()) return false;
    const double sum = std::abs(first) + (second != nullptr ? std::abs(*second) : 0.0);
    if (!std::isfinite(sum) ||
        !core_.co_simulation().inputs().set_derivatives_too(static_cast<int>(k), first, second))
      return false;
    has_derivatives_ = has_derivatives_ || sum != 0.0;
    return true;
  }

 private:
  struct Bounds {
    double least, largest;  // finite
  };

  InstanceCore& core_;
  // Inputs have consecutive references; none in FMUs that have references of arrays alone.
  std::uint32_t first_ = 0;
  std::vector<Bounds> bounds_;
  bool has_derivatives_ = false;  // set for the next step
  SampledInputs sampled_;
};

}  // namespace mbs
