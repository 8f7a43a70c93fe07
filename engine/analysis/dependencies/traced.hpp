#pragma once

// A scalar that carries what it depends on instead of derivatives. The elements of a model, which
// are written over any scalar, compute with it the structure of what they compute with numbers:
//
//   constant        a number that depends on nothing
//   any             the variables on which the value may depend
//   nonlinear       those of them that act by a factor that is no constant number
//
// A sum or product has the union of what its operands have. A product with a constant zero is zero,
// a product of two values that depend on something is nonlinear in all of them, and so is every
// function. Nothing is left out for cancelling: a - a depends on a.
//
// A value has no order: code that compares does not compile. It takes the functions of
// branches.hpp, whose result depends on what any of the branches depends on.

#include <bitset>
#include <cmath>

#include "engine/multibody/branches.hpp"

namespace mbs {

// Variables of one evaluation, numbered by a TraceScope.
constexpr std::size_t most_traced = 192;
using TracedSet = std::bitset<most_traced>;

struct Traced {
  double value = 0.0;  // of a constant
  TracedSet any, nonlinear;

  Traced() = default;
  Traced(double constant) : value(constant) {}  // implicit, as for dual numbers
  static Traced variable(std::size_t number) {
    Traced x;
    x.any.set(number);
    return x;
  }
  bool constant() const { return any.none(); }
  bool is_zero() const { return constant() && value == 0.0; }

  Traced& operator+=(const Traced& b) {
    value += b.value;
    any |= b.any;
    nonlinear |= b.nonlinear;
    return *this;
  }
  Traced& operator-=(const Traced& b) {
    value -= b.value;
    any |= b.any;
    nonlinear |= b.nonlinear;
    return *this;
  }
  friend Traced operator+(Traced a, const Traced& b) { return a += b; }
  friend Traced operator-(Traced a, const Traced& b) { return a -= b; }
  friend Traced operator-(Traced a) {
    a.value = -a.value;
    return a;
  }
  friend Traced operator*(const Traced& a, const Traced& b) {
    if (a.is_zero() || b.is_zero()) return {};
    Traced x = a + b;
    x.value = a.value * b.value;
    if (!a.constant() && !b.constant()) x.nonlinear = x.any;
    return x;
  }
  friend Traced operator/(const Traced& a, const Traced& b) {
    if (b.constant()) return a * Traced(1.0 / b.value);
    if (a.is_zero()) return {};
    return dependent(a, b);
  }
  // Some function of all of these.
  template <class... Values>
  friend Traced dependent(const Traced& a, const Values&... others) {
    Traced x;
    x.any = (a.any | ... | others.any);
    x.nonlinear = x.any;
    return x;
  }
  // A function of one argument.
  template <class Function>
  friend Traced function_of(const Traced& a, const Function& f) {
    return a.constant() ? Traced(f(a.value)) : dependent(a);
  }
  friend Traced sin(const Traced& a) {
    return function_of(a, [](double x) { return std::sin(x); });
  }
  friend Traced cos(const Traced& a) {
    return function_of(a, [](double x) { return std::cos(x); });
  }
  friend Traced sqrt(const Traced& a) {
    return function_of(a, [](double x) { return std::sqrt(x); });
  }
  friend Traced tanh(const Traced& a) {
    return function_of(a, [](double x) { return std::tanh(x); });
  }
  friend Traced abs(const Traced& a) {
    return function_of(a, [](double x) { return std::abs(x); });
  }
  friend Traced atan2(const Traced& y, const Traced& x) {
    if (y.constant() && x.constant()) return std::atan2(y.value, x.value);
    return dependent(y, x);
  }
};

// Functions with several branches (engine/multibody/branches.hpp): the union of the branches.
inline bool is_positive(const Traced& x) {
  return !x.constant() || x.value > 0.0;
}
inline bool is_zero(const Traced& x) {
  return x.is_zero();
}
inline Traced not_negative(const Traced& x) {
  return function_of(x, [](double value) { return not_negative(value); });
}
inline Traced clamped(const Traced& x, const Traced& limit) {
  return x.constant() && limit.constant() ? Traced(clamped(x.value, limit.value))
                                          : dependent(x, limit);
}
inline Traced by_sign(const Traced& x, const Traced& a, const Traced& b) {
  return x.constant() ? (x.value >= 0.0 ? a : b) : dependent(x, a, b);
}
inline Traced taut(const Traced& elastic, const Traced& viscous) {
  return dependent(elastic, viscous);
}
inline Traced whole_turns(const Traced& next_to, const Traced& angle) {
  return dependent(next_to, angle);
}

}  // namespace mbs
