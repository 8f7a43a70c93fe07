#pragma once

// Communication steps.

#include "fmu_src/input_access.hpp"
#include "fmu_src/instance_core.hpp"

namespace mbs {

// How a step ended, apart from its status and the time that was reached.
struct StepEnd {
  bool event = false;  // event mode is needed
  bool early = false;  // before the requested communication point
};

// Advances from `time`, where the instance must be, to time + step. Throws Refusal.
StepEnd do_step(InstanceCore& core, InputAccess& inputs, double time, double step);

}  // namespace mbs
