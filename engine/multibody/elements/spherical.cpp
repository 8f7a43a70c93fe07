// <spherical>: r_b = r_a, in space. (In the plane the reader knows no such tag.)

#include "engine/multibody/assembly/joint_builder.hpp"

namespace mbs {

template <class Space>
void bind_spherical(Assembly<Space>& to, const ElementReader& e) {
  JointBuilder<Space> joint(to, e, JointKind::spherical);
  joint.coincide();
  const int rotation = e.slots("rot", Space::rotation_numbers);
  joint.start_orientation(rotation, e.slots("omega", Space::rot));
}

template void bind_spherical(Assembly<Planar>&, const ElementReader&);
template void bind_spherical(Assembly<Spatial>&, const ElementReader&);

}  // namespace mbs
