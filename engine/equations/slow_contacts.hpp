#pragma once

// The speed below which a contact that slides is not known to go where its velocity says, three
// numbers in z from Structure::Contact::slow on: s0, since when t0, and 1/T,
//
//   s(t) = s0/(1 + ((t - t0)/T)^2)
//
// What begins to slide comes from zero, where friction that follows the first digits of a velocity
// is as stiff as limit/|v|; later its velocity is as good as any.

#include "engine/linear/types.hpp"

namespace mbs {

constexpr int slow_entries = 3;

inline double slow_speed(const Vector& z, int slow, double t) {
  const double late = (t - z[slow + 1]) * z[slow + 2];
  return z[slow] / (1.0 + late * late);
}

}  // namespace mbs
