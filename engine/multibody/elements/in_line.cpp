// <in_line>: the origin of b stays on a line of a.

#include "engine/multibody/assembly/joint_builder.hpp"

namespace mbs {

template <class Space>
void bind_in_line(Assembly<Space>& to, const ElementReader& e) {
  JointBuilder<Space> joint(to, e);
  joint.a_must_rotate();
  joint.align("axis", 0);
  for (int i = 1; i < Space::dim; ++i) joint.across(i);
}

template void bind_in_line(Assembly<Planar>&, const ElementReader&);
template void bind_in_line(Assembly<Spatial>&, const ElementReader&);

}  // namespace mbs
