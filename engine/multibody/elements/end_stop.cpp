// <end_stop>: a bound of a joint's coordinate, q >= lower or q <= upper.

#include "engine/multibody/assembly/assembly.hpp"

namespace mbs {

template <class Space>
void bind_end_stop(Assembly<Space>& to, const ElementReader& e) {
  ContactData c;
  c.kind = ContactData::Kind::stop;
  c.coordinate = to.joints.coordinate_of(e, "joint");
  if (c.coordinate < 0) return;
  to.joints.use_as_number(c.coordinate);
  const CoordinateData& q = to.mechanism->coordinates[c.coordinate];
  c.sign = to.joints.sign_of(e, "joint");
  c.a = q.a;
  c.b = q.b;
  const bool lower = e.given("lower");
  c.side = lower ? 1.0 : -1.0;
  c.bound = e.slot(lower ? "lower" : "upper");
  c.restitution = e.slot("restitution");
  c.poisson = e["law"].text == "poisson";
  c.rest_speed = e.slot("rest_speed");
  to.forces.add_contact(e, std::move(c));
}

extern const ElementType end_stop_element{"end_stop", bind_end_stop, bind_end_stop};

}  // namespace mbs
