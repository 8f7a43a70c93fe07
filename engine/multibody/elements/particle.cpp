// <particle>: a point that does not turn.

#include "engine/multibody/assembler.hpp"

namespace mbs {

template <class Space>
void bind_particle(Assembler<Space>& to, const Element& e) {
  BodyData body;
  body.rotates = false;
  body.mass = to.slot(e, "mass");
  to.body(e, body);
}

template void bind_particle(Assembler<Planar>&, const Element&);
template void bind_particle(Assembler<Spatial>&, const Element&);

}  // namespace mbs
