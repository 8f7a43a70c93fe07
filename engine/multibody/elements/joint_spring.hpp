#pragma once

// The spring and damper that a joint itself has on its coordinate: Q = -stiffness (q - rest) -
// damping qd.

#include "engine/multibody/forces.hpp"

namespace mbs {

struct JointSpring {
  static constexpr int law_count = 0;
  std::array<int, 0> law;
  std::array<int, 1> coordinate{};
  int stiffness = absent, rest = absent, damping = absent;

  template <class Space, class T>
  T evaluate(const auto& at, const std::array<T, 1>& q, const std::array<T, 1>& qd, Laws<Space, T>&,
             std::array<T, 1>& Q) const {
    return Q[0] =
               at.optional(stiffness) * (at.optional(rest) - q[0]) - at.optional(damping) * qd[0];
  }
  template <class T>
  T potential(const auto& at, const std::array<T, 1>& q) const {
    const T x = q[0] - at.optional(rest);
    return 0.5 * at.optional(stiffness) * x * x;
  }
};

template <class Space>
using joint_spring_forces = CoordinateForces<Space, JointSpring>;

}  // namespace mbs
