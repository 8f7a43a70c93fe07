#pragma once

// Where elements have ends: functions of several pieces. In a model without pieces
// (engine/model/without_pieces.hpp) each is smooth, never straight, of the same signs where these
// matter, and depends on all that one of its pieces does.

#include "engine/multibody/evaluation.hpp"

namespace mbs {

// x, and 0 where it is negative.
template <class Space, class T>
T not_negative(const Evaluation<Space>& at, const T& x) {
  using std::sin, std::abs;
  if (at.mechanism.without_pieces) return abs(x) * (1.0 + 0.5 * sin(x));
  return value_of(x) > 0.0 ? x : T(0.0);
}

// x held between -limit and limit.
template <class Space, class T>
T clamped(const Evaluation<Space>& at, const T& x, double limit) {
  using std::sin;
  if (at.mechanism.without_pieces) return x + limit * sin(x);
  return value_of(x) > limit ? T(limit) : value_of(x) < -limit ? T(-limit) : x;
}

// The tension of what can pull and not push: nothing where its elastic part pulls nothing, and
// otherwise with a viscous part that is no larger than the elastic one. Continuous, and between 0
// and twice the elastic part.
template <class Space, class T>
T taut(const Evaluation<Space>& at, const T& elastic, const T& viscous) {
  using std::sin;
  if (at.mechanism.without_pieces) {
    const T both = elastic + viscous;
    return both * (1.0 + 0.5 * sin(both));
  }
  if (!(value_of(elastic) > 0.0)) return T(0.0);
  if (value_of(viscous) > value_of(elastic)) return 2.0 * elastic;
  if (value_of(viscous) < -value_of(elastic)) return T(0.0);
  return elastic + viscous;
}

}  // namespace mbs
