#pragma once

// A scalar that carries what it depends on instead of derivatives. The elements of a model, which
// are written over any scalar, compute with it the structure of what they compute with numbers: a
// value is a constant number or a node of a graph (graph.hpp), and each operation adds a node.
//
// A sum depends on its operands by constant factors. A product with a constant zero is zero, with
// another constant it is the same node, and a product of two values that depend on something
// depends on both by factors that are not constant, as every function does. Nothing is left out for
// cancelling: a - a depends on a.
//
// A value has no order: code that compares does not compile. It takes the functions of
// branches.hpp, whose result depends on what any of the branches depends on.

#include <cmath>

#include "engine/analysis/dependencies/graph.hpp"
#include "engine/multibody/branches.hpp"

namespace mbs {

struct Traced {
  double value = 0.0;  // of a constant
  DependencyGraph* graph = nullptr;
  int node = -1;

  Traced() = default;
  Traced(double number) : value(number) {}  // implicit, as for dual numbers
  Traced(DependencyGraph& in, int number) : graph(&in), node(number) {}
  bool constant() const { return node < 0; }
  bool is_zero() const { return constant() && value == 0.0; }

  // Some function of both, or their sum.
  static Traced of_both(const Traced& a, const Traced& b, bool sum = false) {
    if (a.constant() && b.constant()) return {};
    const Traced &x = a.constant() ? b : a, &y = b.constant() ? a : b;
    if (sum && x.node == y.node) return x;
    return {*x.graph, x.graph->combine(x.node, y.node, sum)};
  }
  friend Traced operator+(const Traced& a, const Traced& b) {
    return a.constant() && b.constant() ? Traced(a.value + b.value) : of_both(a, b, true);
  }
  friend Traced operator-(const Traced& a) { return a.constant() ? Traced(-a.value) : a; }
  friend Traced operator-(const Traced& a, const Traced& b) { return a + -b; }
  friend Traced operator*(const Traced& a, const Traced& b) {
    if (a.is_zero() || b.is_zero()) return {};
    if (a.constant() && b.constant()) return a.value * b.value;
    return a.constant() ? b : b.constant() ? a : of_both(a, b);
  }
  friend Traced operator/(const Traced& a, const Traced& b) {
    if (b.constant()) return a * Traced(1.0 / b.value);
    return a.is_zero() ? Traced() : of_both(a, b);
  }
  Traced& operator+=(const Traced& b) { return *this = *this + b; }
  Traced& operator-=(const Traced& b) { return *this = *this - b; }

  // Some function of all of these.
  template <class... Values>
  friend Traced dependent(const Traced& a, const Values&... others) {
    Traced x = of_both(a, a);
    ((x = of_both(x, Traced(others))), ...);
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
