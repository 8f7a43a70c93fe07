#pragma once

// <dc_motor>: a permanent-magnet motor with a gear of the ratio n on the coordinate of a joint,
//
//   L i' = u - R i - k n q',     Q = n k i,
//
// or without inductance i = (u - k n q')/R.

#include "engine/multibody/forces.hpp"

namespace mbs {

struct DcMotor {
  static constexpr int law_count = 1;
  std::array<int, 1> law;  // u
  std::array<int, 1> coordinate{};
  int resistance = absent, inductance = absent, constant = absent, ratio = absent;
  OwnStates states;  // i, with an inductance

  template <class Space, class T>
  T evaluate(const auto& at, const std::array<T, 1>&, const std::array<T, 1>& qd,
             Laws<Space, T>& laws, std::array<T, 1>& Q) const {
    const auto R = at[resistance], kn = at[constant] * at[ratio];
    const T u = laws(0), u_rest = u - kn * qd[0];
    T i = (1.0 / R) * u_rest;
    if (laws.has_state(0)) {
      i = laws.state(0);
      laws.rate(0) = (1.0 / at[inductance]) * (u_rest - R * i);
    }
    laws.show(1, i);
    laws.show(2, u * i);
    return Q[0] = kn * i;
  }
};

template <class Space>
using dc_motor_forces = CoordinateForces<Space, DcMotor>;

}  // namespace mbs
