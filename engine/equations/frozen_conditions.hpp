#pragma once

// Conditions in laws whose values z keeps between events, so that a law jumps at events alone.
// Before consistent initial values are known such a z is NaN, and the law takes its condition as it
// is there. A change of parameters may make a condition true or false whose event lies in the past;
// conditions are therefore frozen anew after it.

#include "engine/equations/equations.hpp"

namespace mbs {

class FrozenConditions {
 public:
  virtual ~FrozenConditions() = default;
  // Gives each z the value of its condition just after the time of x. False: there are none.
  virtual bool freeze_conditions(const Context& context, State& x, Workspace& ws) const = 0;
};

}  // namespace mbs
