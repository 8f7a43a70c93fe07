// <revolute>: r_b = r_a; in space z of both sides stays along the axis. A particle may hang on one
// in the plane; the angle then has no value.

#include "engine/multibody/assembly/joint_builder.hpp"

namespace mbs {

template <class Space>
void bind_revolute(Assembly<Space>& to, const ElementReader& e) {
  JointBuilder<Space> joint(to, e, JointKind::revolute);
  CoordinateData q;
  q.name = "q";
  if constexpr (Space::dim == 2) {
    q.kind = CoordinateData::Kind::plane_angle;
    q.sign = e.slot("axis");
    q.measurable = joint.rotates();
    joint.coincide();
  } else {
    q.kind = CoordinateData::Kind::turning;
    q.axis = 2;
    joint.must_rotate();
    joint.align("axis", 2);
    joint.coincide();
    joint.parallel();
  }
  q.q = e.slot("q");
  q.qd = e.slot("qd");
  joint.add_spring(joint.add_coordinate(q));
}

extern const ElementType revolute_element{"revolute", bind_revolute, bind_revolute};

}  // namespace mbs
