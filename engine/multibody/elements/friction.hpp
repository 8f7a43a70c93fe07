#pragma once

// <friction>: Coulomb friction along or about the coordinate of a joint, with true sticking (a row
// of contacts.hpp), or regularised,
//
//   Q = -F tanh((q' - speed)/width)

#include "engine/multibody/forces.hpp"

namespace mbs {

struct SmoothFriction {
  static constexpr int law_count = 1;
  std::array<int, 1> law;  // F
  std::array<int, 1> coordinate{};
  int speed = absent, width = absent;
  double sign = 1.0;  // of the coordinate as a mirrored subsystem counts it

  template <class Space, class T>
  T evaluate(const auto& at, const std::array<T, 1>&, const std::array<T, 1>& qd,
             Laws<Space, T>& laws, std::array<T, 1>& Q) const {
    using std::tanh;
    const T slip = (1.0 / at[width]) * (sign * qd[0] - at.optional(speed));
    const T force = -(laws(0) * tanh(slip));
    Q[0] = sign * force;
    return force;
  }
};

template <class Space>
using friction_forces = CoordinateForces<Space, SmoothFriction>;

}  // namespace mbs
