// <in_line>: the origin of b stays on a line of a.

#include "engine/multibody/assembly/joint_builder.hpp"

namespace mbs {

template <class Space>
void bind_in_line(Assembly<Space>& to, const ElementReader& e) {
  JointBuilder<Space> joint(to, e);
  to.frames.must_rotate(e, e.frame("a"));
  joint.align("axis", 0);
  for (int i = 1; i < Space::dim; ++i) joint.across(i);
}

extern const ElementType in_line_element{"in_line", bind_in_line, bind_in_line};

}  // namespace mbs
