#pragma once

// Contacts and dry friction of a model (Structure::contacts) at starts and events, all of them
// together. An event is resolved in three parts:
//
//   impacts.hpp         velocities after impacts, and which contacts stay closed
//   mode_selection.hpp  modes that agree with the contact forces
//   mechanics.hpp       accelerations and multipliers for these modes
//
// Forces come from forces.hpp, which states a contact problem (problem.hpp) and solves it
// (solver.hpp); redundancy.hpp and indeterminate_contacts.hpp take out dependent rows.

#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/contact/mode_selection.hpp"

namespace mbs {

// Rows of G that act only while contacts are closed: they take no degree of freedom for good.
int contact_rows(const Structure& structure);

struct ContactReport {
  std::string error;     // for a person; empty: x is consistent, with accelerations and modes
  bool changed = false;  // false: open contacts grazed, without an impact, and stay open
  double longest_step = std::numeric_limits<double>::infinity();  // to resolve onsets of sliding
  std::vector<std::string> log;                                   // "'ball': impact at 4.43 m/s"
};

class Contacts {
 public:
  Contacts(const Equations& equations, Context context, const Tolerances& tolerances,
           const std::string& linear);

  bool any() const { return !mechanics_.contacts().empty(); }

  // At a start a contact is closed where its gap is zero; then as after an event.
  const ContactReport& start(State& x);
  // After an event at x: indicators that fired close what they guard.
  const ContactReport& resolve_events(std::span<const int> fired, State& x);
  // The report of the last call.
  const ContactReport& report() const { return report_; }

  // Per contact: how far below zero a gap has to fall for the end of a flight to be detected, for
  // integration elsewhere.
  void set_gap_thresholds(Vector thresholds) { gap_thresholds_ = std::move(thresholds); }

  ContactMechanics& mechanics() { return mechanics_; }
  const ContactSpeeds& speeds() const { return speeds_; }

 private:
  ContactMechanics mechanics_;
  ContactSpeeds speeds_;
  Vector gap_thresholds_;
  ContactReport report_;
};

}  // namespace mbs
