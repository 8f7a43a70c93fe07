// <friction>: Coulomb friction along or about the coordinate of a joint, with true sticking (a row
// of contacts.hpp), or regularised,
//
//   Q = -F tanh((q' - speed)/width)

#include "engine/multibody/assembly/assembly.hpp"

namespace mbs {

namespace {

struct SmoothFriction {
  static constexpr int law_count = 1;
  std::array<int, 1> law;  // F
  std::array<int, 1> coordinate{};
  int speed = absent, width = absent;
  double sign = 1.0;  // of the coordinate as a mirrored subsystem counts it

  template <class Space, class T>
  T evaluate(const auto& at, const std::array<T, 1>&, const std::array<T, 1>& qd,
             Laws<Space, T>& laws, std::array<T, 1>& Q) const {
    using std::tanh;
    const T slip = (1.0 / at[width]) * (sign * qd[0] - at.optional(speed));
    const T force = -(laws(0) * tanh(slip));
    Q[0] = sign * force;
    return force;
  }
};

}  // namespace

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
