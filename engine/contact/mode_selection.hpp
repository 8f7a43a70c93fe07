#pragma once

// Modes of contacts after an event, with the forces and accelerations that belong to them.
//
// Modes follow from the forces: x_N = 0 is open, x_T within the cone sticks, otherwise a contact
// slides along -x_T. Contacts beyond a joint limit of sticking begin to slide together, and with
// accelerations their directions and forces are found together. Velocities have directions of
// their own only from the low speed on (low_speed_direction.hpp); a contact that stops may stop
// other slow ones.
//
// A contact that slides through an event of others keeps its friction, with z and the low speed. A
// z taken anew from a slow velocity would keep its error until the next event: friction as stiff
// as limit/|v|, sampled now and then, amplifies an error and turns its sign.

#include <limits>
#include <string>
#include <vector>

#include "engine/contact/mechanics.hpp"

namespace mbs {

// Relative speeds that count as none, for a tolerance.
struct ContactSpeeds {
  explicit ContactSpeeds(const Tolerances& tolerances);
  double zero;      // rounding
  double moving;    // low speed of a contact that moves already
  double starting;  // low speed at the onset of sliding
};

// What an event leaves to the selection of modes.
struct ContactEvent {
  double t = 0.0;
  std::vector<int> fired;          // indicators
  std::vector<ContactMode> modes;  // before the event, per contact
  Vector z, lambda;                // before the event
  bool impact = false;             // there were impulses
  std::vector<char> struck;        // per contact: an impulse has changed its sliding velocity
};

struct ModeSelection {
  std::string error;                                              // empty: x has modes
  double longest_step = std::numeric_limits<double>::infinity();  // to resolve onsets of sliding
};

// candidates: present is what is closed after impacts.
ModeSelection select_modes(ContactMechanics& mechanics, const ContactSpeeds& speeds,
                           const ContactEvent& event, ModeCandidates candidates, State& x);

}  // namespace mbs
