#pragma once

// The mode of a contact, or of dry friction, is its active set: it says which of its rows of G act.
//
//   mode               normal row   tangent rows   friction
//   open               -            -              -
//   stick              acts         all            the multipliers of the tangent rows
//   slide              acts         -              a force, mu N against the sliding direction
//   redundant          acts         -              a force, a fixed part of the static limit
//   redundant_first    acts         the second     the same along the first tangent
//   redundant_second   acts         the first      the same along the second tangent
//   inactive           -            -              -
//
// Friction is redundant where rows of other contacts, or of joints, already prevent sliding: its
// own rows would depend on those and make the equations singular. A contact is inactive where its
// gap is zero and others carry its load (the fourth leg of a table). State::modes keeps modes as
// integers.

#include "engine/equations/equations.hpp"

namespace mbs {

enum class ContactMode : int {
  every_row = -1,  // where patterns are recorded: all rows act and friction is a force as well
  open = 0,
  stick = 1,
  slide = 2,
  redundant = 3,
  inactive = 4,
  redundant_first = 5,
  redundant_second = 6
};

// The tangent rows that act: bit k for tangent k.
constexpr unsigned active_tangents(ContactMode mode) {
  switch (mode) {
    case ContactMode::every_row:
    case ContactMode::stick:
      return 0b11;
    case ContactMode::redundant_first:
      return 0b10;
    case ContactMode::redundant_second:
      return 0b01;
    default:
      return 0;
  }
}
constexpr ContactMode redundant_friction(unsigned active) {
  return active == 0b10   ? ContactMode::redundant_first
         : active == 0b01 ? ContactMode::redundant_second
                          : ContactMode::redundant;
}

constexpr bool normal_acts(ContactMode mode) {
  return mode != ContactMode::open && mode != ContactMode::inactive;
}
constexpr bool tangent_acts(ContactMode mode, int k) {
  return ((active_tangents(mode) >> k) & 1u) != 0;
}
constexpr bool friction_is_redundant(ContactMode mode) {
  return mode == ContactMode::redundant || mode == ContactMode::redundant_first ||
         mode == ContactMode::redundant_second;
}
constexpr bool friction_is_force(ContactMode mode) {
  return mode == ContactMode::slide || mode == ContactMode::every_row ||
         friction_is_redundant(mode);
}

// Gaps, as parts of their size (Structure::g_scale): up to which contacts touch, and within which
// an inactive contact stays with those that carry its load. Gaps of closed contacts are zero but
// for the error of integration.
constexpr double touching_gap = 1e-9, inactive_gap = 1e-6;

inline ContactMode contact_mode(const State& x, int mode) {
  return static_cast<ContactMode>(x.modes[static_cast<std::size_t>(mode)]);
}
inline ContactMode contact_mode(const State& x, const Structure::Contact& c) {
  return contact_mode(x, c.mode);
}
inline void set_contact_mode(State& x, const Structure::Contact& c, ContactMode mode) {
  x.modes[static_cast<std::size_t>(c.mode)] = static_cast<int>(mode);
}

}  // namespace mbs
