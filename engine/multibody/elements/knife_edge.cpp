// <knife_edge>: a point of b that cannot move across an edge fixed in b: skates, blades, keels.

#include "engine/multibody/assembly/assembly.hpp"

namespace mbs {

template <class Space>
void bind_knife_edge(Assembly<Space>& to, const ElementReader& e) {
  RollingData r;
  r.kind = RollingData::Kind::edge;
  r.a = e.frame("a");
  const int b = e.frame("b");
  if (!to.frames.on_two_bodies(e, r.a, b)) return;
  to.frames.must_rotate(e, b);
  r.b = to.frames.turned(e, b, e.slots("across", Space::dim), 0);
  r.slips = 1;
  to.forces.add_rolling(e, std::move(r));
}

extern const ElementType knife_edge_element{"knife_edge", bind_knife_edge, bind_knife_edge};

}  // namespace mbs
