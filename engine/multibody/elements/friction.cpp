#include "engine/multibody/elements/friction.hpp"

#include "engine/multibody/assembly/assembly.hpp"

namespace mbs {

template <class Space>
void bind_friction(Assembly<Space>& to, const ElementReader& e) {
  const int coordinate = to.joints.coordinate_of(e, "joint");
  if (coordinate < 0) return;
  const CoordinateData& q = to.mechanism->coordinates[coordinate];
  const bool smooth = e["law"].text == "regularised",
             turns = q.kind != CoordinateData::Kind::translation;
  const auto refuse = [&](const char* code, const std::string& what, const char* hint) {
    e.error(code, e.title() + what, hint);
  };
  if (e.given("mu") && turns && !e.given("radius")) {
    return refuse("missing-attribute", " needs 'radius' with 'mu': its joint turns",
                  "the radius of the bearing, at which the friction acts");
  }
  if (e.given("radius") && !turns) {
    return refuse("exclusive-attributes", " has a 'radius', but its joint slides", "leave it away");
  }
  if (smooth && !e.given("width")) {
    return refuse("missing-attribute", " needs 'width' for law=\"regularised\"",
                  "the rate within which the force rises, 1 mm/s for example");
  }
  if (!smooth && e.given("width")) {
    return refuse("exclusive-attributes", " has a 'width', which law=\"coulomb\" does not use",
                  "leave it away, or write law=\"regularised\"");
  }
  if (smooth && e["static"].given) {
    return refuse("exclusive-attributes", " has a 'static', but regularised friction never sticks",
                  "leave it away, or write law=\"coulomb\"");
  }
  const int force = e.given("mu") ? to.laws.friction_of(e) : to.laws.of(e, "force");
  if (smooth) {
    SmoothFriction friction;
    friction.law = {force};
    friction.coordinate = {coordinate};
    friction.speed = e.slot("speed");
    friction.width = e.slot("width");
    friction.sign = to.joints.sign_of(e, "joint");
    return to.forces.add(e, friction);
  }
  ContactData c;
  c.kind = ContactData::Kind::friction;
  c.coordinate = coordinate;
  c.sign = to.joints.sign_of(e, "joint");
  c.a = q.a;
  c.b = q.b;
  c.limit = force;
  c.static_ratio = e.slot("static");
  c.speed = e.slot("speed");
  c.tangents = 1;
  to.forces.add_contact(e, std::move(c));
}

extern const ElementType friction_element{"friction", bind_friction, bind_friction};

}  // namespace mbs
