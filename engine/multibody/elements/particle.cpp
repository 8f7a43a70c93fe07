// <particle>: a point that does not turn.

#include "engine/multibody/assembly/assembly.hpp"

namespace mbs {

template <class Space>
void bind_particle(Assembly<Space>& to, const ElementReader& e) {
  BodyData body;
  body.rotates = false;
  body.mass = e.slot("mass");
  to.frames.add_body(e, body);
}

template void bind_particle(Assembly<Planar>&, const ElementReader&);
template void bind_particle(Assembly<Spatial>&, const ElementReader&);

}  // namespace mbs
