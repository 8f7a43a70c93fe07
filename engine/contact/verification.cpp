#include "engine/contact/verification.hpp"

#include <algorithm>

#include "engine/base/text.hpp"
#include "engine/contact/closed_contacts.hpp"

namespace mbs {
namespace {

constexpr double force_accuracy = 1e-6;  // of the largest force
constexpr double speed_accuracy = 1e3;   // times the zero speed
constexpr double move_of_gap = 1e3;      // a change of positions, of the largest gap

ModeCandidates all_rows(std::size_t count) {
  ModeCandidates candidates(count);
  for (ModeCandidate& candidate : candidates) candidate.present = true;
  return candidates;
}

}  // namespace

std::string find_violation(ContactMechanics& mechanics, const State& before, const State& after,
                           double zero_speed) {
  const std::vector<Structure::Contact>& contacts = mechanics.contacts();
  const Structure& known = mechanics.equations().structure();
  const ModeCandidates all = all_rows(contacts.size());
  const Vector gap = mechanics.gaps(before, all), speed = mechanics.velocities(after, all);
  const Vector phi = mechanics.indicators(after);
  const double least = force_accuracy * largest(after.lambda), moving = speed_accuracy * zero_speed;
  double largest_gap = touching_gap;
  for (const Structure::Contact& c : contacts) {
    const ContactMode mode = contact_mode(after, c);
    const std::string name = "'" + c.name + "' ";
    const bool closed = c.normal >= 0 && normal_acts(mode);
    if (closed) {
      largest_gap = std::max(largest_gap, std::abs(gap[c.normal]) / known.g_scale[c.normal]);
      if (phi[c.phi] < -least) return name + "would pull with " + short_number(-phi[c.phi]);
      if (!(std::abs(speed[c.normal]) <= moving))
        return name + "is closed, but its gap changes by " + short_number(speed[c.normal]) + "/s";
    }
    for (int k = 0; k < c.tangents; ++k) {
      if (tangent_acts(mode, k) && !(std::abs(speed[c.tangent + k]) <= moving))
        return name + "sticks, but slides at " + short_number(speed[c.tangent + k]);
    }
    const bool sticks = mode == ContactMode::stick || friction_is_redundant(mode);
    if (sticks && c.tangents > 0 && phi[c.phi + (c.normal >= 0 ? 1 : 0)] < -least)
      return name + "sticks with more than its friction holds";
  }
  const Vector change = (after.p - before.p).cwiseQuotient(known.p_scale);
  if (contacts.empty() || !(largest(change) > move_of_gap * largest_gap)) return {};
  return "positions would jump by " + short_number(largest(change)) + " of their size";
}

}  // namespace mbs
