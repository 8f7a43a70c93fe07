// <point_on_surface>: guides.hpp.

#include "engine/multibody/elements/guide.hpp"

namespace mbs {

template <class Space>
void bind_point_on_surface(Assembler<Space>& to, const Element& e) {
  if constexpr (std::is_same_v<Space, Spatial>) bind_guide(to, e);
}

template void bind_point_on_surface(Assembler<Planar>&, const Element&);
template void bind_point_on_surface(Assembler<Spatial>&, const Element&);

}  // namespace mbs
