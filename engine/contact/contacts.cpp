#include "engine/contact/contacts.hpp"

#include <algorithm>

#include "engine/contact/impacts.hpp"

namespace mbs {

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
  ImpactResult impacts = resolve_impacts(mechanics_, speeds_, gap_thresholds_, event, x);
  report_.error = std::move(impacts.error);
  if (report_.error.empty()) {
    ModeSelection modes =
        select_modes(mechanics_, speeds_, event, std::move(impacts.candidates), x);
    report_.error = std::move(modes.error);
    report_.longest_step = modes.longest_step;
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
  if (report_.changed) report_.log = std::move(impacts.log);
  return report_;
}

}  // namespace mbs
