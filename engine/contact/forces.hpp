#pragma once

// Contact forces for given modes. A contact that slides has its friction eliminated,
//
//   x_T = -mu x_N d     or  -limit d,
//
// which enters W, and so has redundant friction; a contact without a force has no entry. What
// sticks is found in its cone. Contacts that stick together are judged together
// (friction_distribution.hpp): beyond their joint limit they slide, along the motion that has no
// bound there.

#include <optional>

#include "engine/contact/closed_contacts.hpp"

namespace mbs {

struct ContactForces {
  Vector x;  // per entry of the Delassus system
  // The same where contacts that stick together reach their joint limit, if the load grows in
  // proportion.
  Vector at_limit;
};

// Empty: no forces were found. Contacts beyond their joint limit become sliding candidates.
// free_directions: friction of contacts at the onset of sliding may have any direction.
std::optional<ContactForces> solve_forces(const ClosedContacts& at, ModeCandidates& candidates,
                                          bool free_directions = false);

}  // namespace mbs
