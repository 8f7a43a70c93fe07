// <friction>: Coulomb friction along or about the coordinate of a joint, with true sticking.

#include "engine/multibody/assembler.hpp"

namespace mbs {

template <class Space>
void bind_friction(Assembler<Space>& to, const Element& e) {
  ContactData c;
  c.kind = ContactData::Kind::friction;
  c.coordinate = to.coordinate_of(e, "joint");
  if (c.coordinate < 0) return;
  const CoordinateData& q = to.coordinate_data(c.coordinate);
  c.sign = to.coordinate_sign(e, "joint");
  c.a = q.a;
  c.b = q.b;
  c.limit = to.law(e, "force");
  c.static_ratio = to.slot(e, "static");
  c.speed = to.slot(e, "speed");
  c.tangents = 1;
  to.contact(e, std::move(c));
}

template void bind_friction(Assembler<Planar>&, const Element&);
template void bind_friction(Assembler<Spatial>&, const Element&);

}  // namespace mbs
