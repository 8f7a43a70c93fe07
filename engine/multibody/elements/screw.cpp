// <screw>: b turns about z of the aligned sides and advances along it, pitch for each turn.

#include "engine/multibody/assembler.hpp"

namespace mbs {

template <class Space>
void bind_screw(Assembler<Space>& to, const Element& e) {
  JointData& joint = to.joint(e);
  joint.motion = JointMotion::screw;
  to.both_rotate(e, joint);
  to.align(e, joint, "axis", 2);
  to.across(joint, 0);
  to.across(joint, 1);
  to.perpendicular(joint, 0, 2);
  to.perpendicular(joint, 1, 2);
  to.same_direction(joint, 2);
  if (to.vanishes(e, "pitch")) {
    to.error(e, "zero-pitch", "pitch of " + to.title(e) + " is zero",
             "a screw without pitch is a <revolute>");
  }
  joint.pitch = to.slot(e, "pitch");
  to.helix(joint, joint.pitch);
  CoordinateData q;
  q.kind = CoordinateData::Kind::turning;
  q.axis = 2;
  q.name = "q";
  q.q = to.slot(e, "q");
  q.qd = to.slot(e, "qd");
  to.damp(e, "damping", to.coordinate(joint, q));
}

template void bind_screw(Assembler<Planar>&, const Element&);
template void bind_screw(Assembler<Spatial>&, const Element&);

}  // namespace mbs
