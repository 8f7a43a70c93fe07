#include "engine/contact/mode_selection.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/contact/indeterminate_contacts.hpp"
#include "engine/contact/low_speed_direction.hpp"
#include "engine/contact/redundancy.hpp"

namespace mbs {
namespace {

// Where the load rises steadily, v = k t^2/2, friction that begins to slide and turns by a rate w
// meanwhile errs by about 2 w s^2/k at the low speed s: a part of the tolerance for
// s = 0.3 sqrt(tol), k and w of about 1 in units of the model. A contact that moves already has a
// direction from a few tol on.
constexpr double times_root_of_tolerance = 1.0;
constexpr double times_tolerance = 10.0;
// The low speed fades within this times its quotient with the deceleration by friction.
constexpr double fading = 300.0;

constexpr double on_the_cone = 1.0 - 1e-9;  // part of the friction limit that counts as all of it
constexpr double resolved = 1e-7;           // part of the largest acceleration that has a direction
constexpr double yielding = 1e4;            // times the negligible acceleration, at a joint limit
constexpr double unresolved = 1e3;          // times the zero speed: no direction
constexpr double stopping = 1.5;            // times the low speed: sliding may end
constexpr double together = 5.0;            // the same for other contacts, where one stops
constexpr int max_changes = 100;
constexpr int max_laws = 30;

bool contains(const std::vector<int>& list, int value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

bool friction_fired(const ContactEvent& event, const Structure::Contact& c) {
  return contains(event.fired, c.phi + (c.normal >= 0 ? 1 : 0));
}

// A contact that bears a force sticks where it has no speed, otherwise it slides.
void close(const ClosedContacts& at, const ContactEvent& event, std::size_t i,
           ModeCandidate& candidate) {
  candidate.mode = ContactMode::stick;
  candidate.keeps_sliding = false;
  const Structure::Contact& c = at.contacts[i];
  if (c.tangents == 0) return;
  const Vector v = at.tangential(i, at.system.u);
  if (v.norm() <= at.zero_speed) return;
  candidate.mode = ContactMode::slide;
  candidate.direction = candidate.z = v.normalized();
  if (!candidate.slid_before) return;
  const Eigen::Vector2d z = event.z.segment<2>(c.direction);
  candidate.keeps_sliding = z.dot(candidate.direction) > cosine_of_60;
  if (!candidate.keeps_sliding) return;
  candidate.low_speed = event.z.segment<low_speed_entries>(c.low_speed);
  const double slow = low_speed(event.z, c.low_speed, event.t);
  if (v.norm() >= slow) return;
  const auto d = low_speed_direction<double>({v[0], v[1]}, {z[0], z[1]}, slow);
  candidate.direction << d[0], d[1];
  candidate.z = z;
}

// Contacts that slid before and stop at this event: all that slide slowly may stop where one does,
// as a body that stands on several contact points stops as a whole. Without impacts the end of
// sliding along a single direction is always an event of its own; two directions may just have
// turned.
std::vector<char> stopping_contacts(const ClosedContacts& at, const ContactEvent& event,
                                    const ModeCandidates& candidates) {
  const auto slid = [&](std::size_t i) {
    return !event.impact && event.modes[i] == ContactMode::slide &&
           candidates[i].mode == ContactMode::stick;
  };
  const auto slow = [&](std::size_t i, double times) {
    const int entry = at.contacts[i].low_speed;
    const double bound =
        entry >= 0 ? low_speed(event.z, entry, event.t) : unresolved * at.zero_speed;
    return at.tangential(i, at.system.u).norm() <= times * bound;
  };
  bool any = false;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const Structure::Contact& c = at.contacts[i];
    any = any || (slid(i) && c.tangents > 1 && friction_fired(event, c) && slow(i, stopping));
  }
  std::vector<char> stops(at.size(), 0);
  for (std::size_t i = 0; i < at.size(); ++i) {
    const Structure::Contact& c = at.contacts[i];
    if (slid(i) && c.tangents > 0)
      stops[i] = c.tangents == 1 ? friction_fired(event, c) : any && slow(i, together);
  }
  return stops;
}

// Modes by the event and by velocities, before forces are known.
void guess_modes(const ClosedContacts& at, const ContactEvent& event, ModeCandidates& candidates) {
  for (std::size_t i = 0; i < at.size(); ++i) {
    const Structure::Contact& c = at.contacts[i];
    candidates[i].slid_before = event.modes[i] == ContactMode::slide && c.low_speed >= 0 &&
                                !friction_fired(event, c) && event.struck[i] == 0;
  }
  const std::vector<char> stops = stopping_contacts(at, event, candidates);
  const bool shared = std::any_of(event.modes.begin(), event.modes.end(), friction_is_redundant);
  for (std::size_t i = 0; i < at.size(); ++i) {
    const Structure::Contact& c = at.contacts[i];
    ModeCandidate& candidate = candidates[i];
    if (candidate.mode != ContactMode::stick || c.tangents == 0 || stops[i] != 0) continue;
    close(at, event, i, candidate);
    const bool slips = candidate.mode == ContactMode::stick && !event.impact &&
                       event.modes[i] == ContactMode::stick && !shared && friction_fired(event, c);
    if (!slips) continue;
    const Vector lambda = event.lambda.segment(c.tangent, c.tangents);
    if (lambda.norm() == 0.0) continue;
    candidate.mode = ContactMode::slide;
    candidate.direction = lambda.normalized();
  }
}

// Contacts at the onset of sliding slide along their accelerations where these are known:
// directions and forces are found together.
std::optional<ContactForces> align_with_accelerations(const ClosedContacts& at,
                                                      ModeCandidates& candidates,
                                                      ContactForces forces) {
  const Vector acceleration = at.acceleration(forces.x);
  const double known = resolved * (largest(at.system.b) + largest(acceleration));
  const auto begins = [&](std::size_t i) {
    return at.contacts[i].tangents > 1 && at.at_onset(i, candidates[i]);
  };
  bool turned = false;
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (!begins(i)) continue;
    const Vector a = at.tangential(i, acceleration);
    turned = turned || (a.norm() > known &&
                        (a - a.norm() * candidates[i].direction).norm() > resolved * a.norm());
  }
  if (!turned) return forces;
  const std::optional<ContactForces> free = solve_forces(at, candidates, true);
  if (!free) return forces;
  const Vector after = at.acceleration(free->x);
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (!begins(i)) continue;
    const Vector a = at.tangential(i, after);
    if (a.norm() > known) candidates[i].direction = a.normalized();
  }
  return solve_forces(at, candidates);
}

