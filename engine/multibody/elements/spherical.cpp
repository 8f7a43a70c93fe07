// <spherical>: r_b = r_a, in space. (In the plane the reader knows no such tag.)

#include "engine/multibody/assembler.hpp"

namespace mbs {

template <class Space>
void bind_spherical(Assembler<Space>& to, const Element& e) {
  JointData& joint = to.joint(e);
  joint.motion = JointMotion::spherical;
  to.coincide(joint);
  joint.rotation = to.slots(e, "rot", Space::rotation_numbers);
  joint.omega = to.slots(e, "omega", Space::rot);
  to.condition_on_turn(e, joint);
}

template void bind_spherical(Assembler<Planar>&, const Element&);
template void bind_spherical(Assembler<Spatial>&, const Element&);

}  // namespace mbs
