#pragma once

// Functions with several branches, which elements take instead of comparing values. Traced values
// (engine/analysis/dependencies/traced.hpp), which have these functions of their own, know no
// branch: their result depends on what any of the branches does.

#include <numbers>

#include "engine/multibody/dual.hpp"

namespace mbs {

struct Traced;

// False where the value is zero at one point alone, at which a direction or an angle is not
// defined.
template <class T>
bool is_positive(const T& x) {
  return value_of(x) > 0.0;
}
// True if a number that an element is given is zero.
inline bool is_zero(double x) {
  return x == 0.0;
}

// x, and 0 where it is negative.
template <class T>
T not_negative(const T& x) {
  return value_of(x) > 0.0 ? x : T(0.0);
}

// x held between -limit and limit.
template <class T>
T clamped(const T& x, double limit) requires(!std::is_same_v<T, Traced>) {
  return value_of(x) > limit ? T(limit) : value_of(x) < -limit ? T(-limit) : x;
}

// a where x is positive or zero, b where it is negative.
template <class T>
T by_sign(const T& x, const T& a, const T& b) {
  return value_of(x) >= 0.0 ? a : b;
}

// The tension of what can pull and not push: nothing where its elastic part pulls nothing, and
// otherwise with a viscous part that is no larger than the elastic one. Continuous, and between 0
// and twice the elastic part.
template <class T>
T taut(const T& elastic, const T& viscous) {
  if (!(value_of(elastic) > 0.0)) return T(0.0);
  if (value_of(viscous) > value_of(elastic)) return 2.0 * elastic;
  if (value_of(viscous) < -value_of(elastic)) return T(0.0);
  return elastic + viscous;
}

// The whole turns by which an angle is to be counted on so that it is next to another one.
template <class N, class T>
T whole_turns(const N& next_to, const T& angle) {
  constexpr double turn = 2.0 * std::numbers::pi;
  return T(turn * std::round((value_of(next_to) - value_of(angle)) / turn));
}

}  // namespace mbs
