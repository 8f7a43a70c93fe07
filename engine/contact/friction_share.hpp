#pragma once

// How contacts that stick share what they hold, where more of them stick than there are freedoms:
// forces x_T + k with W_TT k = 0 leave the motion as it is. Of these
//
//   x_i = -limit_i w_i/sqrt(1 + |w_i|^2),   w = A eta,   A a basis of the range of W_TT
//
// as if a motion w were braked by friction that grows with its speed up to the limit. There is one
// such x where the contacts together can hold what they have to, and only there; none is at its
// limit then, and of one freedom all bear the same part. eta is the minimum of
//
//   sum_i limit_i sqrt(1 + |w_i|^2) + x_T . w
//
// which is convex. As the load comes to what they hold at most, w grows beyond all bounds, and its
// direction is that in which they begin to slide, each against a force of its own limit; where
// |w_i| stays small beside the others it is the point about which they turn, and sticks.

#include <span>

#include "engine/base/types.hpp"

namespace mbs {

struct FrictionLimit {
  int first = 0, tangents = 0;  // in x_T
  double limit = 0.0;
};

struct SharedFriction {
  bool several = false;  // there is more than one x
  bool holds = false;    // x is that one, all of them below their limits
  Vector x;
  Vector w;  // where they do not: of the motion that begins
};

// x: forces that belong to the motion, within the limits or not.
SharedFriction share_friction(const Matrix& W_TT, std::span<const FrictionLimit> limits,
                              const Vector& x);

// The forces with which those that hold x come to their end, if what they have to hold grows in
// proportion from here on.
Vector friction_at_the_end(const Matrix& W_TT, std::span<const FrictionLimit> limits,
                           const Vector& x);

}  // namespace mbs
