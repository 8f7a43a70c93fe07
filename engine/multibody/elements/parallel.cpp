// <parallel>: an axis of b stays parallel to one of a; in the plane b does not turn against a.

#include "engine/multibody/assembly/joint_builder.hpp"

namespace mbs {

template <class Space>
void bind_parallel(Assembly<Space>& to, const ElementReader& e) {
  JointBuilder<Space> joint(to, e);
  joint.must_rotate();
  if constexpr (Space::dim == 2) {
    joint.equal_orientation();
  } else {
    joint.align("axis", 2);
    joint.parallel();
  }
}

extern const ElementType parallel_element{"parallel", bind_parallel, bind_parallel};

}  // namespace mbs
