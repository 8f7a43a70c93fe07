#include "engine/contact/impacts.hpp"

#include <algorithm>
#include <optional>

#include "engine/base/text.hpp"
#include "engine/contact/redundancy.hpp"
#include "engine/contact/solver.hpp"

namespace mbs {
namespace {

constexpr int most_restitutions = 30;  // halvings of the interval where energy is gained
constexpr double unresolved = 1e3;     // times the zero speed: a contact that left by rounding

class Impacts {
 public:
  Impacts(ContactMechanics& mechanics, const ContactSpeeds& speeds, const Vector& gap_thresholds,
          ContactEvent& event, State& x)
      : mechanics_(mechanics),
        contacts_(mechanics.contacts()),
        speeds_(speeds),
        gap_thresholds_(gap_thresholds),
        event_(event),
        x_(x) {}

  ImpactResult resolve() {
    find_touching();
    result_.error = assemble();
    if (result_.error.empty()) result_.error = apply_impulses();
    if (result_.error.empty()) keep_closed();
    return std::move(result_);
  }

 private:
  bool fired(std::size_t i) const {
    return std::find(event_.fired.begin(), event_.fired.end(), contacts_[i].phi) !=
           event_.fired.end();
  }
  bool present(std::size_t i) const { return result_.candidates[i].present; }
  bool was_open(std::size_t i) const { return event_.modes[i] == ContactMode::open; }
  double normal(std::size_t i, const Vector& u) const { return u[system_.of[i].normal]; }
  double rest_speed(std::size_t i) const { return std::max(laws_[i].rest_speed, speeds_.zero); }
  std::string names() const { return names_of_present(contacts_, result_.candidates); }

  // What is closed, what the event closes, and what is open with a gap of rounding: an impulse may
  // close it at once. An inactive contact whose gap has opened is closed no more.
  void find_touching() {
    ModeCandidates& candidates = result_.candidates;
    candidates.resize(contacts_.size());
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      candidates[i].present = contacts_[i].normal >= 0;
      candidates[i].mode = ContactMode::stick;
    }
    const Vector gap = mechanics_.gaps(x_, candidates);
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      const int row = contacts_[i].normal;
      if (row < 0) continue;
      const bool inactive = event_.modes[i] == ContactMode::inactive && !fired(i);
      const bool touches = gap[row] <= mechanics_.gap_tolerance(row);
      candidates[i].present =
          touches || inactive || normal_acts(event_.modes[i]) || (was_open(i) && fired(i));
    }
    for (ModeCandidate& candidate : candidates)
      if (!candidate.present) candidate = {};
  }

  // The rows of what is closed, at positions where it just touches.
  std::string assemble() {
    ModeCandidates closing = result_.candidates;
    for (std::size_t i = 0; i < contacts_.size(); ++i)
      if (was_open(i) && !fired(i)) closing[i] = {};
    std::string wrong = mechanics_.close_gaps(x_, closing);
    if (!wrong.empty()) return wrong;
    laws_ = mechanics_.laws(x_);
    std::optional<DelassusSystem> system = mechanics_.assemble(x_, result_.candidates, false);
    if (!system) return "the equations of motion are singular at an impact";
    system_ = std::move(*system);
    return {};
  }

  // Cones of what is closed; sets `target`, the normal velocities by Newton's law after the impact.
  std::vector<FrictionCone> cones(Vector& target) {
    std::vector<FrictionCone> cones;
    for (const std::size_t i : mechanics_.order()) {
      if (!present(i)) continue;
      const auto [row, tangent] = system_.of[i];
      const double approach = -system_.u[row];
      event_.impact = event_.impact || approach > speeds_.zero;
      double& e = laws_[i].restitution;
      if (e * approach <= rest_speed(i)) e = 0.0;
      if (!laws_[i].poisson) target[row] = e * approach;
      cones.push_back({row, tangent, contacts_[i].tangents, laws_[i].mu, 0.0, contacts_[i].name});
    }
    return cones;
  }

  // Newton's and Poisson's laws may give more energy than an impact has where friction or several
  // contacts take part (Kane's paradox): then restitution of all is lowered together until they do
  // not. Without restitution impulses dissipate, whatever the problem.
  std::string apply_impulses() {
    const std::vector<ContactLaw> laws = laws_;
    double most = 1.0, enough = 0.0, factor = 1.0;
    for (int k = 0;; ++k) {
      std::string wrong = find_impulses();
      if (!wrong.empty() || !event_.impact) return wrong;
      const bool gains = work_of_impulses() > negligible_work();
      if (k == 0 && !gains) break;
      if (k == most_restitutions) break;
      (gains ? most : enough) = factor;
      factor = k + 1 < most_restitutions ? 0.5 * (most + enough) : enough;
      laws_ = laws;
      for (ContactLaw& law : laws_) law.restitution *= factor;
    }
    x_.v += system_.Y * impulses_;
    return {};
  }

  double work_of_impulses() const { return 0.5 * impulses_.dot(system_.u + after_); }
  double negligible_work() const {
    return 1e-9 * impulses_.cwiseAbs().dot(system_.u.cwiseAbs() + after_.cwiseAbs());
  }

