// <planar>: b moves in the plane of x and y of the aligned sides and turns about z.

#include "engine/multibody/assembler.hpp"

namespace mbs {

template <class Space>
void bind_planar(Assembler<Space>& to, const Element& e) {
  JointData& joint = to.joint(e);
  joint.motion = JointMotion::planar;
  to.both_rotate(e, joint);
  to.align(e, joint, "axis", 2, "along");
  to.across(joint, 2);
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
  for (const auto& [name, axis] : {std::pair{"x", 0}, std::pair{"y", 1}}) {
    to.damp(e, "damping", add(CoordinateData::Kind::translation, axis, name));
  }
  to.damp(e, "angular_damping", add(CoordinateData::Kind::turning, 2, "q"));
}

template void bind_planar(Assembler<Planar>&, const Element&);
template void bind_planar(Assembler<Spatial>&, const Element&);

}  // namespace mbs
