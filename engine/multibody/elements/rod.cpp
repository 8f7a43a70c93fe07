// <rod>: two points keep their distance.

#include "engine/multibody/assembly/joint_builder.hpp"

namespace mbs {

template <class Space>
void bind_rod(Assembly<Space>& to, const ElementReader& e) {
  JointBuilder<Space> joint(to, e);
  joint.distance(e.slot("length"));
}

extern const ElementType rod_element{"rod", bind_rod, bind_rod};

}  // namespace mbs
