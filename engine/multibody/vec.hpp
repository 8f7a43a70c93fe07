#pragma once

// Small vectors and matrices over any scalar, with mixed products (Dual times double costs what it
// must and no more).

#include <array>
#include <type_traits>
#include <utility>

namespace mbs {

template <class A, class B>
using Product = decltype(std::declval<A>() * std::declval<B>());

template <class T, int N>
struct Vec {
  std::array<T, N> x{};

  T& operator[](int i) { return x[i]; }
  const T& operator[](int i) const { return x[i]; }
  template <class B>
  Vec& operator=(const Vec<B, N>& b) requires(!std::is_same_v<T, B>) {
    for (int i = 0; i < N; ++i) x[i] = b[i];
    return *this;
  }
  Vec& operator+=(const Vec& b) {
    for (int i = 0; i < N; ++i) x[i] += b.x[i];
    return *this;
  }
  Vec& operator-=(const Vec& b) {
    for (int i = 0; i < N; ++i) x[i] -= b.x[i];
    return *this;
  }
};

template <class A, class B, int N>
Vec<Product<A, B>, N> operator+(const Vec<A, N>& a, const Vec<B, N>& b) {
  Vec<Product<A, B>, N> c;
  for (int i = 0; i < N; ++i) c[i] = a[i] + b[i];
  return c;
}
template <class A, class B, int N>
Vec<Product<A, B>, N> operator-(const Vec<A, N>& a, const Vec<B, N>& b) {
  Vec<Product<A, B>, N> c;
  for (int i = 0; i < N; ++i) c[i] = a[i] - b[i];
  return c;
}
template <class A, int N>
Vec<A, N> operator-(const Vec<A, N>& a) {
  Vec<A, N> c;
  for (int i = 0; i < N; ++i) c[i] = -a[i];
  return c;
}
template <class A, class B, int N>
Vec<Product<A, B>, N> operator*(const A& a, const Vec<B, N>& b) {
  Vec<Product<A, B>, N> c;
  for (int i = 0; i < N; ++i) c[i] = a * b[i];
  return c;
}
template <class A, class B, int N>
Product<A, B> dot(const Vec<A, N>& a, const Vec<B, N>& b) {
  Product<A, B> sum = a[0] * b[0];
  for (int i = 1; i < N; ++i) sum += a[i] * b[i];
  return sum;
}

// omega x s: in the plane omega has one component.
template <class A, class B>
Vec<Product<A, B>, 2> cross(const Vec<A, 1>& omega, const Vec<B, 2>& s) {
  return {{-(omega[0] * s[1]), omega[0] * s[0]}};
}
template <class A, class B>
Vec<Product<A, B>, 3> cross(const Vec<A, 3>& a, const Vec<B, 3>& b) {
  return {{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}};
}
// omega x tau for angular quantities; nothing in the plane.
template <class A, class B>
Vec<Product<A, B>, 1> cross(const Vec<A, 1>&, const Vec<B, 1>&) {
  return {};
}
// s x f: the moment of a force.
template <class A, class B>
Vec<Product<A, B>, 1> moment(const Vec<A, 2>& s, const Vec<B, 2>& f) {
  return {{s[0] * f[1] - s[1] * f[0]}};
}
template <class A, class B>
Vec<Product<A, B>, 3> moment(const Vec<A, 3>& s, const Vec<B, 3>& f) {
  return cross(s, f);
}

// Square, by rows.
template <class T, int N>
struct Mat {
  std::array<Vec<T, N>, N> row{};

  T& operator()(int i, int j) { return row[i][j]; }
  const T& operator()(int i, int j) const { return row[i][j]; }
  Vec<T, N> column(int j) const {
    Vec<T, N> c;
    for (int i = 0; i < N; ++i) c[i] = row[i][j];
    return c;
  }
};

template <class A, class B, int N>
Vec<Product<A, B>, N> operator*(const Mat<A, N>& m, const Vec<B, N>& x) {
  Vec<Product<A, B>, N> y;
  for (int i = 0; i < N; ++i) y[i] = dot(m.row[i], x);
  return y;
}
// m^T x
template <class A, class B, int N>
Vec<Product<A, B>, N> transposed_times(const Mat<A, N>& m, const Vec<B, N>& x) {
  Vec<Product<A, B>, N> y = x[0] * m.row[0];
  for (int i = 1; i < N; ++i) y += x[i] * m.row[i];
  return y;
}
template <class A, class B, int N>
Mat<Product<A, B>, N> operator*(const Mat<A, N>& a, const Mat<B, N>& b) {
  Mat<Product<A, B>, N> c;
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) c(i, j) = dot(a.row[i], b.column(j));
  }
  return c;
}

}  // namespace mbs