// Changes of modes that the forces ask for.
class ModeRevision {
 public:
  explicit ModeRevision(std::size_t contacts) : stuck_again_(contacts, 0) {}

  // inactive_for_good: contacts that rounding alone would close again.
  bool revise(const ClosedContacts& at, const ContactEvent& event,
              const std::vector<char>& inactive_for_good, const ContactForces& forces,
              ModeCandidates& candidates) {
    const Vector acceleration = at.acceleration(forces.x);
    const double approaching = -at.negligible_acceleration(acceleration),
                 no_force = negligible * largest(forces.x);
    bool changed = false;
    for (std::size_t i = 0; i < at.size(); ++i) {
      ModeCandidate& candidate = candidates[i];
      const int m = at.contacts[i].tangents;
      const bool inactive = candidate.mode == ContactMode::inactive;  // moves with others
      const bool may_close = (candidate.present && candidate.mode == ContactMode::open) ||
                             (inactive && inactive_for_good[i] == 0);
      if (may_close &&
          acceleration[at.system.of[i].normal] < (inactive ? yielding : 1.0) * approaching) {
        close(at, event, i, candidate);
        changed = true;
      } else if (candidate.mode == ContactMode::stick && m > 0) {
        const Vector force = at.tangential(i, forces.x), a = at.tangential(i, acceleration);
        const bool at_tip = force.norm() <= no_force;
        if (!at_tip && force.norm() < on_the_cone * at.static_limit(i, forces.x)) continue;
        // At the tip of its cone it goes where others take it, and likewise where sliding against
        // its force has been taken back.
        if (at_tip || stuck_again_[i] != 0) {
          if (a.norm() <= -yielding * approaching) continue;
          candidate.direction = a.normalized();
        } else {
          candidate.direction = -force.normalized();
        }
        candidate.mode = ContactMode::slide;
        changed = true;
      } else if (at.at_onset(i, candidate) &&
                 candidate.direction.dot(at.tangential(i, acceleration)) <
                     (candidate.slips_jointly ? yielding : 1.0) * approaching) {
        candidate.mode = ContactMode::stick;
        stuck_again_[i] = 1;
        changed = true;
      }
    }
    return changed;
  }

