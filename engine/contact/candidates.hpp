#pragma once

// The assumption about each contact while the modes at a point are sought.

#include <span>
#include <string>
#include <vector>

#include "engine/contact/modes.hpp"

namespace mbs {

struct ModeCandidate {
  bool present = false;                  // its rows are part of the contact problem
  ContactMode mode = ContactMode::open;  // open, of one that is present: it exerts no force
  // The direction of sliding; of redundant friction its part of the static limit.
  Vector direction;
  Eigen::Vector3d low_speed = Eigen::Vector3d::Zero();  // low_speed_direction.hpp
  bool slid_before = false;    // it slid up to the event, which has not changed its motion
  bool keeps_sliding = false;  // it slides on as before: z and low_speed stay
  Vector z;                    // z of low_speed_direction.hpp where it slides on
  bool slips_jointly = false;  // it slides as it could not stick together with others
};
using ModeCandidates = std::vector<ModeCandidate>;

// Modes, directions and low speeds of the candidates.
void write_modes(std::span<const Structure::Contact> contacts, const ModeCandidates& candidates,
                 State& x);
// All rows of what is present act, for the evaluation of these rows.
void write_all_rows(std::span<const Structure::Contact> contacts, const ModeCandidates& candidates,
                    State& x);
// "'left', 'right'", of what is present
std::string names_of_present(std::span<const Structure::Contact> contacts,
                             const ModeCandidates& candidates);

}  // namespace mbs
