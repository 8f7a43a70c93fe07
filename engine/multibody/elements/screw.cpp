// <screw>: b turns about z of the aligned sides and advances along it, pitch for each turn.

#include "engine/multibody/assembly/joint_builder.hpp"

namespace mbs {

void bind_screw(Assembly<Spatial>& to, const ElementReader& e) {
  JointBuilder<Spatial> joint(to, e, JointKind::screw);
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

extern const ElementType screw_element{"screw", nullptr, bind_screw};

}  // namespace mbs
