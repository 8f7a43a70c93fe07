// <point_on_curve>: guides.hpp.

#include "engine/multibody/elements/guide.hpp"

namespace mbs {

template <class Space>
void bind_point_on_curve(Assembler<Space>& to, const Element& e) {
  if constexpr (std::is_same_v<Space, Planar>) bind_guide(to, e);
}

template void bind_point_on_curve(Assembler<Planar>&, const Element&);
template void bind_point_on_curve(Assembler<Spatial>&, const Element&);

}  // namespace mbs
