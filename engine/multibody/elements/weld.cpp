// <weld>: origins and axes coincide.

#include "engine/multibody/assembler.hpp"

namespace mbs {

template <class Space>
void bind_weld(Assembler<Space>& to, const Element& e) {
  JointData& joint = to.joint(e);
  joint.motion = JointMotion::weld;
  to.both_rotate(e, joint);
  to.coincide(joint);
  to.equal_angle(joint);
}

template void bind_weld(Assembler<Planar>&, const Element&);
template void bind_weld(Assembler<Spatial>&, const Element&);

}  // namespace mbs
