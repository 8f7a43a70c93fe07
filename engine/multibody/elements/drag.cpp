#include "engine/multibody/elements/drag.hpp"

#include "engine/multibody/assembly/assembly.hpp"

namespace mbs {

template <class Space>
void bind_drag(Assembly<Space>& to, const ElementReader& e) {
  if (!e.given("on") && e.element().owner == ground) {
    e.error("missing-attribute", e.title() + " needs the attribute 'on'",
            "the frame it acts on; inside of a body it acts on the centre of mass");
    return;
  }
  Drag<Space> drag;
  drag.frame = {e.given("on") ? e.frame("on") : to.frames.centre_of_mass(e.element().owner),
                e.frame("in")};
  for (int i = 0; i < Space::dim; ++i) drag.law[i] = to.laws.of(e, "flow", i);
  drag.area = e.slot("area");
  drag.cd = e.slot("cd");
  drag.density = e.slot("density");
  to.forces.add(e, drag);
}

extern const ElementType drag_element{"drag", bind_drag, bind_drag};

}  // namespace mbs
