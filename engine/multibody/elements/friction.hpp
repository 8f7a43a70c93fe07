#pragma once

// <friction>: Coulomb friction along or about the coordinate of a joint, with true sticking (a row
// of contacts.hpp), or regularised,
//
//   Q = -F tanh((q' - speed)/width)

#include "engine/multibody/assembler.hpp"

namespace mbs {

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

template <class Space>
using friction_forces = CoordinateForces<Space, SmoothFriction>;

template <class Space>
void bind_friction(Assembler<Space>& to, const Element& e) {
  const int coordinate = to.coordinate_of(e, "joint");
  if (coordinate < 0) return;
  const CoordinateData& q = to.coordinate_data(coordinate);
  const bool smooth = e["law"].text == "regularised",
             turns = q.kind != CoordinateData::Kind::translation;
  const auto refuse = [&](const char* code, const std::string& what, const char* hint) {
    to.error(e, code, to.title(e) + what, hint);
  };
  if (to.given(e, "mu") && turns && !to.given(e, "radius")) {
    return refuse("missing-attribute", " needs 'radius' with 'mu': its joint turns",
                  "the radius of the bearing, at which the friction acts");
  }
  if (to.given(e, "radius") && !turns) {
    return refuse("exclusive-attributes", " has a 'radius', but its joint slides", "leave it away");
  }
  if (smooth && !to.given(e, "width")) {
    return refuse("missing-attribute", " needs 'width' for law=\"regularised\"",
                  "the rate within which the force rises, 1 mm/s for example");
  }
  if (!smooth && to.given(e, "width")) {
    return refuse("exclusive-attributes", " has a 'width', which law=\"coulomb\" does not use",
                  "leave it away, or write law=\"regularised\"");
  }
  if (smooth && e["static"].given) {
    return refuse("exclusive-attributes", " has a 'static', but regularised friction never sticks",
                  "leave it away, or write law=\"coulomb\"");
  }
  const int force = to.given(e, "mu") ? to.friction_law(e) : to.law(e, "force");
  if (smooth) {
    SmoothFriction friction;
    friction.law = {force};
    friction.coordinate = {coordinate};
    friction.speed = to.slot(e, "speed");
    friction.width = to.slot(e, "width");
    friction.sign = to.coordinate_sign(e, "joint");
    return to.force(e, friction);
  }
  ContactData c;
  c.kind = ContactData::Kind::friction;
  c.coordinate = coordinate;
  c.sign = to.coordinate_sign(e, "joint");
  c.a = q.a;
  c.b = q.b;
  c.limit = force;
  c.static_ratio = to.slot(e, "static");
  c.speed = to.slot(e, "speed");
  c.tangents = 1;
  to.contact(e, std::move(c));
}

}  // namespace mbs
