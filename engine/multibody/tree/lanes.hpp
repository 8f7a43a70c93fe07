#pragma once

// Two or four numbers that are treated alike, as a scalar for Vec and Mat: right-hand sides side by
// side. A pair is what a register of the processor holds without asking which processor it is.

#include <cstddef>

#include "engine/multibody/branches.hpp"

namespace mbs {

using Pair = double __attribute__((vector_size(2 * sizeof(double))));

struct Quad {
  Pair a{}, b{};

  Quad& operator+=(const Quad& x) { return a += x.a, b += x.b, *this; }
  Quad& operator-=(const Quad& x) { return a -= x.a, b -= x.b, *this; }
  Quad& operator*=(double f) { return a *= f, b *= f, *this; }
};
inline Quad operator+(const Quad& x, const Quad& y) {
  return {x.a + y.a, x.b + y.b};
}
inline Quad operator-(const Quad& x, const Quad& y) {
  return {x.a - y.a, x.b - y.b};
}
inline Quad operator-(const Quad& x) {
  return {-x.a, -x.b};
}
inline Quad operator*(double f, const Quad& x) {
  return {f * x.a, f * x.b};
}
inline Quad operator*(const Quad& x, double f) {
  return f * x;
}
inline Quad operator*(const Quad& x, const Quad& y) {
  return {x.a * y.a, x.b * y.b};
}

// The k-th number of each column, `stride` apart.
inline void load(const double* x, std::ptrdiff_t, double& to) {
  to = *x;
}
inline void load(const double* x, std::ptrdiff_t stride, Pair& to) {
  to = Pair{x[0], x[stride]};
}
inline void load(const double* x, std::ptrdiff_t stride, Quad& to) {
  load(x, stride, to.a);
  load(x + 2 * stride, stride, to.b);
}
inline void store(double from, double* x, std::ptrdiff_t) {
  *x = from;
}
inline void store(const Pair& from, double* x, std::ptrdiff_t stride) {
  x[0] = from[0], x[stride] = from[1];
}
inline void store(const Quad& from, double* x, std::ptrdiff_t stride) {
  store(from.a, x, stride);
  store(from.b, x + 2 * stride, stride);
}

inline bool is_zero(const Pair& x) {
  return x[0] == 0.0 && x[1] == 0.0;
}
inline bool is_zero(const Quad& x) {
  return is_zero(x.a) && is_zero(x.b);
}

}  // namespace mbs
