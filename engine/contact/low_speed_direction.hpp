#pragma once

// The direction of sliding friction at low speed. A contact that has just begun to slide comes from
// zero velocity v, where friction that follows the direction of v is as stiff as limit/|v|; later
// its velocity is as good as any other. Below the low speed
//
//   s(t) = s0/(1 + ((t - t0)/T)^2)
//
// (s0, t0 and 1/T are three numbers in State::z from Structure::Contact::low_speed on) the
// direction z that was found with the forces at the onset of sliding counts as well:
//
//   d = w/|w|,   w = u + s (1 - |v|^2/s^2)^2 z,   d = z where w is next to zero
//
// A contact that begins to slide together with others has not found its direction yet and may move
// back from z by s/4; a contact faster than s gets a new z where it has turned by 60 degrees. It
// slides as long as the indicator
//
//   v z + s/4 - |v|/2 (1 - s^2/|v|^2)^2 >= 0     (the last term for |v| > s)
//
// The end of sliding is found a little late, by a step that passes it, and friction that had turned
// with v would jump within that step. Therefore u = v until v has moved back by more than s/4; from
// there u turns to -v, past z, within the cosine `turning`:
//
//   u = m v + (1 - |m|) |v| z,   m = 1 + 2 (v z + s/4)/(turning |v|) within -1 ... 1

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/types.hpp"

namespace mbs {

constexpr int low_speed_entries = 3;
constexpr double cosine_of_60 = 0.5, allowed_return = 0.25;

inline double low_speed(const Vector& z, int entry, double t) {
  const double late = (t - z[entry + 1]) * z[entry + 2];
  return z[entry] / (1.0 + late * late);
}

// along: v z
inline double sliding_indicator(double along, double square_of_v, double s) {
  const double left = along + allowed_return * s;
  if (!(square_of_v > s * s)) return left;
  const double part = 1.0 - s * s / square_of_v;
  return left - cosine_of_60 * part * part * std::sqrt(square_of_v);
}

template <class T>
std::array<T, 2> low_speed_direction(const std::array<T, 2>& v, const std::array<double, 2>& z,
                                     double at_speed) {
  constexpr double least = 1e-9, no_direction = 1e-3, turning = 0.5;
  using std::sqrt;
  const double s = std::max(at_speed, least);
  const T square_of_v = v[0] * v[0] + v[1] * v[1];
  const T part = 1.0 - (1.0 / (s * s)) * square_of_v;
  T of_v = T(1.0), of_z = part > 0.0 ? s * part * part : T(0.0);
  const T forward = z[0] * v[0] + z[1] * v[1] + allowed_return * s;
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
