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
//   d = w/|w|,   w = v + s n z,   n = (1 - |v|^2/s^2)^2,   z alone where that is next to nothing
//
// What comes to rest is found a little after it, by a step that goes over it, and friction that
// turned with v on the way would be a jump within that step. So a v that points back from z counts
// as -v (while it is slow, with what is across z as it is: friction damps that):
//
//   w = |v z| z + (2 n - 1) (v - (v z) z) + s n z   where v z < -(1 - n)/2 |v|
//
// That is out of the way of what only turns: its z is renewed at 60 degrees (turned_away).

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

constexpr double cosine_of_60 = 0.5;

// v z has to be more than this, or what is not slow has turned away from z by 60 degrees.
inline double turned_away(double square_of_v, double slow) {
  if (!(square_of_v > slow * slow)) return 0.0;
  const double part = 1.0 - slow * slow / square_of_v;
  return cosine_of_60 * part * part * std::sqrt(square_of_v);
}

template <class T>
std::array<T, 2> slow_direction(const std::array<T, 2>& v, const std::array<double, 2>& z,
                                double slow) {
  constexpr double least = 1e-9, no_direction = 1e-3;
  const double s = std::max(slow, least);
  const T square_of_v = v[0] * v[0] + v[1] * v[1];
  const T part = 1.0 - (1.0 / (s * s)) * square_of_v;
  const T n = part > 0.0 ? part * part : T(0.0);
  const T along = z[0] * v[0] + z[1] * v[1];
  const T least_along = cosine_of_60 * (1.0 - n);
  const bool back = along < 0.0 && along * along > least_along * least_along * square_of_v;
  const T across = back ? 2.0 * n - 1.0 : T(1.0);
  const T forward = s * n - (back ? along + across * along : T(0.0));
  const std::array<T, 2> w = {across * v[0] + forward * z[0], across * v[1] + forward * z[1]};
  using std::sqrt;
  const T square = w[0] * w[0] + w[1] * w[1];
  if (!(square > no_direction * no_direction * s * s)) return {T(z[0]), T(z[1])};
  const T length = sqrt(square);
  return {w[0] / length, w[1] / length};
}

}  // namespace mbs
