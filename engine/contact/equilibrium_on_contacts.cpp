#include "engine/contact/equilibrium_on_contacts.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/text.hpp"
#include "engine/contact/indeterminate_contacts.hpp"
#include "engine/contact/redundancy.hpp"

namespace mbs {
namespace {

constexpr int rounds_for_each = 4;     // changes of mode of one contact
constexpr double still = 1e-8;         // of the largest acceleration without contacts
constexpr double beyond = 1.0 + 1e-9;  // part of a friction limit

// Candidates by the modes of x, dependent rows included.
ModeCandidates candidates_of(const std::vector<Structure::Contact>& contacts, const State& x) {
  ModeCandidates candidates(contacts.size());
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Structure::Contact& c = contacts[i];
    const ContactMode mode = contact_mode(x, c);
    if (mode == ContactMode::open) continue;
    candidates[i].present = true;
    candidates[i].mode = mode == ContactMode::slide ? mode : ContactMode::stick;
    if (mode == ContactMode::slide) candidates[i].direction = x.z.segment(c.direction, c.tangents);
  }
  return candidates;
}

void add_name(std::string& names, const std::string& name) {
  names += (names.empty() ? "'" : ", '") + name + "'";
}

class EquilibriumOnContacts {
 public:
  explicit EquilibriumOnContacts(Contacts& contacts)
      : mechanics_(contacts.mechanics()),
        contacts_(mechanics_.contacts()),
        zero_speed_(contacts.speeds().zero) {}

  Equilibrium find(const Context& context, State& x, const EquilibriumOptions& options) {
    Equilibrium found;
    State at = x;
    found.message = begin(at);
    if (!found.message.empty()) return found;
    for (std::size_t round = 0; round < rounds_for_each * contacts_.size(); ++round) {
      State next = at;
      found = find_equilibrium(mechanics_.equations(), context, at, options);
      if (!found.ok) {
        found.message += open_contacts(at);
        return found;
      }
      const Revision revision = revise(at);
      if (!revision.again) {
        found.ok = revision.wrong.empty();
        found.message = revision.wrong;
        if (found.ok) x = at;
        return found;
      }
      next.modes = revision.modes;
      found.message = drop_dependent(next, candidates_of(contacts_, next));
      found.ok = false;
      if (!found.message.empty()) return found;
      at = next;
    }
    found.ok = false;
    found.message =
        "no static equilibrium was found: contacts open and close in turn. Give initial "
        "positions closer to it.";
    return found;
  }

 private:
  struct Revision {
    bool again = false;
    std::vector<int> modes;  // to search from
    std::string wrong;       // friction does not hold what was found
  };

  // Without velocities, closed where the gap is zero; friction sticks, or acts against what slides
  // under it (a belt).
  std::string begin(State& x) {
    x.v.setZero();
    ModeCandidates candidates;
    std::string wrong = mechanics_.close_touching(x, candidates);
    if (!wrong.empty()) return wrong;
    const Vector velocities = mechanics_.velocities(x, candidates);
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      const Structure::Contact& c = contacts_[i];
      if (!candidates[i].present || c.tangents == 0) continue;
      const Vector speed = velocities.segment(c.tangent, c.tangents);
      if (speed.norm() <= zero_speed_) continue;
      candidates[i].mode = ContactMode::slide;
      candidates[i].direction = speed.normalized();
    }
    return drop_dependent(x, std::move(candidates));
  }

  std::string drop_dependent(State& x, ModeCandidates candidates) {
    const std::optional<DelassusSystem> system = mechanics_.assemble(x, candidates, false);
    if (!system) return "the equations of motion are singular at the start";
    drop_dependent_rows(at(*system), candidates);
    write_modes(contacts_, candidates, x);
    return {};
  }

  ClosedContacts at(const DelassusSystem& system) const {
    return {contacts_, mechanics_.order(), system, laws_, zero_speed_};
  }

  std::string open_contacts(const State& x) const {
    std::string open;
    for (const Structure::Contact& c : contacts_)
      if (contact_mode(x, c) == ContactMode::open) add_name(open, c.name);
    return open.empty() ? open
                        : " Open contacts hold nothing, these are " + open +
                              ": let what is to rest there touch at the start.";
  }

