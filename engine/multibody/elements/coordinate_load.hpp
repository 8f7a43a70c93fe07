#pragma once

// A force along or a torque about the coordinate of a joint: Q = value, on b, and back on a.

#include "engine/multibody/assembler.hpp"

namespace mbs {

struct CoordinateLoad {
  static constexpr int law_count = 1;
  std::array<int, 1> law;
  int coordinate = 0;

  template <class Space, class T>
  T evaluate(const Evaluation<Space>&, const T&, const T&, Laws<Space, T>& laws) const {
    return laws(0);
  }
  template <class Space>
  double potential(const Evaluation<Space>&, double) const {
    return 0.0;
  }
};

template <class Space>
void bind_coordinate_load(Assembler<Space>& to, const Element& e) {
  CoordinateLoad load;
  load.coordinate = to.coordinate_of(e, "joint");
  load.law = {to.law(e, "value")};
  if (load.coordinate >= 0) to.force(e, load);
}

}  // namespace mbs
