// <cylindrical>: b slides along z of the aligned sides and turns about it.

#include "engine/multibody/assembler.hpp"

namespace mbs {

template <class Space>
void bind_cylindrical(Assembler<Space>& to, const Element& e) {
  JointData& joint = to.joint(e);
  joint.motion = JointMotion::cylindrical;
  to.both_rotate(e, joint);
  to.align(e, joint, "axis", 2);
  to.across(joint, 0);
  to.across(joint, 1);
  to.perpendicular(joint, 0, 2);
  to.perpendicular(joint, 1, 2);
  to.same_direction(joint, 2);
  const auto add = [&](CoordinateData::Kind kind, int axis, const char* name) {
    CoordinateData c;
    c.kind = kind;
    c.axis = axis;
    c.name = name;
    c.q = to.slot(e, name);
    c.qd = to.slot(e, std::string(name) + "d");
    return to.coordinate(joint, c);
  };
  const int q = add(CoordinateData::Kind::turning, 2, "q");
  const int s = add(CoordinateData::Kind::translation, 2, "s");
  to.damp(e, "damping", q);
  to.damp(e, "axial_damping", s);
}

template void bind_cylindrical(Assembler<Planar>&, const Element&);
template void bind_cylindrical(Assembler<Spatial>&, const Element&);

}  // namespace mbs
