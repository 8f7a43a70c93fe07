#pragma once

// Rolling and knife edges: rows of velocities alone, 0 = H v, and for a wheel or ball that touches
// a plane the holonomic row of its normal. Body a carries the plane (a point of it, its normal n),
// body b the centre of the wheel or the edge. With d from a's point to b's, the contact at rho from
// b's point, and w the velocity of b's matter against a's there,
//
//   w = v_b + omega_b x rho - v_a - omega_a x (d + rho)
//   row along u:   u.w = 0,     second = u'.w + u.w'   at v' = 0,
//   w' = a_b + omega_b x rho' - a_a - omega_a x (d' + rho')      (omega' = 0 in inertial axes, too)
//
//             rho                     u                               g
//   edge      0                       across, fixed in b              -
//   circle    -R n                    tangent of the plane            n.d - R      (in the plane)
//   ball      -R n                    two tangents, fixed in a        n.d - R
//   disc      -R m/s                  along = k x n/s, n x along      n.d - R s
//
//   k the disc's axis, c = n.k, m = n - c k, s = |m| = sqrt(1 - c^2)
//   m' = n' - c' k - c k',   s' = -c c'/s
//
// The row with u = n is the derivative of g: the contact moves within both surfaces, so that rho'
// does not count there. A disc that lies flat (s = 0) touches nowhere in particular: NaN.

#include "engine/multibody/evaluation.hpp"

namespace mbs {

namespace rolling {

template <class Space, class T>
struct Moving {  // a vector and its derivative
  Vec<T, Space::dim> x, first;
};

template <class Space, class T>
Vec<T, Space::rot> angular_velocity(const Side<Space, T>& side) {
  return turn(side.body.R, side.body.omega);
}

template <class Space, class T>
Moving<Space, T> axis(const Side<Space, T>& side, int k) {
  const auto fixed = axis_of(side.frame.R, k);
  return {turn(side.body.R, fixed), side.first(fixed)};
}

template <class Space, class T>
Row<Space, T> row_along(const Side<Space, T>& a, const Side<Space, T>& b, const Moving<Space, T>& u,
                        const Moving<Space, T>& rho) {
  const Vec<T, Space::rot> wa = angular_velocity(a), wb = angular_velocity(b);
  const Vec<T, Space::dim> at = b.point() + rho.x, d = at - a.point();
  const Vec<T, Space::dim> d1 = b.velocity() - a.velocity();
  const Vec<T, Space::dim> w = d1 + cross(wb, rho.x) - cross(wa, d);
  const Vec<T, Space::dim> w1 =
      b.acceleration() - a.acceleration() + cross(wb, rho.first) - cross(wa, d1 + rho.first);
  Row<Space, T> row;
  row.linear_b = u.x;
  row.linear_a = -u.x;
  row.angular_b = turn_back(b.body.R, moment(at - b.body.r, u.x));
  row.angular_a = -turn_back(a.body.R, moment(at - a.body.r, u.x));
  row.second = dot(u.first, w) + dot(u.x, w1);
  return row;
}

// The normal, the point of contact from the centre, and the directions along and across the
// rolling.
template <class Space, class T>
struct Contact {
  Moving<Space, T> n, rho, along, across;
  T height{0.0};  // of the centre above the plane
};

template <class Space, class T>
Contact<Space, T> contact(const auto& at, const RollingData& r, const Side<Space, T>& a,
                          const Side<Space, T>& b) {
  const auto R = at[r.radius];
  Contact<Space, T> c;
  c.n = axis(a, 0);
  if (r.kind != RollingData::Kind::disc) {
    c.rho = {-R * c.n.x, -R * c.n.first};
    c.height = T(R);
    c.along = axis(a, 1);
    if constexpr (Space::dim == 3) c.across = axis(a, 2);
    return c;
  }
  if constexpr (Space::dim == 3) {
    using std::sqrt;
    const auto k = axis(b, 0);
    const T cosine = dot(c.n.x, k.x), cosine1 = dot(c.n.first, k.x) + dot(c.n.x, k.first);
    const T s = sqrt(1.0 - cosine * cosine), s1 = -cosine * cosine1 / s, q = 1.0 / s;
    const Vec<T, 3> m = c.n.x - cosine * k.x, m1 = c.n.first - cosine1 * k.x - cosine * k.first;
    c.rho = {-R * (q * m), -R * (q * (m1 - (s1 * q) * m))};
    c.height = R * s;
    const Vec<T, 3> t = cross(k.x, c.n.x), t1 = cross(k.first, c.n.x) + cross(k.x, c.n.first);
    c.along = {q * t, q * (t1 - (s1 * q) * t)};
    c.across = {cross(c.n.x, c.along.x), cross(c.n.first, c.along.x) + cross(c.n.x, c.along.first)};
  }
  return c;
}

}  // namespace rolling

// k: -1 the normal, then those of sliding.
template <class Space, class T>
Row<Space, T> rolling_row(const auto& at, const RollingData& r, int k, const Side<Space, T>& a,
                          const Side<Space, T>& b) {
  if (r.kind == RollingData::Kind::edge) {
    return rolling::row_along<Space, T>(a, b, rolling::axis(b, 0), {});
  }
  const rolling::Contact<Space, T> c = rolling::contact(at, r, a, b);
  Row<Space, T> row = rolling::row_along(a, b, k < 0 ? c.n : k == 0 ? c.along : c.across, c.rho);
  if (k < 0) row.value = dot(c.n.x, b.point() - a.point()) - c.height;
  return row;
}

// visit(k, number in G) for the rows of one.
template <class Visit>
void for_rows_of(const RollingData& r, const Visit& visit) {
  if (r.normal >= 0) visit(-1, r.normal);
  for (int k = 0; k < r.slips; ++k) visit(k, r.slip + k);
}

// visit(row, number in G, body a, body b, whether g has it)
template <class Space, class Visit>
void for_rolling_rows(const Evaluation<Space>& at, const Visit& visit) {
  for (const RollingData& r : at.mechanism.rolling) {
    on_sides<double>(at, r.a, r.b, ground, [&](const auto& a, const auto& b) {
      for_rows_of(r, [&](int k, int number) {
        visit(rolling_row(at, r, k, a, b), number, at.body_of(r.a), at.body_of(r.b), k < 0);
      });
    });
  }
}

}  // namespace mbs
