// <gear>: the angles of two joints go together.

#include "engine/multibody/elements/gearing.hpp"

namespace mbs {

template <class Space>
void bind_gear(Assembly<Space>& to, const ElementReader& e) {
  bind_gearing(to, e, "ratio");
}

template void bind_gear(Assembly<Planar>&, const ElementReader&);
template void bind_gear(Assembly<Spatial>&, const ElementReader&);

}  // namespace mbs
