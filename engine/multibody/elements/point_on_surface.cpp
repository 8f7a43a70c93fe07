// <point_on_surface>: guides.hpp.

#include "engine/multibody/elements/guide.hpp"

namespace mbs {

template <class Space>
void bind_point_on_surface(Assembly<Space>& to, const ElementReader& e) {
  if constexpr (std::is_same_v<Space, Spatial>) bind_guide(to, e);
}

template void bind_point_on_surface(Assembly<Planar>&, const ElementReader&);
template void bind_point_on_surface(Assembly<Spatial>&, const ElementReader&);

}  // namespace mbs
