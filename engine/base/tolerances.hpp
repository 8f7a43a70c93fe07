#pragma once

// The tolerances that an error is measured by: relative and absolute, the same for all of (p, v, r)
// or one for each component.

#include "engine/base/types.hpp"

namespace mbs {

struct Tolerances {
  double rtol = 1e-6;
  double atol = 1e-8;
  Vector rtol_each, atol_each;  // per component of (p, v, r); empty: the scalars
};

}  // namespace mbs
