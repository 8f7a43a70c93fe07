#include "engine/contact/contacts.hpp"

#include <algorithm>

#include "engine/contact/impacts.hpp"
#include "engine/contact/verification.hpp"

namespace mbs {
namespace {

// Open contacts whose gap came to zero leave again, and nothing else has happened.
bool only_grazed(const std::vector<Structure::Contact>& contacts, const ContactEvent& event,
                 const ModeCandidates& after) {
  std::size_t grazed = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (event.modes[i] != ContactMode::open) continue;
    if (after[i].present) return false;
    grazed += std::ranges::count(event.fired, contacts[i].phi) > 0;
  }
  return !event.impact && grazed > 0 && grazed == event.fired.size();
}

bool is_sliding(ContactMode mode) {
  return mode == ContactMode::slide;
}

// What an event has done to a contact; empty: nothing, or an impact, which has an entry already.
std::string transition(const Structure::Contact& c, ContactMode before, ContactMode after) {
  const std::string name = "'" + c.name + "': ";
  const bool was_open = before == ContactMode::open, is_open = after == ContactMode::open;
  if (is_open && !was_open) return name + "opens";
  if (was_open || is_open || c.tangents == 0 || is_sliding(before) == is_sliding(after)) return {};
  return name + (is_sliding(after) ? "begins to slide" : "sticks");
}

}  // namespace

int contact_rows(const Structure& structure) {
  int rows = 0;
  for (const Structure::Contact& c : structure.contacts) rows += (c.normal >= 0) + c.tangents;
  return rows;
}

Contacts::Contacts(const Equations& equations, Context context, const Tolerances& tolerances,
                   const std::string& linear)
    : mechanics_(equations, context, tolerances, linear), speeds_(tolerances) {}

const ContactReport& Contacts::start(State& x) {
  report_ = {};
  if (!any()) return report_;
  ModeCandidates touching;
  report_.error = mechanics_.close_touching(x, touching);
  if (!report_.error.empty()) return report_;
  write_modes(mechanics_.contacts(), touching, x);
  return resolve_events({}, x);
}

const ContactReport& Contacts::resolve_events(std::span<const int> fired, State& x) {
  report_ = {};
  if (!any()) return report_;
  const std::vector<Structure::Contact>& contacts = mechanics_.contacts();
  ContactEvent event{x.t, {fired.begin(), fired.end()}, {}, x.z, x.lambda, false, {}};
  for (const Structure::Contact& c : contacts) event.modes.push_back(contact_mode(x, c));
  const State before = x;
  ImpactResult impacts = resolve_impacts(mechanics_, speeds_, gap_thresholds_, event, x);
  if (impacts.error.empty() && only_grazed(contacts, event, impacts.candidates)) {
    x = before;
    return report_;
  }
  report_.error = std::move(impacts.error);
  if (report_.error.empty()) {
    ModeSelection modes =
        select_modes(mechanics_, speeds_, event, std::move(impacts.candidates), x);
    report_.error = std::move(modes.error);
    report_.longest_step = modes.longest_step;
  }
  if (report_.error.empty()) {
    const std::string violation = find_violation(mechanics_, before, x, speeds_.zero);
    if (!violation.empty())
      report_.error = "no modes were found that agree with all laws: " + violation;
  }
  std::size_t grazed = 0;
  bool same = !event.impact;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const ContactMode mode = contact_mode(x, contacts[i]);
    same = same && mode == event.modes[i];
    if (mode == ContactMode::open &&
        std::find(fired.begin(), fired.end(), contacts[i].phi) != fired.end())
      ++grazed;
  }
  report_.changed = !same || fired.empty() || grazed < fired.size();
  if (!report_.changed) return report_;
  report_.log = std::move(impacts.log);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    std::string text = transition(contacts[i], event.modes[i], contact_mode(x, contacts[i]));
    if (!text.empty()) report_.log.push_back(std::move(text));
  }
  return report_;
}

}  // namespace mbs
