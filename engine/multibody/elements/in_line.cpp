// <in_line>: the origin of b stays on a line of a.

#include "engine/multibody/assembler.hpp"

namespace mbs {

template <class Space>
void bind_in_line(Assembler<Space>& to, const Element& e) {
  JointData& joint = to.joint(e);
  to.must_rotate(e, joint.a);
  to.align(e, joint, "axis", 0);
  for (int i = 1; i < Space::dim; ++i) to.across(joint, i);
}

template void bind_in_line(Assembler<Planar>&, const Element&);
template void bind_in_line(Assembler<Spatial>&, const Element&);

}  // namespace mbs
