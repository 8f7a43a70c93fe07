#include "engine/multibody/elements/tyre.hpp"

#include "engine/multibody/assembly/assembly.hpp"

namespace mbs {

template <class Space>
void bind_tyre(Assembly<Space>& to, const ElementReader& e) {
  Tyre<Space> tyre;
  tyre.frame = {e.frame("wheel"), e.frame("road")};
  to.frames.must_rotate(e, tyre.frame[0]);
  tyre.radius = e.slot("radius");
  tyre.stiffness = e.slot("stiffness");
  tyre.damping = e.slot("damping");
  tyre.slip_stiffness = e.slot("slip_stiffness");
  tyre.friction = e.slot("friction");
  tyre.relaxation_x = e.slot("relaxation_x");
  if constexpr (Space::dim == 3) {
    for (const std::string_view needed : {"cornering_stiffness", "relaxation_y"}) {
      if (e.given(needed)) continue;
      e.error("missing-attribute",
              e.title() + " needs the attribute '" + std::string(needed) + "' in space");
      return;
    }
    tyre.axis = e.slots("axis", 3);
    tyre.cornering_stiffness = e.slot("cornering_stiffness");
    tyre.relaxation_y = e.slot("relaxation_y");
  }
  tyre.states = e.states();
  to.forces.add(e, tyre);
}

extern const ElementType tyre_element{"tyre", bind_tyre, bind_tyre};

}  // namespace mbs
