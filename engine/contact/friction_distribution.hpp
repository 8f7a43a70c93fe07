#pragma once

// The distribution of friction among contacts that stick where it is statically indeterminate:
// forces x_T + k with W_TT k = 0 leave the motion as it is. Of these forces
//
//   x_i = -limit_i w_i/sqrt(1 + |w_i|^2),   w = A eta,   A a basis of the range of W_TT
//
// are taken, as if a motion w were braked by friction that grows with its speed up to the limit.
// One such x exists where the contacts together can hold the load, and only there; no contact is
// at its limit then, and where one freedom is held all contacts use the same part of their limits.
// eta is the minimum of the convex potential
//
//   sum_i limit_i sqrt(1 + |w_i|^2) + x_T . w
//
// As the load approaches the joint limit w grows without bound, and its direction is that in which
// the contacts begin to slide, each against a force of its own limit. A contact where |w_i| stays
// small compared with the others is the point about which they turn, and sticks.

#include <span>

#include "engine/base/types.hpp"

namespace mbs {

struct FrictionLimit {
  int first = 0, tangents = 0;  // in x_T
  double limit = 0.0;
};

struct FrictionDistribution {
  bool indeterminate = false;  // there is more than one x
  bool holds = false;          // x is that of the potential, all of it below the limits
  Vector x;
  Vector w;  // of the motion that begins where the contacts do not hold
};

// x: forces that belong to the motion, within the limits or not.
FrictionDistribution distribute_friction(const Matrix& W_TT, std::span<const FrictionLimit> limits,
                                         const Vector& x);

// The forces at which contacts that hold x reach their joint limit, if their load grows in
// proportion from x on.
Vector friction_at_joint_limit(const Matrix& W_TT, std::span<const FrictionLimit> limits,
                               const Vector& x);

}  // namespace mbs
