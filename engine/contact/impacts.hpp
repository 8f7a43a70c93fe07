#pragma once

// Impacts at an event, and the end of bouncing.
//
//   v+ = v- + S G_c^T x,   x and u = G_c v+ (+ e u_N- for Newton's law) as in problem.hpp
//
// Poisson's law: compression with e = 0, then x_N >= e x_N of the compression, with friction by
// Coulomb's law again. A contact that leaves an impact more slowly than its rest speed, or so
// slowly that its flight is lower than positions can resolve, is left no speed at all: bouncing
// ends after finitely many impacts.

#include <string>
#include <vector>

#include "engine/contact/mode_selection.hpp"

namespace mbs {

struct ImpactResult {
  std::string error;
  ModeCandidates candidates;     // present: closed after the impacts
  std::vector<std::string> log;  // "'ball': impact at 4.43 m/s"
};

// Changes x.v; sets impact and struck of the event. gap_thresholds, per contact, or empty: how far
// below zero a gap has to fall to be detected.
ImpactResult resolve_impacts(ContactMechanics& mechanics, const ContactSpeeds& speeds,
                             const Vector& gap_thresholds, ContactEvent& event, State& x);

}  // namespace mbs
