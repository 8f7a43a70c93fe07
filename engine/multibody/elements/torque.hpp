#pragma once

// <torque>: on the body of a frame, components in the axes of another, the opposite one on the body
// of a third; or about the coordinate of a joint.

#include "engine/multibody/forces.hpp"

namespace mbs {

template <class Space>
struct Torque {
  static constexpr int frame_count = 3, law_count = Space::rot;
  std::array<int, 3> frame;  // on, in, reaction_on (ground takes it when there is none)
  std::array<int, Space::rot> law;

  // The number it shows: in the plane the torque, in space its magnitude.
  template <class T>
  T evaluate(const auto&, const std::array<FrameMotion<Space, T>, 3>& motion, Laws<Space, T>& laws,
             std::array<Wrench<Space, T>, 3>& wrench) const {
    Vec<T, Space::rot> value;
    for (int i = 0; i < Space::rot; ++i) value[i] = laws(i);
    wrench[0].torque = turn(motion[1].A, value);
    wrench[2].torque = -wrench[0].torque;
    using std::sqrt;
    if constexpr (!has_derivatives<T>)
      return Space::rot == 1 ? value[0] : T(sqrt(dot(value, value)));
    return T(0.0);
  }
};

template <class Space>
using torque_forces = FrameForces<Space, Torque<Space>>;

}  // namespace mbs
