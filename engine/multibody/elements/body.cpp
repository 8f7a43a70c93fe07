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

extern const ElementType body_element{"body", bind_body, bind_body};

}  // namespace mbs
