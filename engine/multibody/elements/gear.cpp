// <gear>: the angles of two joints go together.

#include "engine/multibody/assembler.hpp"

namespace mbs {

template <class Space>
void bind_gear(Assembler<Space>& to, const Element& e) {
  to.mesh(e, "ratio");
}

template void bind_gear(Assembler<Planar>&, const Element&);
template void bind_gear(Assembler<Spatial>&, const Element&);

}  // namespace mbs
