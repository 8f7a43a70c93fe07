#pragma once

// The common part of tyre and wheel-rail contact: a wheel (frame 0) presses at a point on the base
// that carries it (frame 1), whose last axis is the normal: y in the plane, z in space; x is along.

#include "engine/multibody/elements/line_force.hpp"

namespace mbs {

template <class Space, class T>
struct RollingContact {
  using Vector = Vec<T, Space::dim>;
  const FrameMotion<Space, T>& wheel;
  const FrameMotion<Space, T>& base;

  Vector normal() const { return axis_of(base.A, Space::dim - 1); }
  // The velocity of the point of the wheel's body at `from_centre`, relative to the base.
  Vector velocity(const Vector& from_centre) const {
    const Vector from_base = wheel.r + from_centre - base.r;
    return wheel.v + cross(wheel.omega, from_centre) - base.v - cross(base.omega, from_base);
  }
  // F on the wheel at that point, and its opposite on the base.
  void act(const Vector& from_centre, const Vector& F,
           std::array<Wrench<Space, T>, 2>& wrench) const {
    wrench[0].force = F;
    wrench[0].torque = moment(from_centre, F);
    wrench[1].force = -F;
    wrench[1].torque = -moment(wheel.r + from_centre - base.r, F);
  }
};

// A slip force with its two parts, limited to `most` as a whole: factor(|F|/most) F.
template <class T, class Factor>
void limit_force(T& Fx, T& Fy, const T& most, const Factor& factor) {
  using std::sqrt;
  const T size = sqrt(Fx * Fx + Fy * Fy);
  if (!is_positive(size)) return;
  T f{0.0};
  if constexpr (std::is_same_v<T, Traced>)
    f = dependent(size, most);
  else if (value_of(most) > 0.0)
    f = factor(size / most);
  Fx = f * Fx;
  Fy = f * Fy;
}

}  // namespace mbs
