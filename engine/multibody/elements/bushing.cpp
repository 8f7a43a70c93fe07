#include "engine/multibody/elements/bushing.hpp"

#include "engine/multibody/assembly/assembly.hpp"

namespace mbs {

template <class Space>
void bind_bushing(Assembly<Space>& to, const ElementReader& e) {
  Bushing<Space> bushing;
  bushing.frame = {e.frame("a"), e.frame("b")};
  bushing.stiffness = e.slots("stiffness", Space::dim);
  bushing.damping = e.slots("damping", Space::dim);
  bushing.rotational_stiffness = e.slots("rotational_stiffness", Space::rot);
  bushing.rotational_damping = e.slots("rotational_damping", Space::rot);
  if (e.can_be_nonzero("rotational_stiffness") || e.can_be_nonzero("rotational_damping")) {
    for (const int frame : bushing.frame) to.frames.must_rotate(e, frame);
  }
  bushing.turns =
      to.mechanism->add_start_value({StartValue::Kind::turns, bushing.frame[0], bushing.frame[1]});
  to.forces.add(e, bushing);
}

extern const ElementType bushing_element{"bushing", bind_bushing, bind_bushing};

}  // namespace mbs
