// <parallel>: an axis of b stays parallel to one of a; in the plane b does not turn against a.

#include "engine/multibody/assembler.hpp"

namespace mbs {

template <class Space>
void bind_parallel(Assembler<Space>& to, const Element& e) {
  JointData& joint = to.joint(e);
  to.both_rotate(e, joint);
  if constexpr (Space::dim == 2) {
    to.equal_angle(joint);
  } else {
    to.align(e, joint, "axis", 2);
    to.perpendicular(joint, 0, 2);
    to.perpendicular(joint, 1, 2);
    to.same_direction(joint, 2);
  }
}

template void bind_parallel(Assembler<Planar>&, const Element&);
template void bind_parallel(Assembler<Spatial>&, const Element&);

}  // namespace mbs
