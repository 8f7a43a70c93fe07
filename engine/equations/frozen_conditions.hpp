#pragma once

// Conditions in laws whose values z keeps between events, so that a law jumps at events alone.
// Before consistent initial values are known such a z is NaN, and the law takes its condition as it
// is there.

#include "engine/equations/equations.hpp"

namespace mbs {

class FrozenConditions {
 public:
  virtual ~FrozenConditions() = default;
  // Gives each z that is NaN the value of its condition just after the time of x.
  virtual void freeze_conditions(const Context& context, State& x, Workspace& ws) const = 0;
};

}  // namespace mbs
