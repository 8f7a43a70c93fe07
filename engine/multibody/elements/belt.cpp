#include "engine/multibody/elements/belt.hpp"

#include "engine/multibody/assembly/assembly.hpp"

namespace mbs {

template <class Space>
void bind_belt(Assembly<Space>& to, const ElementReader& e) {
  Belt belt;
  belt.coordinate = {to.joints.coordinate_of(e, "a"), to.joints.coordinate_of(e, "b")};
  if (belt.coordinate[0] < 0 || belt.coordinate[1] < 0) return;
  if (belt.coordinate[0] == belt.coordinate[1]) {
    e.error("belt-on-one-joint", e.title() + " has both pulleys on one joint");
    return;
  }
  for (const int c : belt.coordinate) to.joints.use_as_number(c);
  belt.radius_a = e.slot("radius_a");
  belt.radius_b = e.slot("radius_b");
  belt.stiffness = e.slot("stiffness");
  belt.damping = e.slot("damping");
  belt.preload = e.slot("preload");
  belt.rest = e.slot("rest");
  belt.side = e["crossed"].index == 1 ? -1.0 : 1.0;
  to.forces.add(e, belt);
}

extern const ElementType belt_element{"belt", bind_belt, bind_belt};

}  // namespace mbs
