#pragma once

// <tyre>: a wheel on a flat road. With the road's normal n, the wheel's axis j, x = j x n and
// t = n x x (both of length 1), the unit vector e from the contact to the centre in the wheel's
// plane, the height h of the centre and the radius R:
//
//   rho = h/(n.e),  deflection = R - rho,  F_z = taut(stiffness deflection, -damping h')
//   v_s = velocity of the wheel's body at -R_e e, R_e = R - deflection/3;  v_x that of the centre
//   relaxation_x slip_x' = -v_s.x - |v_x| slip_x        (driving: > 0)
//   relaxation_y slip_y' = -v_s.t - |v_x| slip_y        (tan of the slip angle)
//   F_x = slip_stiffness slip_x,  F_y = cornering_stiffness slip_y
//   both scaled by tanh(s)/s, s = |(F_x, F_y)|/(friction F_z)
//
// In the plane the road's x is along and there is no slip_y. What is between the slips and the
// forces is slip_forces() alone: another tyre model is another such function.
//
// Not here: rolling resistance, turn slip, aligning torque, the rate of camber in h'.

#include "engine/multibody/elements/rolling_contact.hpp"

namespace mbs {

template <class Space>
struct Tyre {
  static constexpr int frame_count = 2, law_count = 0;
  std::array<int, 2> frame;  // wheel, road
  std::array<int, 0> law;
  int axis = absent;  // in space: of the wheel, the first of three
  int radius = absent, stiffness = absent, damping = absent;
  int slip_stiffness = absent, cornering_stiffness = absent, friction = absent;
  int relaxation_x = absent, relaxation_y = absent;
  OwnStates states;  // slip_x, in space slip_y

  // The wheel's axis in the axes of its frame; y when it is not given.
  auto spin_axis(const auto& at) const {
    using std::sqrt;
    using Number = std::decay_t<decltype(at[axis])>;
    if (axis == absent) return Vec<Number, 3>{{0.0, 1.0, 0.0}};
    const Vec<Number, 3> given{{at[axis], at[axis + 1], at[axis + 2]}};
    return Vec<Number, 3>((1.0 / sqrt(dot(given, given))) * given);
  }

  template <class T>
  void slip_forces(const auto& at, const T& F_z, const T& slip_x, const T& slip_y, T& F_x,
                   T& F_y) const {
    using std::tanh;
    F_x = at[slip_stiffness] * slip_x;
    F_y = at.optional(cornering_stiffness) * slip_y;
    limit_force(F_x, F_y, T(at[friction] * F_z), [](const T& s) { return tanh(s) / s; });
  }

  template <class T>
  T evaluate(const auto& at, const std::array<FrameMotion<Space, T>, 2>& motion,
             Laws<Space, T>& laws, std::array<Wrench<Space, T>, 2>& wrench) const {
    using std::abs, std::sqrt;
    using Components = Vec<T, Space::dim>;
    const RollingContact<Space, T> contact{motion[0], motion[1]};
    const Components n = contact.normal();
    Components along = axis_of(motion[1].A, 0), up = n, across;
    if constexpr (Space::dim == 3) {
      const Components j = turn(motion[0].A, spin_axis(at));
      const Components forward = cross(j, n), in_plane = n - dot(n, j) * j;
      along = (1.0 / sqrt(dot(forward, forward))) * forward;
      up = (1.0 / sqrt(dot(in_plane, in_plane))) * in_plane;
      across = cross(n, along);
    }
    const auto R = at[radius];
    const T rho = dot(n, motion[0].r - motion[1].r) / dot(n, up);
    const T deflection = R - rho;
    const Components v = contact.velocity(Components{});
    const T F_z = taut(T(at[stiffness] * deflection), T(-at.optional(damping) * dot(n, v)));

    const Components slip = contact.velocity(-(R - (1.0 / 3.0) * deflection) * up);
    const T v_x = abs(dot(v, along)), slip_x = laws.state(0);
    T slip_y{0.0}, F_x{0.0}, F_y{0.0};
    laws.rate(0) = (1.0 / at[relaxation_x]) * (-dot(slip, along) - v_x * slip_x);
    if constexpr (Space::dim == 3) {
      slip_y = laws.state(1);
      laws.rate(1) = (1.0 / at[relaxation_y]) * (-dot(slip, across) - v_x * slip_y);
    }
    slip_forces(at, F_z, slip_x, slip_y, F_x, F_y);
    contact.act(-rho * up, F_z * n + F_x * along + F_y * across, wrench);
    laws.show(1, F_x);
    laws.show(2, deflection);
    laws.show(3, F_y);
    return F_z;
  }
  template <class T>
  T potential(const auto& at, const std::array<FrameMotion<Space, T>, 2>& motion) const {
    using std::sqrt;
    const RollingContact<Space, T> contact{motion[0], motion[1]};
    const auto n = contact.normal();
    T tilt{1.0};  // n.e
    if constexpr (Space::dim == 3) {
      const T side = dot(n, turn(contact.wheel.A, spin_axis(at)));
      tilt = sqrt(1.0 - side * side);
    }
    const T x = not_negative(T(at[radius] - dot(n, contact.wheel.r - contact.base.r) / tilt));
    return 0.5 * at[stiffness] * x * x;
  }
};

template <class Space>
using tyre_forces = FrameForces<Space, Tyre<Space>>;

}  // namespace mbs