  std::string find_impulses() {
    Vector target = Vector::Zero(system_.u.size());
    ContactProblem problem{system_.W, {}, cones(target)};
    after_ = system_.u;
    if (!event_.impact) return {};
    problem.b = system_.u - target;
    problem.bias_scale = largest(system_.u);
    ContactSolution compression = solve(problem);
    if (!compression.found) {
      return "no impulses were found that part " + names() +
             ": friction is too large for this arrangement, or contacts contradict each other";
    }
    Vector impulses = std::move(compression.x);
    // Expansion: e times the impulse of the compression comes back, and what more keeps the
    // contacts from penetrating; friction by Coulomb's law follows from both together.
    Vector returned = Vector::Zero(impulses.size());
    std::size_t next = 0;
    for (const std::size_t i : mechanics_.order()) {
      if (!present(i)) continue;
      FrictionCone& cone = problem.cones[next++];
      if (!laws_[i].poisson) continue;
      returned[cone.normal] = laws_[i].restitution * impulses[cone.normal];
      cone.limit = cone.mu * returned[cone.normal];
    }
    if (largest(returned) > 0.0) {
      problem.b += problem.W * (impulses + returned);
      const ContactSolution expansion = solve(problem);
      if (!expansion.found) return "no impulses were found for the expansion of " + names();
      impulses += returned + expansion.x;
    }
    after_ += system_.W * impulses;
    impulses_ = std::move(impulses);
    return {};
  }

  // Contacts that stay closed after the impacts stay present.
  void keep_closed() {
    event_.struck.assign(contacts_.size(), 0);
    std::vector<char> stays(contacts_.size(), 0), flies(contacts_.size(), 0);
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      if (!present(i)) continue;
      const double leaving = normal(i, after_);
      const int m = contacts_[i].tangents;
      event_.struck[i] =
          m > 0 && (after_ - system_.u).segment(system_.of[i].tangent, m).norm() > speeds_.moving;
      // A gap that falls below zero though it opens: its flight is lower than the resolution of the
      // gap.
      const bool falls = was_open(i) && fired(i);
      const bool meets = normal(i, system_.u) < -speeds_.zero;
      stays[i] =
          leaving <= rest_speed(i) || (falls && !meets && leaving <= unresolved * speeds_.zero);
      // Others may throw a contact up: the second foot of a body whose first one has met.
      flies[i] = stays[i] == 0 && (falls || event_.impact);
    }
    const Vector left = remaining_bounces(flies);
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      if (!present(i)) continue;
      const double remaining = left[static_cast<Eigen::Index>(i)];
      log(i, stays[i] != 0, remaining);
      if (stays[i] == 0 && !(remaining > 0.0)) result_.candidates[i] = {};
    }
  }

  void log(std::size_t i, bool stays, double remaining) {
    const double approach = -normal(i, system_.u);
    const std::string name = "'" + contacts_[i].name + "': ";
    const char* unit = contacts_[i].turns ? " rad/s" : " m/s";
    if (remaining > 0.0 && (approach > speeds_.zero || was_open(i))) {
      result_.log.push_back(name + "brought to rest: its bounces, the last of " +
                            short_number(std::max(approach, normal(i, after_))) + unit +
                            ", have become lower than positions can resolve and would end within " +
                            short_number(remaining) + " s");
    } else if (approach > speeds_.zero) {
      result_.log.push_back(name + "impact at " + short_number(approach) + unit +
                            (stays ? ", stays closed" : ""));
    } else if (stays && was_open(i)) {
      result_.log.push_back(name + "comes to rest, closed");
    }
  }

  // Per contact: for how long its bounces would go on, 2 u/|b| / (1 - e), where its flights of
  // height u^2/(2 |b|) cannot be detected as the last digits of the gap are as large; u is the
  // speed after an impact, b the acceleration without contact forces. Rounding would make events
  // of its own there, which need not become slower (Zeno). 0: it flies. Where the end of a flight
  // is detected with the gap d below zero, e^2 of that height comes back each time: bounces do not
  // become lower than e^2 d/(1 - e^2).
  Vector remaining_bounces(const std::vector<char>& flies) {
    Vector remaining = Vector::Zero(static_cast<Eigen::Index>(contacts_.size()));
    if (std::find(flies.begin(), flies.end(), char{1}) == flies.end()) return remaining;
    const Vector rounding = mechanics_.rounding_of_gaps(x_, result_.candidates);
    const std::optional<DelassusSystem> system = mechanics_.assemble(x_, result_.candidates, true);
    if (!system) return remaining;
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      if (flies[i] == 0) continue;
      const auto entry = static_cast<Eigen::Index>(i);
      const double u = normal(i, after_), b = normal(i, system->b);
      const double lost = std::max(1e-3, 1.0 - laws_[i].restitution);
      const double lowest = gap_thresholds_.size() > 0 ? 2.0 * gap_thresholds_[entry] / lost : 0.0;
      // Without restitution there is no bouncing to follow, flights lower than what counts as a
      // touch are no flights: contacts that throw each other up (a body between plates) close.
      const int row = contacts_[i].normal;
      const double touch = laws_[i].restitution == 0.0 ? mechanics_.gap_tolerance(row) : 0.0;
      const double detected = std::max({rounding[row], lowest, touch});
      if (b < 0.0 && u * u <= 2.0 * -b * detected) remaining[entry] = 2.0 * u / -b / lost;
    }
    return remaining;
  }

  ContactMechanics& mechanics_;
  const std::vector<Structure::Contact>& contacts_;
  const ContactSpeeds& speeds_;
  const Vector& gap_thresholds_;
  ContactEvent& event_;
  State& x_;
  std::vector<ContactLaw> laws_;
  DelassusSystem system_;
  Vector after_;  // relative velocities
  Vector impulses_;
  ImpactResult result_;
};

}  // namespace

ImpactResult resolve_impacts(ContactMechanics& mechanics, const ContactSpeeds& speeds,
                             const Vector& gap_thresholds, ContactEvent& event, State& x) {
  return Impacts(mechanics, speeds, gap_thresholds, event, x).resolve();
}

}  // namespace mbs
