#pragma once

// <wheel_rail>: a conical wheel on a straight rail, whose frame has x along, y across (in space)
// and the last axis z up. With the wheel's centre at d there, at the height h, and its velocity v:
//
//   r = radius + cone.d,  deflection = r - h,  N = taut(stiffness deflection, damping d/dt)
//   on the wheel  N (e_z - cone)            minus the gradient of stiffness deflection^2/2
//   creepage  nu = velocity of the wheel's body at -r e_z, along and across, over
//             sqrt(v_x^2 + low_speed^2)
//   creep force  -(creep_x nu_x, creep_y nu_y), times f(u), u = |force|/(friction N):
//             f = 1 - u/3 + u^2/27 for u < 3, then 1/u             (Vermeulen and Johnson)
//
// The contact is quasi-elastic: the wheel sinks in by the deflection, which the stiffness of rail
// and wheel gives, and no contact point has to be sought. In the plane there is nothing across.
// Not here: spin creepage, flanges, profiles other than a cone.

#include "engine/multibody/elements/rolling_contact.hpp"

namespace mbs {

template <class Space>
struct WheelRail {
  static constexpr int frame_count = 2, law_count = 0;
  std::array<int, 2> frame;  // wheel, rail
  std::array<int, 0> law;
  int radius = absent, cone = absent, stiffness = absent, damping = absent;
  int creep_x = absent, creep_y = absent, friction = absent, low_speed = absent;

  auto slope(const auto& at) const {
    Vec<std::decay_t<decltype(at[cone])>, Space::dim> x;
    for (int i = 0; cone != absent && i < Space::dim; ++i) x[i] = at[cone + i];
    return x;
  }

  template <class T>
  T evaluate(const auto& at, const std::array<FrameMotion<Space, T>, 2>& motion,
             Laws<Space, T>& laws, std::array<Wrench<Space, T>, 2>& wrench) const {
    using std::sqrt;
    using Components = Vec<T, Space::dim>;
    const RollingContact<Space, T> contact{motion[0], motion[1]};
    const Components up = contact.normal(), along = axis_of(motion[1].A, 0);
    const Components d = motion[0].r - motion[1].r, v = contact.velocity(Components{});
    Components press = up, across;
    if (cone != absent) press -= turn(motion[1].A, slope(at));
    if constexpr (Space::dim == 3) across = axis_of(motion[1].A, 1);
    const T deflection = at[radius] - dot(d, press), rate = -dot(v, press);
    const T r = deflection + dot(d, up);
    const T N = taut(T(at[stiffness] * deflection), T(at.optional(damping) * rate));
    const Components slip = contact.velocity(-r * up);
    const T v_x = dot(v, along);
    const auto low = at[low_speed];
    const T speed = sqrt(v_x * v_x + low * low);
    const T nu_x = dot(slip, along) / speed, nu_y = dot(slip, across) / speed;
    T F_x = -at[creep_x] * nu_x, F_y = -at.optional(creep_y) * nu_y;
    limit_force(F_x, F_y, T(at[friction] * N), [](const auto& u) {
      return value_of(u) < 3.0 ? T(1.0 - u * (1.0 / 3.0) + u * u * (1.0 / 27.0)) : T(1.0 / u);
    });
    contact.act(-r * up, N * press + F_x * along + F_y * across, wrench);
    laws.show(1, F_x);
    laws.show(2, deflection);
    laws.show(3, nu_x);
    laws.show(4, F_y);
    laws.show(5, nu_y);
    return N;
  }
  template <class T>
  T potential(const auto& at, const std::array<FrameMotion<Space, T>, 2>& motion) const {
    const RollingContact<Space, T> contact{motion[0], motion[1]};
    const auto d = contact.wheel.r - contact.base.r;
    const T x =
        not_negative(T(at[radius] - dot(d, contact.normal() - turn(contact.base.A, slope(at)))));
    return 0.5 * at[stiffness] * x * x;
  }
};

template <class Space>
using wheel_rail_forces = FrameForces<Space, WheelRail<Space>>;

}  // namespace mbs
