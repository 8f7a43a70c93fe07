#pragma once

// <torsion_spring>: M = preload + stiffness x + damping x', or law(x, x'), with x = q - angle,
// turns the sides of a joint back: Q = -M.

#include "engine/multibody/forces.hpp"

namespace mbs {

struct TorsionSpring {
  static constexpr int law_count = 1;
  std::array<int, 1> law;
  std::array<int, 1> coordinate{};
  int stiffness = absent, damping = absent, preload = absent, angle = absent;

  template <class Space, class T>
  T evaluate(const auto& at, const std::array<T, 1>& q, const std::array<T, 1>& qd,
             Laws<Space, T>& laws, std::array<T, 1>& Q) const {
    const T x = q[0] - at.optional(angle);
    const T torque = laws.given(0) ? laws(0, x, qd[0])
                                   : at.optional(stiffness) * x + at.optional(damping) * qd[0] +
                                         at.optional(preload);
    laws.show(1, x);
    laws.show(2, qd[0]);
    Q[0] = -torque;
    return torque;
  }

  template <class T>
  T potential(const auto& at, const std::array<T, 1>& q) const {
    if (law[0] != absent) return T(0.0);
    const T x = q[0] - at.optional(angle);
    return (0.5 * at.optional(stiffness) * x + at.optional(preload)) * x;
  }
};

template <class Space>
using torsion_spring_forces = CoordinateForces<Space, TorsionSpring>;

}  // namespace mbs
