#pragma once

// Equations that remember something of their inputs' past in z (the lags of driven coordinates)
// are also an InputMemory; who changes inputs or parameters on the way tells it.

#include <string>

#include "engine/equations/equations.hpp"

namespace mbs {

class InputMemory {
 public:
  virtual ~InputMemory() = default;
  // Inputs or parameters change at t: brings z up to that time. Why the change cannot be, for a
  // person; empty: it can.
  virtual std::string change(const Given& before, const Given& after, double t,
                             Vector& z) const = 0;
};

}  // namespace mbs
