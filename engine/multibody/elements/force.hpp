#pragma once

// <force>: on the origin of a frame, components in the axes of another, the opposite one on a
// third; or along the coordinate of a joint.

#include "engine/multibody/forces.hpp"

namespace mbs {

template <class Space>
struct Force {
  static constexpr int frame_count = 3, law_count = Space::dim;
  std::array<int, 3> frame;  // on, in, reaction_on (ground takes it when there is none)
  std::array<int, Space::dim> law;

  // The number it shows is its magnitude.
  template <class T>
  T evaluate(const auto&, const std::array<FrameMotion<Space, T>, 3>& motion, Laws<Space, T>& laws,
             std::array<Wrench<Space, T>, 3>& wrench) const {
    Vec<T, Space::dim> value;
    for (int i = 0; i < Space::dim; ++i) value[i] = laws(i);
    wrench[0].force = turn(motion[1].A, value);
    wrench[2].force = -wrench[0].force;
    using std::sqrt;
    if constexpr (!has_derivatives<T>) return sqrt(dot(value, value));
    return T(0.0);
  }
};

template <class Space>
using force_forces = FrameForces<Space, Force<Space>>;

}  // namespace mbs
