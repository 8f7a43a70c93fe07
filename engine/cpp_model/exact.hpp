#pragma once

// Constraint matrices, their time parts and all residuals of a C++ model by forward
// differentiation. With a prime for the derivative along (Z e_j, 0) in (p, t) and a dot for that
// along p' = Z v, v' = a, t' = 1, u' and u'' those of the inputs' polynomials:
//
//   G e_j = g'       H e_j = dh/dv_j       gI: g. and h at v = 0
//   G v + gI = g.    H v + h               G a + gamma = g..,  H a + gamma = (H v + h).
//
// gamma is the last with a = 0. Everything is over a scalar T, so that dual numbers for T give the
// Jacobian of the residuals.

#include "engine/cpp_model/functions.hpp"

namespace mbs {

// Constants of all arguments.
template <class T, int N>
void lift(const Scratch<T>& from, Scratch<Dual<N, T>>& to) {
  const auto copy = [](const std::vector<T>& x, std::vector<Dual<N, T>>& y) {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = Dual<N, T>(x[i]);
  };
  to.t = Dual<N, T>(from.t);
  copy(from.p, to.p);
  copy(from.v, to.v);
  copy(from.r, to.r);
  copy(from.w, to.w);
  copy(from.a, to.a);
  copy(from.lambda, to.lambda);
  copy(from.u, to.u);
  to.parameters = from.parameters;
}

// Along p' = Z v, v' = a, t' = 1, u' = u1 from k.at.
template <class Model, class T>
void set_path(const Functions<Model>& of, ResidualScratch<T>& k) {
  lift(k.at, k.path);
  of.p_dot(k.at);
  k.path.t.d[0] = T(1.0);
  for (int i = 0; i < of.n.p; ++i) k.path.p[i].d[0] = k.at.out[i];
  for (int i = 0; i < of.n.v; ++i) k.path.v[i].d[0] = k.at.a[i];
  for (int i = 0; i < of.n.u; ++i) k.path.u[i].d[0] = k.at.u1[i];
}

// k.G
template <class Model, class T>
void fill_G(const Functions<Model>& of, ResidualScratch<T>& k) {
  const Sizes& n = of.n;
  lift(k.at, k.columns);
  k.moved = k.at;
  for (int first = 0; first < n.v; first += 4) {
    const int last = std::min(first + 4, n.v);
    for (int j = first; j < last; ++j) {
      std::fill(k.moved.v.begin(), k.moved.v.end(), T());
      k.moved.v[j] = T(1.0);
      of.p_dot(k.moved);
      for (int i = 0; i < n.p; ++i) k.columns.p[i].d[j - first] = k.moved.out[i];
    }
    of.g(k.columns);
    for (int j = first; j < last; ++j)
      for (int i = 0; i < n.g; ++i) k.G[i * n.v + j] = k.columns.out[i].d[j - first];
    for (int i = 0; i < n.p; ++i) k.columns.p[i] = k.at.p[i];
    for (int j = first; j < last; ++j) k.columns.v[j].d[j - first] = T(1.0);
    of.h(k.columns);
    for (int j = first; j < last; ++j) {
      for (int i = n.g; i < n.lambda; ++i) k.G[i * n.v + j] = k.columns.out[i].d[j - first];
      k.columns.v[j] = k.at.v[j];
    }
  }
}

// k.rows = G v + gI
template <class Model, class T>
void fill_first(const Functions<Model>& of, ResidualScratch<T>& k) {
  set_path(of, k);
  of.g(k.path);
  for (int i = 0; i < of.n.g; ++i) k.rows[i] = k.path.out[i].d[0];
  of.h(k.at);
  for (int i = of.n.g; i < of.n.lambda; ++i) k.rows[i] = k.at.out[i];
}

// k.rows = G a + gamma
template <class Model, class T>
void fill_second(const Functions<Model>& of, ResidualScratch<T>& k) {
  set_path(of, k);
  lift(k.path, k.second);
  of.p_dot(k.path);  // p' and p''
  k.second.t.d[0] = Dual<1, T>(1.0);
  for (int i = 0; i < of.n.p; ++i) k.second.p[i].d[0] = k.path.out[i];
  for (int i = 0; i < of.n.u; ++i) {
    k.second.u[i].d[0] = k.at.u1[i];
    k.second.u[i].d[0].d[0] = k.at.u2[i];
  }
  of.g(k.second);
  of.h(k.path);
  for (int i = 0; i < of.n.g; ++i) k.rows[i] = k.second.out[i].d[0].d[0];
  for (int i = of.n.g; i < of.n.lambda; ++i) k.rows[i] = k.path.out[i].d[0];
}

// k.residual, in the rows of JacobianLayout.
template <class Model, class T>
void fill_residual(const Functions<Model>& of, ResidualScratch<T>& k, const JacobianLayout& rows) {
  const Sizes& n = of.n;
  const auto take = [&k](int begin, int count, const std::vector<T>& from) {
    for (int i = 0; i < count; ++i) k.residual[begin + i] = from[i];
  };
  of.p_dot(k.at);
  take(rows.kinematics, n.p, k.at.out);
  of.M(k);
  fill_G(of, k);
  of.f(k.at);
  for (int i = 0; i < n.v; ++i) {
    T sum = k.at.out[i];
    for (int j = 0; j < n.v; ++j) sum -= k.M[i * n.v + j] * k.at.a[j];
    for (int j = 0; j < n.lambda; ++j) sum -= k.G[j * n.v + i] * k.at.lambda[j];
    k.residual[rows.dynamics + i] = sum;
  }
  of.b(k.at);
  take(rows.r, n.r, k.at.out);
  of.d(k.at);
  take(rows.w, n.w, k.at.out);
  fill_first(of, k);
  take(rows.velocity, n.lambda, k.rows);
  of.g(k.at);
  take(rows.position, n.g, k.at.out);
  fill_second(of, k);
  take(rows.acceleration, n.lambda, k.rows);
}

}  // namespace mbs
