#include "engine/contact/indeterminate_contacts.hpp"

#include <utility>

#include "engine/contact/redundancy.hpp"

namespace mbs {
namespace {

constexpr double without_limit = 1.5;  // use of contacts that can bear nothing

// The part of its static limit that friction uses, per contact; more than all of it where the
// limit is zero, as that of a foot that only just touches.
Vector friction_use(const ClosedContacts& at, const ModeCandidates& candidates, const Vector& x) {
  Vector use = Vector::Zero(static_cast<Eigen::Index>(at.size()));
  const double no_force = negligible * largest(x);
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (!candidates[i].present || at.contacts[i].tangents == 0) continue;
    const double force = at.tangential(i, x).norm(), limit = at.static_limit(i, x);
    double& part = use[static_cast<Eigen::Index>(i)];
    if (limit <= no_force)
      part = without_limit;
    else if (force > 0.0)
      part = force / limit;
  }
  return use;
}

// Takes these candidates where the accelerations stay the same with them.
bool take_if_equivalent(const ClosedContacts& at, ModeCandidates trial, ModeCandidates& candidates,
                        ContactForces& forces) {
  const Vector acceleration = at.acceleration(forces.x);
  std::optional<ContactForces> found = solve_forces(at, trial);
  if (!found ||
      largest(at.acceleration(found->x) - acceleration) > at.negligible_acceleration(acceleration))
    return false;
  candidates = std::move(trial);
  forces = std::move(*found);
  return true;
}

// Takes the force from closed contacts with dependent normal rows where others can bear it.
void distribute_normal_forces(const ClosedContacts& at, ModeCandidates& candidates,
                              ContactForces& forces) {
  for (std::size_t rounds = 0; rounds < at.size(); ++rounds) {
    bool found = false;
    for (const std::size_t i : dependent_normals(at, candidates, &forces.x)) {
      ModeCandidates without = candidates;
      for (std::size_t k = 0; k < at.size(); ++k)
        if (at.at_onset(k, candidates[k])) without[k].mode = ContactMode::stick;
      without[i].mode = ContactMode::open;
      found = take_if_equivalent(at, std::move(without), candidates, forces) || found;
    }
    if (!found) return;
  }
}

// Takes friction from contacts whose sliding is prevented by normal rows.
void relieve_friction(const ClosedContacts& at, ModeCandidates& candidates, ContactForces& forces) {
  bool bears = false;
  for (const auto& [i, active] : friction_prevented_by_normals(at, candidates)) {
    ModeCandidates without = candidates;
    without[i].mode = redundant_friction(active);
    without[i].direction = Vector::Zero(at.contacts[i].tangents);
    bears = !take_if_equivalent(at, std::move(without), candidates, forces) || bears;
  }
  const double no_force = negligible * largest(forces.x);
  for (std::size_t i = 0; i < at.size() && bears; ++i) {
    const bool frictionless = normal_acts(candidates[i].mode) && at.contacts[i].tangents == 0;
    if (frictionless && at.normal_force(i, forces.x) <= no_force)
      candidates[i].mode = ContactMode::open;
  }
}

}  // namespace

void assign_redundant_modes(const ClosedContacts& at, ModeCandidates& candidates,
                            ContactForces& forces, RedundantForces kind) {
  if (kind != RedundantForces::as_found) {
    distribute_normal_forces(at, candidates, forces);
    relieve_friction(at, candidates, forces);
  }
  const bool at_limit = kind == RedundantForces::at_joint_limit;
  const Vector use = friction_use(at, candidates, forces.x);
  for (const auto& [i, active] : dependent_friction(at, candidates, use)) {
    ModeCandidate& candidate = candidates[i];
    if (candidate.mode == ContactMode::stick) {
      const double limit = at.static_limit(i, forces.x);
      candidate.direction = Vector::Zero(at.contacts[i].tangents);
      if (use[static_cast<Eigen::Index>(i)] < without_limit && limit > 0.0)
        candidate.direction = -at.tangential(i, at_limit ? forces.at_limit : forces.x) / limit;
      for (int k = 0; k < at.contacts[i].tangents; ++k)
        if (((active >> k) & 1u) != 0) candidate.direction[k] = 0.0;
    }
    candidate.mode = redundant_friction(active);
  }
  for (const std::size_t i : dependent_open_normals(at, candidates))
    candidates[i].mode = ContactMode::inactive;
}

}  // namespace mbs
