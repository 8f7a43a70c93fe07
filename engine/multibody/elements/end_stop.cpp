// <end_stop>: a bound of a joint's coordinate, q >= lower or q <= upper.

#include "engine/multibody/assembler.hpp"

namespace mbs {

template <class Space>
void bind_end_stop(Assembler<Space>& to, const Element& e) {
  ContactData c;
  c.kind = ContactData::Kind::stop;
  c.coordinate = to.coordinate_of(e, "joint");
  if (c.coordinate < 0) return;
  to.use_value(c.coordinate);
  const CoordinateData& q = to.coordinate_data(c.coordinate);
  c.sign = to.coordinate_sign(e, "joint");
  c.a = q.a;
  c.b = q.b;
  const bool lower = to.given(e, "lower");
  c.side = lower ? 1.0 : -1.0;
  c.bound = to.slot(e, lower ? "lower" : "upper");
  c.restitution = to.slot(e, "restitution");
  c.poisson = e["law"].text == "poisson";
  c.rest_speed = to.slot(e, "rest_speed");
  to.contact(e, std::move(c));
}

template void bind_end_stop(Assembler<Planar>&, const Element&);
template void bind_end_stop(Assembler<Spatial>&, const Element&);

}  // namespace mbs
