// <knife_edge>: a point of b that cannot move across an edge fixed in b: skates, blades, keels.

#include "engine/multibody/assembler.hpp"

namespace mbs {

template <class Space>
void bind_knife_edge(Assembler<Space>& to, const Element& e) {
  RollingData r;
  r.kind = RollingData::Kind::edge;
  r.a = to.frame(e, "a");
  const int b = to.frame(e, "b");
  if (!to.two_bodies(e, r.a, b)) return;
  to.must_rotate(e, b);
  r.b = to.turned(e, b, to.slots(e, "across", Space::dim), 0);
  r.slips = 1;
  to.rolling(e, std::move(r));
}

template void bind_knife_edge(Assembler<Planar>&, const Element&);
template void bind_knife_edge(Assembler<Spatial>&, const Element&);

}  // namespace mbs
