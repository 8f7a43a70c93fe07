// <point_on_curve>: guides.hpp.

#include "engine/multibody/elements/guide.hpp"

namespace mbs {

template <class Space>
void bind_point_on_curve(Assembly<Space>& to, const ElementReader& e) {
  if constexpr (std::is_same_v<Space, Planar>) bind_guide(to, e);
}

template void bind_point_on_curve(Assembly<Planar>&, const ElementReader&);
template void bind_point_on_curve(Assembly<Spatial>&, const ElementReader&);

}  // namespace mbs
