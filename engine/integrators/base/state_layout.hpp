#pragma once

// All unknowns of a state in one vector, so that tableaux, norms and interpolants are vector
// operations:
//
//   x = (y, z)    y = (p, v, r)    z = (a, lambda, w, s)      Lubich et al. (1992), eq. (2.13)
//
// and the slopes that a method knows,
//
//   (p', a, r', lambda, w, s)
//
// whose first ny() entries are y' and whose last ones are z without a.

#include "engine/equations/equations.hpp"

namespace mbs {

struct StateLayout {
  int p, v, r, lambda, w, s;

  explicit StateLayout(const Sizes& n) : p(n.p), v(n.v), r(n.r), lambda(n.lambda), w(n.w), s(n.s) {}

  int ny() const { return p + v + r; }
  int nz() const { return v + lambda + w + s; }
  int size() const { return ny() + nz(); }
  int slopes() const { return ny() + lambda + w + s; }

  void pack_y(const State& x, Eigen::Ref<Vector> y) const {
    y.head(p) = x.p;
    y.segment(p, v) = x.v;
    y.tail(r) = x.r;
  }
  void pack(const State& x, Eigen::Ref<Vector> out) const {
    pack_y(x, out.head(ny()));
    auto z = out.tail(nz());
    z.head(v) = x.a;
    z.segment(v, lambda) = x.lambda;
    z.segment(v + lambda, w) = x.w;
    z.tail(s) = x.s;
  }
  void unpack_y(const Eigen::Ref<const Vector>& y, State& x) const {
    x.p = y.head(p);
    x.v = y.segment(p, v);
    x.r = y.tail(r);
  }
  // Leaves the discrete unknowns, the modes and t of x as they are.
  void unpack(const Eigen::Ref<const Vector>& in, State& x) const {
    unpack_y(in.head(ny()), x);
    const auto z = in.tail(nz());
    x.a = z.head(v);
    x.lambda = z.segment(v, lambda);
    x.w = z.segment(v + lambda, w);
    x.s = z.tail(s);
  }
  // Takes z without a from slopes.
  void unpack_algebraic(const Eigen::Ref<const Vector>& slopes, State& x) const {
    const auto rest = slopes.tail(lambda + w + s);
    x.lambda = rest.head(lambda);
    x.w = rest.segment(lambda, w);
    x.s = rest.tail(s);
  }
  // Packs (y', z without a) of a point.
  void pack_slopes(const State& x, const Vector& p_dot, const Vector& r_dot,
                   Eigen::Ref<Vector> out) const {
    out.head(p) = p_dot;
    out.segment(p, v) = x.a;
    out.segment(p + v, r) = r_dot;
    auto rest = out.tail(lambda + w + s);
    rest.head(lambda) = x.lambda;
    rest.segment(lambda, w) = x.w;
    rest.tail(s) = x.s;
  }
};

}  // namespace mbs
