#pragma once

// <force>: on the origin of a frame, components in the axes of another, the opposite one on a
// third; or along the coordinate of a joint.

#include "engine/multibody/elements/coordinate_load.hpp"

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

template <class Space>
void bind_force(Assembler<Space>& to, const Element& e) {
  if (to.given(e, "joint")) return bind_load_on_coordinate(to, e);
  Force<Space> force;
  force.frame = {to.frame(e, "on"), to.frame(e, "in"), to.frame(e, "reaction_on")};
  for (int i = 0; i < Space::dim; ++i) force.law[i] = to.law(e, "value", i);
  to.force(e, force);
}

}  // namespace mbs
