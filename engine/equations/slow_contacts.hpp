#pragma once

// The speed below which a contact that slides is not known to go where its velocity says, three
// numbers in z from Structure::Contact::slow on: s0, since when t0, and 1/T,
//
//   s(t) = s0/(1 + ((t - t0)/T)^2)
//
// What begins to slide comes from zero, where friction that follows the first digits of a velocity
// v is as stiff as limit/|v|; later its velocity is as good as any. In between the direction z
// counts as well, which was found with the forces where it began:
//
//   d = w/|w|,   w = v + s (1 - |v|^2/s^2)^2 z,   z alone where that is next to nothing

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/linear/types.hpp"

namespace mbs {

constexpr int slow_entries = 3;

inline double slow_speed(const Vector& z, int slow, double t) {
  const double late = (t - z[slow + 1]) * z[slow + 2];
  return z[slow] / (1.0 + late * late);
}

template <class T>
std::array<T, 2> slow_direction(const std::array<T, 2>& v, const std::array<double, 2>& z,
                                double slow) {
  constexpr double least = 1e-9, no_direction = 1e-3;
  const double s = std::max(slow, least);
  std::array<T, 2> w = v;
  const T part = 1.0 - (1.0 / (s * s)) * (v[0] * v[0] + v[1] * v[1]);
  if (part > 0.0) {
    const T weight = s * part * part;
    w = {v[0] + weight * z[0], v[1] + weight * z[1]};
  }
  using std::sqrt;
  const T square = w[0] * w[0] + w[1] * w[1];
  if (!(square > no_direction * no_direction * s * s)) return {T(z[0]), T(z[1])};
  const T length = sqrt(square);
  return {w[0] / length, w[1] / length};
}

}  // namespace mbs
