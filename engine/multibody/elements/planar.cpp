// <planar>: b moves in the plane of x and y of the aligned sides and turns about z.

#include "engine/multibody/assembly/joint_builder.hpp"

namespace mbs {

void bind_planar(Assembly<Spatial>& to, const ElementReader& e) {
  JointBuilder<Spatial> joint(to, e, JointKind::planar);
  joint.must_rotate();
  joint.align("axis", 2, "along");
  joint.across(2);
  joint.parallel();
  using Kind = CoordinateData::Kind;
  joint.add_damper("damping", joint.add_coordinate(Kind::translation, 0, "x"));
  joint.add_damper("damping", joint.add_coordinate(Kind::translation, 1, "y"));
  joint.add_damper("angular_damping", joint.add_coordinate(Kind::turning, 2, "q"));
}

extern const ElementType planar_element{"planar", nullptr, bind_planar};

}  // namespace mbs
