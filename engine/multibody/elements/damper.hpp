#pragma once

// <damper>: tension = damping d|r_b - r_a|/dt, or law(xd).

#include "engine/multibody/elements/line_force.hpp"

namespace mbs {

struct Damper {
  static constexpr int frame_count = 2, law_count = 1;
  std::array<int, 2> frame;
  std::array<int, 1> law;
  int damping = absent;

  template <class Space, class T>
  T evaluate(const auto& at, const std::array<FrameMotion<Space, T>, 2>& motion,
             Laws<Space, T>& laws, std::array<Wrench<Space, T>, 2>& wrench) const {
    const Line<Space, T> line(motion[0], motion[1]);
    const T tension = laws.given(0) ? laws(0, line.rate) : at.optional(damping) * line.rate;
    laws.show(1, line.rate);
    line.pull(tension, wrench[0], wrench[1]);
    return tension;
  }
};

template <class Space>
using damper_forces = FrameForces<Space, Damper>;

}  // namespace mbs
