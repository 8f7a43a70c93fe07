#pragma once

// Derivatives of start values in initialization mode, with respect to inputs, parameters and the
// start time, where the whole consistent initialization follows them: differences of fourth order
// of initializations by another simulation. The instance's own simulation stays as it is.

#include <memory>

#include "fmu_src/instance_core.hpp"

namespace mbs {

class StartDerivatives {
 public:
  // Has to be called after a change of the model's sizes.
  void reset() { trial_.reset(); }

  // column[i] = d unknowns[i] / d known. Throws Refusal.
  void differentiate(const InstanceCore& core, std::span<const std::uint32_t> unknowns,
                     const Variable& known, std::span<double> column);

 private:
  std::unique_ptr<HybridSystem> trial_;
};

}  // namespace mbs
