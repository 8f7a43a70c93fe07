// <in_plane>: the origin of b stays in a plane of a.

#include "engine/multibody/assembly/joint_builder.hpp"

namespace mbs {

void bind_in_plane(Assembly<Spatial>& to, const ElementReader& e) {
  JointBuilder<Spatial> joint(to, e);
  to.frames.must_rotate(e, e.frame("a"));
  joint.align("axis", 0);
  joint.across(0);
}

extern const ElementType in_plane_element{"in_plane", nullptr, bind_in_plane};

}  // namespace mbs
