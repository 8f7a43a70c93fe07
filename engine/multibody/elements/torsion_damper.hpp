#pragma once

// <torsion_damper>: M = damping q', or law(q'), holds the sides of a joint back: Q = -M.

#include "engine/multibody/forces.hpp"

namespace mbs {

struct TorsionDamper {
  static constexpr int law_count = 1;
  std::array<int, 1> law;
  std::array<int, 1> coordinate{};
  int damping = absent;

  template <class Space, class T>
  T evaluate(const auto& at, const std::array<T, 1>&, const std::array<T, 1>& qd,
             Laws<Space, T>& laws, std::array<T, 1>& Q) const {
    const T torque = laws.given(0) ? laws(0, qd[0]) : at.optional(damping) * qd[0];
    laws.show(1, qd[0]);
    Q[0] = -torque;
    return torque;
  }
};

template <class Space>
using torsion_damper_forces = CoordinateForces<Space, TorsionDamper>;

}  // namespace mbs
