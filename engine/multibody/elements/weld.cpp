// <weld>: origins and axes coincide.

#include "engine/multibody/assembly/joint_builder.hpp"

namespace mbs {

template <class Space>
void bind_weld(Assembly<Space>& to, const ElementReader& e) {
  JointBuilder<Space> joint(to, e, JointKind::weld);
  joint.must_rotate();
  joint.coincide();
  joint.equal_orientation();
}

extern const ElementType weld_element{"weld", bind_weld, bind_weld};

}  // namespace mbs
