#pragma once

// The common part of springs and dampers: the line between two frames' origins.

#include "engine/multibody/assembly/assembly.hpp"

namespace mbs {

// Length of the line from a to b and its rate; a tension along it. At length zero the direction is
// not defined: the first inertial axis is taken.
template <class Space, class T>
struct Line {
  T length, rate;
  Vec<T, Space::dim> direction;

  Line(const FrameMotion<Space, T>& a, const FrameMotion<Space, T>& b) {
    using std::sqrt;
    const Vec<T, Space::dim> d = b.r - a.r;
    const T square = dot(d, d);
    if (is_positive(square)) {
      length = sqrt(square);
      direction = (1.0 / length) * d;
    } else {
      length = T(0.0);
      direction[0] = T(1.0);
    }
    rate = dot(direction, b.v - a.v);
  }
  void pull(const T& tension, Wrench<Space, T>& at_a, Wrench<Space, T>& at_b) const {
    at_a.force = tension * direction;
    at_b.force = -tension * direction;
  }
};

}  // namespace mbs
