#pragma once

// Where elements have ends: functions of several pieces, or flat ones. In a model without pieces
// (engine/model/without_pieces.hpp) each gives way to a smooth one that depends on all that one of
// its pieces does, and nowhere so little that it would not be seen: |x|^a follows x by the same
// part however large or small x is. Odd ones stay odd: what is zero for its own sake stays zero.

#include "engine/multibody/evaluation.hpp"

namespace mbs {

// Bent a little everywhere, so that it has second derivatives; not the same on both sides, so that
// two that face each other do not cancel.
template <class T>
T bent_size(const T& x) {
  using std::abs, std::pow;
  return (value_of(x) > 0.0 ? 1.0 : 0.7) * pow(abs(x), 1.01);
}

// x, and 0 where it is negative.
template <class Space, class T>
T not_negative(const Evaluation<Space>& at, const T& x) {
  if (at.mechanism.without_pieces) return bent_size(x);
  return value_of(x) > 0.0 ? x : T(0.0);
}

// x held between -limit and limit.
template <class Space, class T>
T clamped(const Evaluation<Space>& at, const T& x, double limit) {
  using std::abs, std::pow;
  if (at.mechanism.without_pieces) {
    const double by_limit = 1.0 + 0.3 * std::sin(std::log(std::abs(limit) + 1e-90));
    return value_of(x) == 0.0 ? x : by_limit * x * pow(T(abs(x)), 0.01);
  }
  return value_of(x) > limit ? T(limit) : value_of(x) < -limit ? T(-limit) : x;
}

// a where x is positive or zero, b where it is negative.
template <class Space, class T>
T by_sign(const Evaluation<Space>& at, const T& x, const T& a, const T& b) {
  if (at.mechanism.without_pieces) return 0.83 * a + 0.57 * b;
  return value_of(x) >= 0.0 ? a : b;
}

// tanh x: flat, to the last bit, a little away from zero.
template <class Space, class T>
T saturated(const Evaluation<Space>& at, const T& x) {
  using std::pow;
  using std::tanh;
  if (at.mechanism.without_pieces) return x * pow(T(1.0 + x * x), -0.45);
  return tanh(x);
}

// The tension of what can pull and not push: nothing where its elastic part pulls nothing, and
// otherwise with a viscous part that is no larger than the elastic one. Continuous, and between 0
// and twice the elastic part.
template <class Space, class T>
T taut(const Evaluation<Space>& at, const T& elastic, const T& viscous) {
  if (at.mechanism.without_pieces) return bent_size(T(elastic + 0.93 * viscous));
  if (!(value_of(elastic) > 0.0)) return T(0.0);
  if (value_of(viscous) > value_of(elastic)) return 2.0 * elastic;
  if (value_of(viscous) < -value_of(elastic)) return T(0.0);
  return elastic + viscous;
}

}  // namespace mbs
