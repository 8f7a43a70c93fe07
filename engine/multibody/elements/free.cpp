// <free>: no constraint; start values and coordinates of a free motion.

#include "engine/multibody/assembler.hpp"

namespace mbs {

template <class Space>
void bind_free(Assembler<Space>& to, const Element& e) {
  constexpr std::string_view names = "xyz";
  JointData& joint = to.joint(e);
  const int pos = to.slots(e, "pos", Space::dim), vel = to.slots(e, "vel", Space::dim);
  for (int i = 0; i < Space::dim; ++i) {
    CoordinateData q;
    q.kind = CoordinateData::Kind::translation;
    q.axis = i;
    q.name = names.substr(i, 1);
    q.q = pos == absent ? absent : pos + i;
    q.qd = vel == absent ? absent : vel + i;
    to.coordinate(joint, q);
  }
  const int rot = to.slots(e, "rot", Space::rotation_numbers);
  const int omega = to.slots(e, "omega", Space::rot);
  if constexpr (Space::dim == 2) {
    CoordinateData phi;
    phi.kind = CoordinateData::Kind::plane_angle;
    phi.name = "phi";
    phi.measurable = to.rotates(joint);
    phi.q = rot;
    phi.qd = omega;
    to.coordinate(joint, phi);
  } else {
    joint.rotation = rot;
    joint.omega = omega;
    to.condition_on_turn(e, joint);
  }
}

template void bind_free(Assembler<Planar>&, const Element&);
template void bind_free(Assembler<Spatial>&, const Element&);

}  // namespace mbs
