// <body>: a rigid body.

#include "engine/multibody/assembler.hpp"

namespace mbs {

template <class Space>
void bind_body(Assembler<Space>& to, const Element& e) {
  BodyData body;
  body.mass = to.slot(e, "mass");
  body.inertia = to.slots(e, "inertia", Space::inertia_numbers);
  body.published = e["inertia_check"].text == "warning";
  to.body(e, body, to.slots(e, "com", Space::dim));
}

template void bind_body(Assembler<Planar>&, const Element&);
template void bind_body(Assembler<Spatial>&, const Element&);

}  // namespace mbs
