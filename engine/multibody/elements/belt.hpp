#pragma once

// <belt>: two strands between two pulleys whose axles keep their distance. With the coordinates
// q_a, q_b of the pulleys and s = 1 for an open belt, s = -1 for a crossed one,
//
//   x = radius_a q_a - s radius_b q_b - rest          stretches strand 1 and slackens strand 2
//   T_1,2 = taut(preload +- stiffness x, +- damping x')
//   Q_a = -radius_a (T_1 - T_2),     Q_b = s radius_b (T_1 - T_2)
//
// These are all generalised forces: on a rigid carrier that holds both axles the pull of the
// strands on the axles makes with them exactly the couple that the Q have there.

#include "engine/multibody/elements/line_force.hpp"

namespace mbs {

struct Belt {
  static constexpr int law_count = 0;
  std::array<int, 0> law;
  std::array<int, 2> coordinate{};
  int radius_a = absent, radius_b = absent, stiffness = absent, damping = absent;
  int preload = absent, rest = absent;
  double side = 1.0;  // s

  template <class Space, class T>
  T evaluate(const auto& at, const std::array<T, 2>& q, const std::array<T, 2>& qd,
             Laws<Space, T>& laws, std::array<T, 2>& Q) const {
    const auto r_a = at[radius_a], r_b = side * at[radius_b];
    const T x = r_a * q[0] - r_b * q[1] - at.optional(rest);
    const T elastic = at[stiffness] * x,
            viscous = at.optional(damping) * (r_a * qd[0] - r_b * qd[1]);
    const T strand_1 = taut(T(at[preload] + elastic), viscous);
    const T strand_2 = taut(T(at[preload] - elastic), T(-viscous));
    const T pull = strand_1 - strand_2;
    Q[0] = -r_a * pull;
    Q[1] = r_b * pull;
    laws.show(1, x);
    laws.show(2, strand_1);
    laws.show(3, strand_2);
    return pull;
  }

  // Energy of both strands, T^2/(2 stiffness) each, relative to where both bear the preload.
  template <class T>
  T potential(const auto& at, const std::array<T, 2>& q) const {
    const auto k = at[stiffness], T0 = at[preload];
    const T elastic = k * (at[radius_a] * q[0] - side * at[radius_b] * q[1] - at.optional(rest));
    const T T1 = not_negative(T(T0 + elastic)), T2 = not_negative(T(T0 - elastic));
    return (T1 * T1 + T2 * T2 - 2.0 * T0 * T0) * (1.0 / (2.0 * k));
  }
};

template <class Space>
using belt_forces = CoordinateForces<Space, Belt>;

}  // namespace mbs
