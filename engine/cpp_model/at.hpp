#pragma once

// The functions of a C++ model read and write these types, over any scalar T: double for values,
// dual numbers for derivatives.

#include <span>

#include "engine/cpp_model/interface.hpp"

namespace mbs {

// A degree of freedom: p[p] with p' = v[v]; where a model has its own kinematics they are declared
// apart, a position with v = -1 and a speed with p = -1.
struct CoordinateOf {
  int p = -1, v = -1;
};
struct ConstraintOf {  // its row: in lambda; of g as well when it is holonomic
  int i = -1;
};
struct EventOf {
  int i = -1;
};

template <class T>
struct At {
  T t{};
  std::span<const T> p, v, r, w, a, lambda, u;
  std::span<const double> parameters;

  double operator[](ParameterOf x) const { return parameters[x.i]; }
  const T& operator[](CoordinateOf x) const { return x.p < 0 ? v[x.v] : p[x.p]; }
  const T& rate(CoordinateOf x) const { return v[x.v]; }
  const T& acceleration(CoordinateOf x) const { return a[x.v]; }  // for outputs and events
  const T& operator[](InputOf x) const { return u[x.i]; }
  const T& operator[](StateOf x) const { return r[x.i]; }
  const T& operator[](UnknownOf x) const { return w[x.i]; }
  const T& operator[](ConstraintOf x) const { return lambda[x.i]; }  // its multiplier
};

// A vector to be filled; all zero before.
template <class T>
struct Values {
  std::span<T> x;
  int first_constraint = 0;  // where rows of constraints begin

  T& operator[](int i) const { return x[i]; }
  T& operator[](CoordinateOf c) const { return x[c.v]; }
  T& operator[](ConstraintOf c) const { return x[c.i - first_constraint]; }
  T& operator[](StateOf s) const { return x[s.i]; }
  T& operator[](UnknownOf s) const { return x[s.i]; }
  T& operator[](OutputOf y) const { return x[y.i]; }
  T& operator[](EventOf e) const { return x[e.i]; }
};

// p' of a model with its own kinematics.
template <class T>
struct PositionRates {
  std::span<T> x;
  T& operator[](int i) const { return x[i]; }
  T& operator[](CoordinateOf c) const { return x[c.p]; }
};

// The mass matrix: an entry and its mirror image are one.
template <class T>
struct Symmetric {
  std::span<T> x;
  int n = 0;

  T& operator()(int i, int j) const { return x[i < j ? i * n + j : j * n + i]; }
  T& operator()(CoordinateOf i, CoordinateOf j) const { return (*this)(i.v, j.v); }
};

}  // namespace mbs