  // Whether x, which was found at rest, contradicts its modes; with the forces of all contacts
  // together where it does not.
  Revision revise(State& x) {
    Revision result{false, x.modes, {}};
    ModeCandidates all(contacts_.size());
    for (ModeCandidate& candidate : all) candidate.present = true;
    const Vector gap = mechanics_.gaps(x, all);
    laws_ = mechanics_.laws(x);
    const auto change = [&](std::size_t i, ContactMode mode) {
      result.modes[static_cast<std::size_t>(contacts_[i].mode)] = static_cast<int>(mode);
      result.again = true;
    };
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      const int row = contacts_[i].normal;
      if (row >= 0 && !normal_acts(contact_mode(x, contacts_[i])) &&
          mechanics_.penetrates(row, gap[row]))
        change(i, ContactMode::stick);
    }
    if (result.again || rests_together(x)) return result;
    const double no_force = negligible * largest(x.lambda);
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      const int row = contacts_[i].normal;
      const bool closed = contact_mode(x, contacts_[i]) != ContactMode::open;
      if (row >= 0 && closed && -x.lambda[row] < -no_force) change(i, ContactMode::open);
    }
    if (!result.again) result.wrong = overloaded_friction(x, no_force);
    return result;
  }

  // Whether forces of all that is closed, found together and within their friction, leave x at
  // rest; then they are those of x, and modes are as after an event.
  bool rests_together(State& x) {
    ModeCandidates candidates = candidates_of(contacts_, x);
    const std::optional<DelassusSystem> system = mechanics_.assemble(x, candidates, true);
    if (!system) return false;
    std::optional<ContactForces> forces = solve_forces(at(*system), candidates);
    if (!forces) return false;
    const Vector acceleration = at(*system).acceleration(forces->x);
    const double least = still * largest(system->b);
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      const auto [normal, tangent] = system->of[i];
      if (candidates[i].slips_jointly) return false;
      if (normal >= 0 && std::abs(acceleration[normal]) > least) return false;
      for (int k = 0; candidates[i].mode == ContactMode::stick && k < contacts_[i].tangents; ++k)
        if (std::abs(acceleration[tangent + k]) > least) return false;
    }
    State resting = x;
    assign_redundant_modes(at(*system), candidates, *forces, RedundantForces::relieved);
    write_modes(contacts_, candidates, resting);
    if (!mechanics_.solve_accelerations(resting)) return false;
    resting.a.setZero();
    x = std::move(resting);
    return true;
  }

  // The first contact that has to hold more than it can, or empty.
  std::string overloaded_friction(const State& x, double no_force) const {
    bool shared = false;  // several bear the load: their parts are not known singly
    std::string names;
    for (const Structure::Contact& c : contacts_) {
      const ContactMode mode = contact_mode(x, c);
      if (c.tangents == 0 || mode == ContactMode::open) continue;
      add_name(names, c.name);
      shared = shared || friction_is_redundant(mode) || mode == ContactMode::inactive;
    }
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      const Structure::Contact& c = contacts_[i];
      double squares = 0.0;
      for (int k = 0; k < c.tangents; ++k)
        if (tangent_acts(contact_mode(x, c), k))
          squares += x.lambda[c.tangent + k] * x.lambda[c.tangent + k];
      const double needed = std::sqrt(squares);
      const double holds =
          static_friction(laws_[i], c.normal >= 0).at(c.normal >= 0 ? -x.lambda[c.normal] : 0.0);
      if (needed <= holds * beyond + no_force) continue;
      return "there is no rest here: friction of " +
             (shared ? names + " together cannot hold it. "
                     : "'" + c.name + "' would have to hold " + short_number(needed) +
                           " and can hold " + short_number(holds) + ". ") +
             "Take another start, or more friction.";
    }
    return {};
  }

  ContactMechanics& mechanics_;
  const std::vector<Structure::Contact>& contacts_;
  double zero_speed_;
  std::vector<ContactLaw> laws_;
};

}  // namespace

Equilibrium find_static_equilibrium(const Equations& equations, const Context& context,
                                    Contacts& contacts, State& x,
                                    const EquilibriumOptions& options) {
  if (!contacts.any()) return find_equilibrium(equations, context, x, options);
  return EquilibriumOnContacts(contacts).find(context, x, options);
}

}  // namespace mbs
