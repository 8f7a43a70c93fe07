// <contact>: a point or ball of frame b against a plane of frame a, or two balls.

#include "engine/multibody/assembly/assembly.hpp"

namespace mbs {

template <class Space>
void bind_contact(Assembly<Space>& to, const ElementReader& e) {
  ContactData c;
  c.a = e.frame("a");
  c.b = e.frame("b");
  const bool balls = e.given("radius_a");
  c.kind = balls ? ContactData::Kind::balls : ContactData::Kind::plane;
  c.radius_a = e.slot("radius_a");
  c.radius_b = e.slot("radius_b");
  c.restitution = e.slot("restitution");
  c.poisson = e["law"].text == "poisson";
  c.rest_speed = e.slot("rest_speed");
  if (!balls) {
    c.axis = 0;
    c.a = to.frames.turned(e, c.a, e.slots("normal", Space::dim), c.axis);
  }
  if (e.can_be_nonzero("mu") || e.can_be_nonzero("mu_static")) {
    if (balls || e.given("radius_b")) {
      to.frames.must_rotate(e, c.b);
      if (balls) to.frames.must_rotate(e, c.a);
    }
    c.mu = e.slot("mu");
    c.mu_static = e.given("mu_static") ? e.slot("mu_static") : c.mu;
    c.tangents = Space::dim - 1;
    if (balls && Space::dim == 3)
      c.pole = to.mechanism->add_start_value({StartValue::Kind::pole, c.a, c.b});
  }
  to.forces.add_contact(e, std::move(c));
}

extern const ElementType contact_element{"contact", bind_contact, bind_contact};

}  // namespace mbs
