// <revolute>: r_b = r_a; in space z of both sides stays along the axis. A particle may hang on one
// in the plane; the angle then has no value.

#include "engine/multibody/assembler.hpp"

namespace mbs {

template <class Space>
void bind_revolute(Assembler<Space>& to, const Element& e) {
  JointData& joint = to.joint(e);
  joint.motion = JointMotion::revolute;
  CoordinateData q;
  q.name = "q";
  if constexpr (Space::dim == 2) {
    q.kind = CoordinateData::Kind::plane_angle;
    q.sign = to.slot(e, "axis");
    q.measurable = to.rotates(joint);
    to.coincide(joint);
  } else {
    q.kind = CoordinateData::Kind::turning;
    q.axis = 2;
    to.both_rotate(e, joint);
    to.align(e, joint, "axis", 2);
    to.coincide(joint);
    to.perpendicular(joint, 0, 2);
    to.perpendicular(joint, 1, 2);
    to.same_direction(joint, 2);
  }
  q.q = to.slot(e, "q");
  q.qd = to.slot(e, "qd");
  to.passive(e, to.coordinate(joint, q));
}

template void bind_revolute(Assembler<Planar>&, const Element&);
template void bind_revolute(Assembler<Spatial>&, const Element&);

}  // namespace mbs