 private:
  std::vector<char> stuck_again_;  // per contact: its sliding has been taken back
};

// Modes that agree with the forces they lead to. Of closed contacts with dependent normal rows
// some are inactive: what the rest bears, and can hold by friction, is judged without them.
std::optional<ContactForces> find_modes(const ClosedContacts& at, const ContactEvent& event,
                                        ModeCandidates& candidates) {
  ModeCandidates first = candidates;
  std::vector<char> tried(at.size(), 0), inactive_for_good(at.size(), 0);
  for (;;) {
    ModeRevision revision(at.size());
    std::optional<ContactForces> forces;
    int changes = 0;
    do {
      forces = solve_forces(at, candidates);
      if (forces) forces = align_with_accelerations(at, candidates, std::move(*forces));
      if (!forces || ++changes > max_changes) return {};
    } while (revision.revise(at, event, inactive_for_good, *forces, candidates));
    const std::vector<std::size_t> dependent = dependent_normals(at, candidates, &forces->x);
    if (dependent.empty()) return forces;
    const auto next = std::find_if(dependent.begin(), dependent.end(),
                                   [&](std::size_t i) { return tried[i] == 0; });
    const std::size_t inactive = next != dependent.end() ? *next : dependent.front();
    inactive_for_good[inactive] = tried[inactive];  // each has been tried: rounding decides
    tried[inactive] = 1;
    for (std::size_t i = 0; i < at.size(); ++i) {
      first[i].slips_jointly = false;
      if (first[i].mode == ContactMode::inactive && candidates[i].mode != ContactMode::inactive)
        first[i].mode = ContactMode::stick;
    }
    first[inactive].mode = ContactMode::inactive;
    candidates = first;
  }
}

// Contacts without a force that move apart open.
void open_separating(const ClosedContacts& at, const ContactForces& forces,
                     ModeCandidates& candidates) {
  const Vector acceleration = at.acceleration(forces.x);
  const double no_force = negligible * largest(forces.x),
               away = at.negligible_acceleration(acceleration);
  for (std::size_t i = 0; i < at.size(); ++i) {
    const int row = at.system.of[i].normal;
    if (row < 0 || !normal_acts(candidates[i].mode)) continue;
    if (forces.x[row] <= no_force && acceleration[row] > away)
      candidates[i].mode = ContactMode::open;
  }
}

// The low speed of all that slides, from the deceleration by friction.
double set_low_speeds(const ClosedContacts& at, const ContactSpeeds& speeds, double t,
                      const Vector& x, ModeCandidates& candidates) {
  double longest_step = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < at.size(); ++i) {
    ModeCandidate& candidate = candidates[i];
    if (candidate.mode != ContactMode::slide || at.contacts[i].low_speed < 0 ||
        candidate.keeps_sliding)
      continue;
    const int k = at.system.of[i].tangent;
    const double limit = sliding_friction(at.laws[i], at.has_normal(i)).at(at.normal_force(i, x));
    const double deceleration = limit * std::max(at.system.W(k, k), at.system.W(k + 1, k + 1));
    candidate.low_speed = {speeds.moving, t, 0.0};
    if (at.tangential(i, at.system.u).norm() > speeds.starting) continue;
    candidate.low_speed = {speeds.starting, t, deceleration / (fading * speeds.starting)};
    longest_step = std::min(longest_step, speeds.starting / deceleration);
  }
  return longest_step;
}

// All that is closed pushes, and all that sticks does so with no more than its limit, or with less.
bool forces_hold(ContactMechanics& mechanics, const State& x, const ModeCandidates& candidates,
                 bool with_less) {
  const Vector phi = mechanics.indicators(x);
  const double least = negligible * largest(x.lambda);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Structure::Contact& c = mechanics.contacts()[i];
    if (c.normal >= 0 && normal_acts(candidates[i].mode) && phi[c.phi] < -least) return false;
    const bool sticks =
        candidates[i].mode == ContactMode::stick || friction_is_redundant(candidates[i].mode);
    const double left = sticks && c.tangents > 0 ? phi[c.phi + (c.normal >= 0 ? 1 : 0)] : 1.0;
    if (!(left > (with_less ? least : -least))) return false;
  }
  return true;
}

