// <screw>: b turns about z of the aligned sides and advances along it, pitch for each turn.

#include "engine/multibody/assembly/joint_builder.hpp"

namespace mbs {

template <class Space>
void bind_screw(Assembly<Space>& to, const ElementReader& e) {
  JointBuilder<Space> joint(to, e, JointKind::screw);
  joint.must_rotate();
  joint.align("axis", 2);
  joint.across(0);
  joint.across(1);
  joint.parallel();
  if (e.is_zero_at_start("pitch")) {
    e.error("zero-pitch", "pitch of " + e.title() + " is zero",
            "a screw without pitch is a <revolute>");
  }
  joint.helix(e.slot("pitch"));
  joint.add_damper("damping", joint.add_coordinate(CoordinateData::Kind::turning, 2, "q"));
}

template void bind_screw(Assembly<Planar>&, const ElementReader&);
template void bind_screw(Assembly<Spatial>&, const ElementReader&);

}  // namespace mbs
