#pragma once

// Friction and impact laws of a contact as data (Equations::contact_laws): Coulomb's law with a
// coefficient of sticking and one of sliding, or with given limits for friction without a normal
// force; Newton's or Poisson's law of restitution.

#include <algorithm>

#include "engine/contact/modes.hpp"
#include "engine/equations/equations.hpp"

namespace mbs {

using ContactLaw = Equations::ContactLaw;

// The most that friction exerts: mu times the normal force plus `limit`.
struct FrictionBound {
  double mu = 0.0, limit = 0.0;
  double at(double normal_force) const { return limit + mu * std::max(0.0, normal_force); }
};

inline FrictionBound static_friction(const ContactLaw& law, bool has_normal) {
  return has_normal ? FrictionBound{law.mu_static, 0.0} : FrictionBound{0.0, law.limit_static};
}
inline FrictionBound sliding_friction(const ContactLaw& law, bool has_normal) {
  return has_normal ? FrictionBound{law.mu, 0.0} : FrictionBound{0.0, law.limit};
}
// Where friction is a force: redundant friction exerts a part of its static limit.
inline FrictionBound friction_force(const ContactLaw& law, ContactMode mode, bool has_normal) {
  return friction_is_redundant(mode) ? static_friction(law, has_normal)
                                     : sliding_friction(law, has_normal);
}

}  // namespace mbs
