#pragma once

// The contacts of one point, with their laws and rows: what stays fixed while modes and forces are
// sought there.

#include <algorithm>
#include <vector>

#include "engine/contact/mechanics.hpp"

namespace mbs {

constexpr double negligible = 1e-10;  // part of the largest force or acceleration

inline double largest(const Vector& x) {
  return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0;
}

struct ClosedContacts {
  const std::vector<Structure::Contact>& contacts;
  const std::vector<std::size_t>& order;
  const DelassusSystem& system;
  const std::vector<ContactLaw>& laws;
  double zero_speed;  // relative speeds below it are rounding

  std::size_t size() const { return contacts.size(); }
  bool has_normal(std::size_t i) const { return system.of[i].normal >= 0; }
  auto tangential(std::size_t i, const Vector& x) const {
    return x.segment(system.of[i].tangent, contacts[i].tangents);
  }
  double normal_force(std::size_t i, const Vector& x) const {
    return has_normal(i) ? x[system.of[i].normal] : 0.0;
  }
  double static_limit(std::size_t i, const Vector& x) const {
    return static_friction(laws[i], has_normal(i)).at(normal_force(i, x));
  }
  // It slides, without speed yet.
  bool at_onset(std::size_t i, const ModeCandidate& candidate) const {
    return candidate.mode == ContactMode::slide && tangential(i, system.u).norm() <= zero_speed;
  }
  Vector acceleration(const Vector& x) const { return system.b + system.W * x; }
  double negligible_acceleration(const Vector& a) const {
    return negligible * (largest(system.b) + largest(a));
  }
};

}  // namespace mbs
