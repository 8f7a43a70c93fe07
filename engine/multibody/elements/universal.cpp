// <universal>: z of side a and x of side b are the axes of a cross; R = R_z(q1) R_x(q2).

#include "engine/multibody/assembler.hpp"

namespace mbs {

template <class Space>
void bind_universal(Assembler<Space>& to, const Element& e) {
  JointData& joint = to.joint(e);
  joint.motion = JointMotion::universal;
  to.both_rotate(e, joint);
  to.align(e, joint, "axis", 2, "second");
  to.coincide(joint);
  to.perpendicular(joint, 2, 0);
  const auto add = [&](CoordinateData::Kind kind, int axis, const char* name) {
    CoordinateData c;
    c.kind = kind;
    c.axis = axis;
    c.name = name;
    c.q = to.slot(e, name);
    c.qd = to.slot(e, std::string(name) + "d");
    return to.coordinate(joint, c);
  };
  to.damp(e, "damping", add(CoordinateData::Kind::turning, 2, "q1"));
  to.damp(e, "damping", add(CoordinateData::Kind::second_turning, 0, "q2"));
}

template void bind_universal(Assembler<Planar>&, const Element&);
template void bind_universal(Assembler<Spatial>&, const Element&);

}  // namespace mbs
