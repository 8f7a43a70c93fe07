#include "engine/multibody/elements/wheel_rail.hpp"

#include "engine/multibody/assembly/assembly.hpp"

namespace mbs {

template <class Space>
void bind_wheel_rail(Assembly<Space>& to, const ElementReader& e) {
  WheelRail<Space> w;
  w.frame = {e.frame("wheel"), e.frame("rail")};
  to.frames.must_rotate(e, w.frame[0]);
  w.radius = e.slot("radius");
  w.cone = e.slots("cone", Space::dim);
  w.stiffness = e.slot("stiffness");
  w.damping = e.slot("damping");
  w.creep_x = e.slot("creep_x");
  w.creep_y = e.slot("creep_y");
  w.friction = e.slot("friction");
  w.low_speed = e.slot("low_speed");
  to.forces.add(e, w);
}

extern const ElementType wheel_rail_element{"wheel_rail", bind_wheel_rail, bind_wheel_rail};

}  // namespace mbs
