// <body>: a rigid body.

#include "engine/multibody/assembly/assembly.hpp"

namespace mbs {

template <class Space>
void bind_body(Assembly<Space>& to, const ElementReader& e) {
  BodyData body;
  body.mass = e.slot("mass");
  body.inertia = e.slots("inertia", Space::inertia_numbers);
  body.published = e["inertia_check"].text == "warning";
  to.frames.add_body(e, body, e.slots("com", Space::dim));
}

template void bind_body(Assembly<Planar>&, const ElementReader&);
template void bind_body(Assembly<Spatial>&, const ElementReader&);

}  // namespace mbs
