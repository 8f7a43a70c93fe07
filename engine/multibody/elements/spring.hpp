#pragma once

// <spring>: tension = preload + stiffness x + damping x', or law(x, xd), with the elongation
// x = |r_b - r_a| - length; one that cannot push as taut() in branches.hpp, or max(0, law).

#include "engine/multibody/elements/line_force.hpp"

namespace mbs {

struct Spring {
  static constexpr int frame_count = 2, law_count = 1;
  std::array<int, 2> frame;
  std::array<int, 1> law;
  int stiffness = absent, damping = absent, preload = absent;
  int length = absent;
  int start_length = -1;  // without a length: which of z
  bool tension_only = false;

  auto natural_length(const auto& at) const {
    return length == absent ? at.x.z[start_length] : at[length];
  }

  template <class Space, class T>
  T evaluate(const auto& at, const std::array<FrameMotion<Space, T>, 2>& motion,
             Laws<Space, T>& laws, std::array<Wrench<Space, T>, 2>& wrench) const {
    const Line<Space, T> line(motion[0], motion[1]);
    const T x = line.length - natural_length(at);
    T tension;
    if (laws.given(0)) {
      tension = laws(0, x, line.rate);
      if (tension_only) tension = not_negative(tension);
    } else {
      const T elastic = at.optional(stiffness) * x + at.optional(preload);
      const T viscous = at.optional(damping) * line.rate;
      tension = tension_only ? taut(elastic, viscous) : elastic + viscous;
    }
    laws.show(1, x);
    laws.show(2, line.rate);
    line.pull(tension, wrench[0], wrench[1]);
    return tension;
  }

  template <class Space, class T>
  T potential(const auto& at, const std::array<FrameMotion<Space, T>, 2>& motion) const {
    if (law[0] != absent) return T(0.0);
    const Line<Space, T> line(motion[0], motion[1]);
    const auto k = at.optional(stiffness), preload_force = at.optional(preload);
    const T x = line.length - natural_length(at);
    const T stored = (0.5 * k * x + preload_force) * x;
    if (!tension_only) return stored;
    // The energy that is stored where the spring goes slack.
    const T slack = is_zero(k) ? T(0.0) : T(-0.5 * preload_force * preload_force / k);
    return by_sign(T(k * x + preload_force), stored, slack);
  }
};

template <class Space>
using spring_forces = FrameForces<Space, Spring>;

}  // namespace mbs
