#pragma once

// Rows of closed contacts that depend on rows of others (W is singular), found by elimination.

#include <vector>

#include "engine/contact/closed_contacts.hpp"

namespace mbs {

// Closed contacts whose normal rows depend on those of others. With forces x, the contacts that
// bear most come first and are kept.
std::vector<std::size_t> dependent_normals(const ClosedContacts& at,
                                           const ModeCandidates& candidates, const Vector* x);
// Contacts without a force whose normal rows depend on all rows that act: they cannot open alone.
std::vector<std::size_t> dependent_open_normals(const ClosedContacts& at,
                                                const ModeCandidates& candidates);

struct DependentFriction {
  std::size_t contact;
  unsigned active;  // the tangent rows that do not depend on others, as a mask
};
// Contacts without speed whose tangent rows depend on the normal rows of what is closed.
std::vector<DependentFriction> friction_prevented_by_normals(const ClosedContacts& at,
                                                             const ModeCandidates& candidates);
// The same with the tangent rows of others that stick, one row of two included. `use`, per
// contact: which part of its static limit friction uses; those that use least are kept.
std::vector<DependentFriction> dependent_friction(const ClosedContacts& at,
                                                  const ModeCandidates& candidates,
                                                  const Vector& use);

// Before forces are known: leaves enough rows for positions and velocities.
void drop_dependent_rows(const ClosedContacts& at, ModeCandidates& candidates);

}  // namespace mbs
