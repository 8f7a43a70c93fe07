// <cylindrical>: b slides along z of the aligned sides and turns about it.

#include "engine/multibody/assembly/joint_builder.hpp"

namespace mbs {

void bind_cylindrical(Assembly<Spatial>& to, const ElementReader& e) {
  JointBuilder<Spatial> joint(to, e, JointKind::cylindrical);
  joint.must_rotate();
  joint.align("axis", 2);
  joint.across(0);
  joint.across(1);
  joint.parallel();
  using Kind = CoordinateData::Kind;
  const int q = joint.add_coordinate(Kind::turning, 2, "q");
  const int s = joint.add_coordinate(Kind::translation, 2, "s");
  joint.add_damper("damping", q);
  joint.add_damper("axial_damping", s);
}

extern const ElementType cylindrical_element{"cylindrical", nullptr, bind_cylindrical};

}  // namespace mbs
