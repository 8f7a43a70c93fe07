// <in_plane>: the origin of b stays in a plane of a.

#include "engine/multibody/assembler.hpp"

namespace mbs {

template <class Space>
void bind_in_plane(Assembler<Space>& to, const Element& e) {
  JointData& joint = to.joint(e);
  to.must_rotate(e, joint.a);
  to.align(e, joint, "axis", 0);
  to.across(joint, 0);
}

template void bind_in_plane(Assembler<Planar>&, const Element&);
template void bind_in_plane(Assembler<Spatial>&, const Element&);

}  // namespace mbs
