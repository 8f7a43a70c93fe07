#pragma once

// A force along or a torque about the coordinate of a joint, on b, and back on a: Q = value held
// within +-limit, or, behind a lag of first order, the state F:  F' = (value - F)/lag,  Q = F.

#include "engine/multibody/forces.hpp"

namespace mbs {

struct CoordinateLoad {
  static constexpr int law_count = 1;
  std::array<int, 1> law;
  std::array<int, 1> coordinate{};
  int lag = absent, limit = absent;
  OwnStates states;  // F

  template <class Space, class T>
  T evaluate(const auto& at, const std::array<T, 1>&, const std::array<T, 1>&, Laws<Space, T>& laws,
             std::array<T, 1>& Q) const {
    T value = laws(0);
    if (limit != absent) value = clamped(value, at[limit]);
    if (laws.has_state(0)) {
      laws.rate(0) = (1.0 / at[lag]) * (value - laws.state(0));
      value = laws.state(0);
    }
    return Q[0] = value;
  }
};

template <class Space>
using coordinate_load_forces = CoordinateForces<Space, CoordinateLoad>;

}  // namespace mbs
