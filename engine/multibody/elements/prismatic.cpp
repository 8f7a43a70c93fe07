// <prismatic>: b slides along x of the aligned sides and does not turn.

#include "engine/multibody/assembly/joint_builder.hpp"

namespace mbs {

template <class Space>
void bind_prismatic(Assembly<Space>& to, const ElementReader& e) {
  JointBuilder<Space> joint(to, e, JointKind::prismatic);
  joint.must_rotate();
  joint.align("axis", 0);
  for (int i = 1; i < Space::dim; ++i) joint.across(i);
  joint.equal_orientation();
  joint.add_spring(joint.add_coordinate(CoordinateData::Kind::translation, 0, "q"));
}

extern const ElementType prismatic_element{"prismatic", bind_prismatic, bind_prismatic};

}  // namespace mbs
