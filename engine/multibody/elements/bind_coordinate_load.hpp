#pragma once

// Binds <force> and <torque> that act on the coordinate of a joint.

#include "engine/multibody/assembly/assembly.hpp"
#include "engine/multibody/elements/coordinate_load.hpp"

namespace mbs {

template <class Space>
void bind_coordinate_load(Assembly<Space>& to, const ElementReader& e) {
  CoordinateLoad load;
  load.coordinate = {to.joints.coordinate_of(e, "joint")};
  load.law = {to.laws.of(e, "value")};
  load.lag = e.slot("lag");
  load.limit = e.slot("limit");
  load.states = e.states();
  if (load.coordinate[0] >= 0) to.forces.add(e, load);
}

}  // namespace mbs
