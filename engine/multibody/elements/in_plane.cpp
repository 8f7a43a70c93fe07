// <in_plane>: the origin of b stays in a plane of a.

#include "engine/multibody/assembly/joint_builder.hpp"

namespace mbs {

template <class Space>
void bind_in_plane(Assembly<Space>& to, const ElementReader& e) {
  JointBuilder<Space> joint(to, e);
  joint.a_must_rotate();
  joint.align("axis", 0);
  joint.across(0);
}

template void bind_in_plane(Assembly<Planar>&, const ElementReader&);
template void bind_in_plane(Assembly<Spatial>&, const ElementReader&);

}  // namespace mbs
