#include "engine/multibody/elements/torque.hpp"

#include "engine/multibody/elements/bind_coordinate_load.hpp"

namespace mbs {

template <class Space>
void bind_torque(Assembly<Space>& to, const ElementReader& e) {
  if (e.given("joint")) return bind_coordinate_load(to, e);
  for (const std::string_view side : {"on", "reaction_on"}) {
    if (e.given(side)) to.frames.must_rotate(e, e.frame(side));
  }
  Torque<Space> torque;
  torque.frame = {e.frame("on"), e.frame("in"), e.frame("reaction_on")};
  for (int i = 0; i < Space::rot; ++i) torque.law[i] = to.laws.of(e, "value", i);
  to.forces.add(e, torque);
}

extern const ElementType torque_element{"torque", bind_torque, bind_torque};

}  // namespace mbs
