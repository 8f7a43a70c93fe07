// <contact>: a point or ball of frame b against a plane of frame a, or two balls.

#include "engine/multibody/assembler.hpp"

namespace mbs {

template <class Space>
void bind_contact(Assembler<Space>& to, const Element& e) {
  ContactData c;
  c.a = to.frame(e, "a");
  c.b = to.frame(e, "b");
  const bool balls = to.given(e, "radius_a");
  c.kind = balls ? ContactData::Kind::balls : ContactData::Kind::plane;
  c.radius_a = to.slot(e, "radius_a");
  c.radius_b = to.slot(e, "radius_b");
  c.restitution = to.slot(e, "restitution");
  c.poisson = e["law"].text == "poisson";
  c.rest_speed = to.slot(e, "rest_speed");
  if (!balls) {
    c.axis = 0;
    c.a = to.turned(e, c.a, to.slots(e, "normal", Space::dim), c.axis);
  }
  if (to.acts(e, "mu") || to.acts(e, "mu_static")) {
    if (balls || to.given(e, "radius_b")) {
      to.must_rotate(e, c.b);
      if (balls) to.must_rotate(e, c.a);
    }
    c.mu = to.slot(e, "mu");
    c.mu_static = to.given(e, "mu_static") ? to.slot(e, "mu_static") : c.mu;
    c.tangents = Space::dim - 1;
    if (balls && Space::dim == 3) c.pole = to.remember({Remembered::Kind::pole, c.a, c.b});
  }
  to.contact(e, std::move(c));
}

template void bind_contact(Assembler<Planar>&, const Element&);
template void bind_contact(Assembler<Spatial>&, const Element&);

}  // namespace mbs
