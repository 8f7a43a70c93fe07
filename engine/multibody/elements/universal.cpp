// <universal>: z of side a and x of side b are the axes of a cross; R = R_z(q1) R_x(q2).

#include "engine/multibody/assembly/joint_builder.hpp"

namespace mbs {

void bind_universal(Assembly<Spatial>& to, const ElementReader& e) {
  JointBuilder<Spatial> joint(to, e, JointKind::universal);
  joint.must_rotate();
  joint.align("axis", 2, "second");
  joint.coincide();
  joint.perpendicular(2, 0);
  using Kind = CoordinateData::Kind;
  joint.add_damper("damping", joint.add_coordinate(Kind::turning, 2, "q1"));
  joint.add_damper("damping", joint.add_coordinate(Kind::second_turning, 0, "q2"));
}

extern const ElementType universal_element{"universal", nullptr, bind_universal};

}  // namespace mbs
