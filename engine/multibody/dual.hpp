#pragma once

// Forward differentiation: a value with its derivatives in N directions. Elements of a model are
// written once over their scalar; with Dual<N> for it they give exact Jacobian blocks with respect
// to the few coordinates they depend on. A Dual over a Dual gives second derivatives.

#include <array>
#include <cmath>
#include <type_traits>

namespace mbs {

template <int N, class Base = double>
struct Dual {
  // One more than N where loops over N would leave a rest after the pairs that are computed at
  // once; such are not vectorised at all.
  static constexpr int lanes = N > 4 ? N + N % 2 : N;

  Base v;
  std::array<Base, lanes> d;

  Dual() : v{}, d{} {}
  Dual(double value) : v(value), d{} {}  // a constant: implicit on purpose
  Dual(const Base& value) requires(!std::is_same_v<Base, double>) : v(value), d{} {}
  static Dual variable(double value, int direction) {
    Dual x(value);
    x.d[direction] = 1.0;
    return x;
  }
  // f(a), with its derivative there.
  static Dual chain(const Base& value, const Base& derivative, const Dual& a) {
    Dual x(value, Unset{});
    for (int i = 0; i < lanes; ++i) x.d[i] = derivative * a.d[i];
    return x;
  }

  Dual& operator+=(const Dual& b) {
    v += b.v;
    for (int i = 0; i < lanes; ++i) d[i] += b.d[i];
    return *this;
  }
  Dual& operator-=(const Dual& b) {
    v -= b.v;
    for (int i = 0; i < lanes; ++i) d[i] -= b.d[i];
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
    Dual x(a.v * b.v, Unset{});
    for (int i = 0; i < lanes; ++i) x.d[i] = a.d[i] * b.v + a.v * b.d[i];
    return x;
  }
  friend Dual operator*(const Dual& a, double b) { return chain(a.v * b, b, a); }
  friend Dual operator*(double b, const Dual& a) { return chain(a.v * b, b, a); }
  friend Dual operator/(const Dual& a, const Dual& b) {
    Dual x(a.v / b.v, Unset{});
    for (int i = 0; i < lanes; ++i) x.d[i] = (a.d[i] - x.v * b.d[i]) / b.v;
    return x;
  }
  friend Dual sin(const Dual& a) {
    using std::cos, std::sin;
    return chain(sin(a.v), cos(a.v), a);
  }
  friend Dual cos(const Dual& a) {
    using std::cos, std::sin;
    return chain(cos(a.v), -sin(a.v), a);
  }
  friend Dual tan(const Dual& a) {
    using std::tan;
    const Base x = tan(a.v);
    return chain(x, 1.0 + x * x, a);
  }
  friend Dual exp(const Dual& a) {
    using std::exp;
    const Base x = exp(a.v);
    return chain(x, x, a);
  }
  friend Dual log(const Dual& a) {
    using std::log;
    return chain(log(a.v), 1.0 / a.v, a);
  }
  friend Dual tanh(const Dual& a) {
    using std::tanh;
    const Base x = tanh(a.v);
    return chain(x, 1.0 - x * x, a);
  }
  friend Dual pow(const Dual& a, double exponent) {
    using std::pow;
    if (exponent == 0.0) return Dual(1.0);
    return chain(pow(a.v, exponent), exponent * pow(a.v, exponent - 1.0), a);
  }
  // Elements take roots of sums of squares. At 0, the tip of a cone, the derivative is the mean of
  // all slopes, which is 0.
  friend Dual sqrt(const Dual& a) {
    using std::sqrt;
    const Base root = sqrt(a.v);
    return chain(root, root == 0.0 ? Base(0.0) : 0.5 / root, a);
  }
  friend Dual atan2(const Dual& y, const Dual& x) {
    using std::atan2;
    Dual a(atan2(y.v, x.v), Unset{});
    const Base square = x.v * x.v + y.v * y.v;
    for (int i = 0; i < lanes; ++i) a.d[i] = (x.v * y.d[i] - y.v * x.d[i]) / square;
    return a;
  }
  // The side that it is on.
  friend Dual abs(const Dual& a) { return a < 0.0 ? -a : a; }
  friend bool operator<(const Dual& a, const Dual& b) { return a.v < b.v; }
  friend bool operator>(const Dual& a, const Dual& b) { return a.v > b.v; }
  friend bool operator==(const Dual& a, const Dual& b) { return a.v == b.v; }

 private:
  struct Unset {};
  Dual(const Base& value, Unset) : v(value) {}  // d follows
};

inline double value_of(double x) {
  return x;
}
template <int N, class Base>
double value_of(const Dual<N, Base>& x) {
  return value_of(x.v);
}

}  // namespace mbs
