#pragma once

// Forward differentiation: a value with its derivatives in N directions. Elements of a model are
// written once over their scalar; with Dual<N> for it they give exact Jacobian blocks with respect
// to the few coordinates they depend on.

#include <array>
#include <cmath>

namespace mbs {

template <int N>
struct Dual {
  double v = 0.0;
  std::array<double, N> d{};

  Dual() = default;
  Dual(double value) : v(value) {}  // a constant: implicit on purpose
  static Dual variable(double value, int direction) {
    Dual x(value);
    x.d[direction] = 1.0;
    return x;
  }
  // f(a), with its derivative there.
  static Dual chain(double value, double derivative, const Dual& a) {
    Dual x(value);
    for (int i = 0; i < N; ++i) x.d[i] = derivative * a.d[i];
    return x;
  }

  Dual& operator+=(const Dual& b) {
    v += b.v;
    for (int i = 0; i < N; ++i) d[i] += b.d[i];
    return *this;
  }
  Dual& operator-=(const Dual& b) {
    v -= b.v;
    for (int i = 0; i < N; ++i) d[i] -= b.d[i];
    return *this;
  }
  friend Dual operator+(Dual a, const Dual& b) { return a += b; }
  friend Dual operator-(Dual a, const Dual& b) { return a -= b; }
  friend Dual operator+(Dual a, double b) {
    a.v += b;
    return a;
  }
  friend Dual operator+(double b, Dual a) { return a + b; }
  friend Dual operator-(Dual a, double b) {
    a.v -= b;
    return a;
  }
  friend Dual operator-(double b, const Dual& a) { return chain(b - a.v, -1.0, a); }
  friend Dual operator-(const Dual& a) { return chain(-a.v, -1.0, a); }
  friend Dual operator*(const Dual& a, const Dual& b) {
    Dual x(a.v * b.v);
    for (int i = 0; i < N; ++i) x.d[i] = a.d[i] * b.v + a.v * b.d[i];
    return x;
  }
  friend Dual operator*(const Dual& a, double b) { return chain(a.v * b, b, a); }
  friend Dual operator*(double b, const Dual& a) { return chain(a.v * b, b, a); }
  friend Dual operator/(const Dual& a, const Dual& b) {
    Dual x(a.v / b.v);
    for (int i = 0; i < N; ++i) x.d[i] = (a.d[i] - x.v * b.d[i]) / b.v;
    return x;
  }
  friend Dual sin(const Dual& a) { return chain(std::sin(a.v), std::cos(a.v), a); }
  friend Dual cos(const Dual& a) { return chain(std::cos(a.v), -std::sin(a.v), a); }
  // Of sums of squares: at 0, the tip of a cone, the mean of all slopes.
  friend Dual sqrt(const Dual& a) {
    const double root = std::sqrt(a.v);
    return chain(root, root == 0.0 ? 0.0 : 0.5 / root, a);
  }
  friend Dual atan2(const Dual& y, const Dual& x) {
    Dual a(std::atan2(y.v, x.v));
    const double square = x.v * x.v + y.v * y.v;
    for (int i = 0; i < N; ++i) a.d[i] = (x.v * y.d[i] - y.v * x.d[i]) / square;
    return a;
  }
};

inline double value_of(double x) {
  return x;
}
template <int N>
double value_of(const Dual<N>& x) {
  return x.v;
}

}  // namespace mbs
