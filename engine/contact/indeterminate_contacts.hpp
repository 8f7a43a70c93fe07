#pragma once

// Statically indeterminate contacts, once their forces are known: dependent rows are taken out so
// that the equations stay regular, and what these contacts bear is fixed.
//
//   - closed contacts with dependent normal rows bear nothing where the rest can bear it all
//   - friction where normal rows already prevent sliding bears nothing where these can bear
//     it all (a joint on its stop needs no friction); where friction bears the load alone, the
//     stop has no force
//   - friction that depends on friction elsewhere keeps its part of the static limit; of two
//     tangents one may still act (the second foot of a body keeps it from turning about the first)
//   - contacts without a force that cannot open alone become inactive

#include "engine/contact/forces.hpp"

namespace mbs {

enum class RedundantForces {
  // Redundant friction keeps the part of its limit that it has where all begin to slide, if the
  // load grows in proportion, and rows that act bear the rest until then.
  at_joint_limit,
  relieved,  // it keeps the part that it has now
  as_found   // likewise, and nothing is relieved of its force
};

void assign_redundant_modes(const ClosedContacts& at, ModeCandidates& candidates,
                            ContactForces& forces, RedundantForces kind);

}  // namespace mbs
