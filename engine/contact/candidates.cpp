#include "engine/contact/candidates.hpp"

#include "engine/contact/low_speed_direction.hpp"

namespace mbs {

void write_modes(std::span<const Structure::Contact> contacts, const ModeCandidates& candidates,
                 State& x) {
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Structure::Contact& c = contacts[i];
    const ModeCandidate& candidate = candidates[i];
    set_contact_mode(x, c, candidate.mode);
    if (!friction_is_force(candidate.mode) || c.direction < 0) continue;
    const bool keeps = candidate.mode == ContactMode::slide && candidate.keeps_sliding;
    x.z.segment(c.direction, c.tangents) = keeps ? candidate.z : candidate.direction;
    if (c.low_speed >= 0) x.z.segment<low_speed_entries>(c.low_speed) = candidate.low_speed;
  }
}

void write_all_rows(std::span<const Structure::Contact> contacts, const ModeCandidates& candidates,
                    State& x) {
  for (std::size_t i = 0; i < contacts.size(); ++i)
    set_contact_mode(x, contacts[i],
                     candidates[i].present ? ContactMode::stick : ContactMode::open);
}

std::string names_of_present(std::span<const Structure::Contact> contacts,
                             const ModeCandidates& candidates) {
  std::string text;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (candidates[i].present) text += (text.empty() ? "'" : ", '") + contacts[i].name + "'";
  }
  return text;
}

}  // namespace mbs
