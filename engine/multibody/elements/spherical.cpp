// <spherical>: r_b = r_a, in space. (In the plane the reader knows no such tag.)

#include "engine/multibody/assembly/joint_builder.hpp"

namespace mbs {

void bind_spherical(Assembly<Spatial>& to, const ElementReader& e) {
  JointBuilder<Spatial> joint(to, e, JointKind::spherical);
  joint.coincide();
  const int rotation = e.slots("rot", 3);
  joint.start_orientation(rotation, e.slots("omega", 3));
}

extern const ElementType spherical_element{"spherical", nullptr, bind_spherical};

}  // namespace mbs