bool same_limits(const std::vector<ContactLaw>& a, const std::vector<ContactLaw>& b) {
  const auto near = [](double x, double y) { return std::abs(x - y) <= negligible * std::abs(x); };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const auto& x, const auto& y) {
    return near(x.limit, y.limit) && near(x.limit_static, y.limit_static);
  });
}

// Who lets go because its force has come to zero does not get it back by rounding; who was inactive
// stays so while others bear its load.
void take_from_event(const std::vector<Structure::Contact>& contacts, const ContactEvent& event,
                     ModeCandidates& candidates) {
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Structure::Contact& c = contacts[i];
    ModeCandidate& candidate = candidates[i];
    if (c.normal < 0) {
      candidate.present = true;
      candidate.mode = ContactMode::stick;
    } else if (candidate.present && !event.impact) {
      if (normal_acts(event.modes[i]) && contains(event.fired, c.phi))
        candidate.mode = ContactMode::open;
      else if (event.modes[i] == ContactMode::inactive && !contains(event.fired, c.phi))
        candidate.mode = ContactMode::inactive;
    }
  }
}

}  // namespace

ContactSpeeds::ContactSpeeds(const Tolerances& tolerances)
    : zero(tolerances.atol),
      moving(times_tolerance * tolerances.atol),
      starting(std::max(moving, times_root_of_tolerance * std::sqrt(tolerances.atol))) {}

ModeSelection select_modes(ContactMechanics& mechanics, const ContactSpeeds& speeds,
                           const ContactEvent& event, ModeCandidates candidates, State& x) {
  const std::vector<Structure::Contact>& contacts = mechanics.contacts();
  ModeSelection result;
  const auto fails = [&](const std::string& why) {
    result.error = why;
    return result;
  };
  take_from_event(contacts, event, candidates);
  std::optional<DelassusSystem> system = mechanics.assemble(x, candidates, false);
  if (!system) return fails("the equations of motion are singular at an event");
  std::vector<ContactLaw> laws;
  const auto at = [&]() -> ClosedContacts {
    return {contacts, mechanics.order(), *system, laws, speeds.zero};
  };
  guess_modes(at(), event, candidates);
  const ModeCandidates guessed = candidates;
  const std::string names = names_of_present(contacts, candidates);
  if (std::string wrong = mechanics.close_gaps(x, candidates); !wrong.empty()) return fails(wrong);
  drop_dependent_rows(at(), candidates);
  write_modes(contacts, candidates, x);
  if (!mechanics.project_velocities(x))
    return fails("there is no state that satisfies the constraints with " + names + " closed");
  for (int iteration = 0; iteration < max_laws; ++iteration) {
    const std::vector<ContactLaw> previous = std::exchange(laws, mechanics.laws(x));
    if (iteration > 0 && same_limits(previous, laws)) return result;
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      const ContactMode mode = candidates[i].mode;
      if (friction_is_redundant(mode) || mode == ContactMode::inactive) candidates[i] = guessed[i];
    }
    system = mechanics.assemble(x, candidates, true);
    const std::optional<ContactForces> found =
        system ? find_modes(at(), event, candidates) : std::nullopt;
    if (!found) {
      return fails("no forces were found for " + names +
                   ": friction is too large for this arrangement, or contacts contradict each "
                   "other");
    }
    open_separating(at(), *found, candidates);
    const ModeCandidates independent = candidates;
    for (const RedundantForces kind :
         {RedundantForces::at_joint_limit, RedundantForces::relieved, RedundantForces::as_found}) {
      candidates = independent;
      ContactForces forces = *found;
      assign_redundant_modes(at(), candidates, forces, kind);
      result.longest_step =
          std::min(result.longest_step, set_low_speeds(at(), speeds, x.t, forces.x, candidates));
      write_modes(contacts, candidates, x);
      x.lambda = system->lambda;  // Newton's method in lambda starts without contact forces
      if (!mechanics.project_velocities(x) || !mechanics.solve_accelerations(x)) {
        return fails("the equations of motion are singular with " + names +
                     " closed: some of these contacts are redundant");
      }
      if (forces_hold(mechanics, x, candidates, kind == RedundantForces::at_joint_limit)) break;
    }
  }
  return fails("the friction limits of " + names + " do not converge");
}

}  // namespace mbs
