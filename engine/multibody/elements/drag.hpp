#pragma once

// <drag>: the resistance of a fluid that flows, on a frame's origin or a body's centre of mass:
//
//   u = v - flow,     F = -1/2 density cd area |u| u

#include "engine/multibody/forces.hpp"

namespace mbs {

template <class Space>
struct Drag {
  static constexpr int frame_count = 2, law_count = Space::dim;
  std::array<int, 2> frame;         // on; in whose axes the flow is
  std::array<int, Space::dim> law;  // flow
  int area = absent, cd = absent, density = absent;

  template <class T>
  T evaluate(const auto& at, const std::array<FrameMotion<Space, T>, 2>& motion,
             Laws<Space, T>& laws, std::array<Wrench<Space, T>, 2>& wrench) const {
    using std::sqrt;
    Vec<T, Space::dim> u = motion[0].v;
    if (laws.given(0)) {
      Vec<T, Space::dim> flow;
      for (int i = 0; i < Space::dim; ++i) flow[i] = laws(i);
      u -= turn(motion[1].A, flow);
    }
    const T speed = sqrt(dot(u, u));
    const auto factor = 0.5 * at[density] * at[cd] * at[area];
    wrench[0].force = -factor * speed * u;
    laws.show(1, speed);
    return factor * speed * speed;
  }
};

template <class Space>
using drag_forces = FrameForces<Space, Drag<Space>>;

}  // namespace mbs
