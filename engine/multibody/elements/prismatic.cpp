// <prismatic>: b slides along x of the aligned sides and does not turn.

#include "engine/multibody/assembler.hpp"

namespace mbs {

template <class Space>
void bind_prismatic(Assembler<Space>& to, const Element& e) {
  JointData& joint = to.joint(e);
  joint.motion = JointMotion::prismatic;
  to.both_rotate(e, joint);
  to.align(e, joint, "axis", 0);
  for (int i = 1; i < Space::dim; ++i) to.across(joint, i);
  to.equal_angle(joint);
  CoordinateData q;
  q.kind = CoordinateData::Kind::translation;
  q.name = "q";
  q.q = to.slot(e, "q");
  q.qd = to.slot(e, "qd");
  to.passive(e, to.coordinate(joint, q));
}

template void bind_prismatic(Assembler<Planar>&, const Element&);
template void bind_prismatic(Assembler<Spatial>&, const Element&);

}  // namespace mbs
