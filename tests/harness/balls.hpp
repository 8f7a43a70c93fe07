// The balls of models/bouncing_balls.mbs.xml: both fall from 1 m and hit the floor at
//
//   t_1 = sqrt(2 h / g),   t_k+1 = t_k + 2 e^k t_1
#pragma once

#include <cmath>

namespace mbs::test::bouncing {

inline constexpr double e = 0.8, g = 9.81;
inline const double fall = std::sqrt(2.0 / g);

inline double time_of(int impact) {  // from 1
  double t = fall;
  for (int k = 1; k < impact; ++k) t += 2.0 * std::pow(e, k) * fall;
  return t;
}

}  // namespace mbs::test::bouncing
