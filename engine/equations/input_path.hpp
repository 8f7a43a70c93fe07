#pragma once

// Inputs along time. Where `second` has more entries than there are inputs, polynomials go on:
//
//   u(t0 + s) = value + s first + s^2/2 second + sum_k c_k s^k,  k = 3 ... 8
//
// with c_k of input i at second[i + (k - 2) n]. Whoever reads inputs at a time reads them here.

#include "engine/equations/equations.hpp"

namespace mbs {

constexpr int highest_input_power = 8;

struct InputJet {
  double value, first, second;
};

inline bool goes_on(const Inputs& u) {
  return u.second.size() > u.value.size();
}

inline double input_at(const Inputs& u, int i, double t) {
  const double s = t - u.t0;
  const Eigen::Index n = u.value.size();
  double rest = 0.0;
  if (goes_on(u))
    for (int k = highest_input_power; k > 2; --k) rest = s * (rest + u.second[i + (k - 2) * n]);
  return u.value[i] + s * (u.first[i] + s * (0.5 * u.second[i] + rest));
}

inline InputJet input_jet(const Inputs& u, int i, double t) {
  const double s = t - u.t0;
  const Eigen::Index n = u.value.size();
  InputJet rest{0.0, 0.0, 0.0};  // over s^2, s and 1
  if (goes_on(u))
    for (int k = highest_input_power; k > 2; --k) {
      const double c = u.second[i + (k - 2) * n];
      rest = {s * (rest.value + c), s * (rest.first + k * c), s * (rest.second + k * (k - 1) * c)};
    }
  return {u.value[i] + s * (u.first[i] + s * (0.5 * u.second[i] + rest.value)),
          u.first[i] + s * (u.second[i] + rest.first), u.second[i] + rest.second};
}

}  // namespace mbs
