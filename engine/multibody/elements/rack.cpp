// <rack>: a slide goes with the angle of another joint.

#include "engine/multibody/assembler.hpp"

namespace mbs {

template <class Space>
void bind_rack(Assembler<Space>& to, const Element& e) {
  to.mesh(e, "radius");
}

template void bind_rack(Assembler<Planar>&, const Element&);
template void bind_rack(Assembler<Spatial>&, const Element&);

}  // namespace mbs
