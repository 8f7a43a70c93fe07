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
//   d = w/|w|,   w = u + s (1 - |v|^2/s^2)^2 z,   z alone where that is next to nothing
//
// What begins to slide with others looks for its way and may go back from z by s/4; what is not
// slow gets a new z where it has turned by 60 degrees. It slides as long as
//
//   v z + s/4 - |v|/2 (1 - s^2/|v|^2)^2 >= 0     (the last for |v| > s)
//
// What comes to rest is found a little after it, by a step that goes over it, where friction that
// had turned with v would be a jump within that step. So u = v until v has gone back by more than
// s/4, and from there it goes over to -v, past z, within the cosine `turning`:
//
//   u = m v + (1 - |m|) |v| z,   m = 1 + 2 (v z + s/4)/(turning |v|), -1 ... 1

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/types.hpp"

namespace mbs {

constexpr int slow_entries = 3;

inline double slow_speed(const Vector& z, int slow, double t) {
  const double late = (t - z[slow + 1]) * z[slow + 2];
  return z[slow] / (1.0 + late * late);
}

constexpr double cosine_of_60 = 0.5, slow_back = 0.25;

inline double sliding_left(double along, double square_of_v, double slow) {
  const double left = along + slow_back * slow;
  if (!(square_of_v > slow * slow)) return left;
  const double part = 1.0 - slow * slow / square_of_v;
  return left - cosine_of_60 * part * part * std::sqrt(square_of_v);
}

template <class T>
std::array<T, 2> slow_direction(const std::array<T, 2>& v, const std::array<double, 2>& z,
                                double slow) {
  constexpr double least = 1e-9, no_direction = 1e-3, turning = 0.5;
  using std::sqrt;
  const double s = std::max(slow, least);
  const T square_of_v = v[0] * v[0] + v[1] * v[1];
  const T part = 1.0 - (1.0 / (s * s)) * square_of_v;
  T of_v = T(1.0), of_z = part > 0.0 ? s * part * part : T(0.0);
  const T forward = z[0] * v[0] + z[1] * v[1] + slow_back * s;
  if (forward < 0.0) {
    const T size = sqrt(square_of_v);
    of_v = 1.0 + 2.0 / turning * (forward / size);
    if (of_v < -1.0) of_v = T(-1.0);
    of_z += size * (of_v < 0.0 ? 1.0 + of_v : 1.0 - of_v);
  }
  const std::array<T, 2> w = {of_v * v[0] + of_z * z[0], of_v * v[1] + of_z * z[1]};
  const T square = w[0] * w[0] + w[1] * w[1];
  if (!(square > no_direction * no_direction * s * s)) return {T(z[0]), T(z[1])};
  const T length = sqrt(square);
  return {w[0] / length, w[1] / length};
}

}  // namespace mbs
