// <free>: no constraint; start values and coordinates of a free motion.

#include "engine/multibody/assembly/joint_builder.hpp"

namespace mbs {

template <class Space>
void bind_free(Assembly<Space>& to, const ElementReader& e) {
  constexpr std::string_view names = "xyz";
  JointBuilder<Space> joint(to, e);
  const int pos = e.slots("pos", Space::dim), vel = e.slots("vel", Space::dim);
  for (int i = 0; i < Space::dim; ++i) {
    CoordinateData q;
    q.kind = CoordinateData::Kind::translation;
    q.axis = i;
    q.name = names.substr(i, 1);
    q.q = pos == absent ? absent : pos + i;
    q.qd = vel == absent ? absent : vel + i;
    joint.add_coordinate(q);
  }
  const int rot = e.slots("rot", Space::rotation_numbers);
  const int omega = e.slots("omega", Space::rot);
  if constexpr (Space::dim == 2) {
    CoordinateData phi;
    phi.kind = CoordinateData::Kind::plane_angle;
    phi.name = "phi";
    phi.measurable = joint.rotates();
    phi.q = rot;
    phi.qd = omega;
    joint.add_coordinate(phi);
  } else {
    joint.start_orientation(rot, omega);
  }
}

extern const ElementType free_element{"free", bind_free, bind_free};

}  // namespace mbs
