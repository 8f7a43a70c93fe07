#pragma once

// What a joint itself does to its coordinate: Q = -stiffness (q - rest) - damping qd.

#include "engine/multibody/forces.hpp"

namespace mbs {

struct JointSpring {
  static constexpr int law_count = 0;
  std::array<int, 0> law;
  int coordinate = 0;
  int stiffness = absent, rest = absent, damping = absent;

  template <class Space, class T>
  T evaluate(const Evaluation<Space>& at, const T& q, const T& qd, Laws<Space, T>&) const {
    return at.optional(stiffness) * (at.optional(rest) - q) - at.optional(damping) * qd;
  }
  template <class Space>
  double potential(const Evaluation<Space>& at, double q) const {
    const double x = q - at.optional(rest);
    return 0.5 * at.optional(stiffness) * x * x;
  }
};

}  // namespace mbs
