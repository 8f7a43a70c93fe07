#pragma once

// The scalar functions of two frames that joints are made of, each with its row of G (analytic) and
// its second derivative in time at v' = 0 (gamma). multibody.md lists them. Body a carries frame
// fa, body b frame fb; "b minus a" everywhere.
//
//   coincide       r_b - r_a                       dim rows, in inertial axes
//   across         u_a . (r_b - r_a)               u_a axis i of frame a
//   perpendicular  u_a . w_b                       axes i and j of the frames
//   angle          phi_b - phi_a - 2 pi turns      in the plane
//   atan_of        atan2(s, c)                     s and c from `perpendicular`
//   half_square    (d.d - l^2)/(2 l), d = r_b - r_a: smooth, and like |d| - l where it vanishes
//   helix          s - h phi, s along and phi about axis 2 of a; of the turns of phi those next to
//                  s/h
//   spin           a rate alone: (omega_b - omega_a) . (axis i of frame a)
//
// Axes are counted from 0.
//
// A row acts on the velocity coordinates: linear part on the velocity of the centre of mass,
// angular part on omega in body axes.
//
// `Parts`: half of the work, and more over Dual, is the second derivative, which constraints and
// accelerations need alone; without it `second` is 0.

#include <numbers>

#include "engine/multibody/space.hpp"

namespace mbs {

enum class Parts : unsigned char { all, no_second };

template <class Space, class T>
struct Row {
  T value{0.0}, second{0.0};
  Vec<T, Space::dim> linear_a, linear_b;
  Vec<T, Space::rot> angular_a, angular_b;
};

template <class T, class Space>
const Row<Space, T>& row_over(const Row<Space, T>& row) {
  return row;
}
// A row that depends on nothing that is seeded.
template <class T, class Space>
Row<Space, T> row_over(const Row<Space, double>& row) requires(!std::is_same_v<T, double>) {
  Row<Space, T> over;
  over.value.v = row.value;
  over.second.v = row.second;
  for (int i = 0; i < Space::dim; ++i) {
    over.linear_a[i].v = row.linear_a[i];
    over.linear_b[i].v = row.linear_b[i];
  }
  for (int i = 0; i < Space::rot; ++i) {
    over.angular_a[i].v = row.angular_a[i];
    over.angular_b[i].v = row.angular_b[i];
  }
  return over;
}

// row . (velocity coordinates of a and b)
template <class Space, class T, class A, class B>
Product<T, Product<A, B>> rate(const Row<Space, T>& row, const BodyState<Space, A>& a,
                               const BodyState<Space, B>& b) {
  return dot(row.linear_a, a.v) + dot(row.angular_a, a.omega) + dot(row.linear_b, b.v) +
         dot(row.angular_b, b.omega);
}

// alpha x + beta y, for functions f(x, y): value and second are the caller's.
template <class Space, class T, class A>
Row<Space, T> combine(const A& alpha, const Row<Space, T>& x, const A& beta,
                      const Row<Space, T>& y) {
  Row<Space, T> z;
  z.linear_a = alpha * x.linear_a + beta * y.linear_a;
  z.linear_b = alpha * x.linear_b + beta * y.linear_b;
  z.angular_a = alpha * x.angular_a + beta * y.angular_a;
  z.angular_b = alpha * x.angular_b + beta * y.angular_b;
  return z;
}

// One side of a row: a body with a frame on it. The two sides of a row may have different scalars:
// where one body alone is seeded, the other one costs what it does over double.
template <class Space, class T>
struct Side {
  const BodyState<Space, T>& body;
  const FrameConstants<Space, NumberFor<T>>& frame;

  Vec<T, Space::dim> point() const { return body.r + turn(body.R, frame.s); }
  Vec<T, Space::dim> velocity() const { return body.v + turn(body.R, cross(body.omega, frame.s)); }
  Vec<T, Space::dim> acceleration() const { return second(frame.s); }
  // Derivatives of R u.
  Vec<T, Space::dim> first(const Vec<NumberFor<T>, Space::dim>& u) const {
    return turn(body.R, cross(body.omega, u));
  }
  Vec<T, Space::dim> second(const Vec<NumberFor<T>, Space::dim>& u) const {
    return turn(body.R, cross(body.omega, cross(body.omega, u)));
  }
};

template <class Space, class A, class B>
void coincide(const Side<Space, A>& a, const Side<Space, B>& b, Row<Space, Product<A, B>>* row) {
  using T = Product<A, B>;
  const auto d = b.point() - a.point(), d2 = b.acceleration() - a.acceleration();
  for (int i = 0; i < Space::dim; ++i) {
    Vec<double, Space::dim> e;
    e[i] = 1.0;
    row[i].value = d[i];
    row[i].second = d2[i];
    row[i].linear_b[i] = T(1.0);
    row[i].linear_a[i] = T(-1.0);
    row[i].angular_b = moment(b.frame.s, turn_back(b.body.R, e));
    row[i].angular_a = -moment(a.frame.s, turn_back(a.body.R, e));
  }
}

template <Parts parts = Parts::all, class Space, class A, class B>
Row<Space, Product<A, B>> across(const Side<Space, A>& a, const Side<Space, B>& b, int axis) {
  const auto fixed = axis_of(a.frame.R, axis);
  const auto u = turn(a.body.R, fixed);
  const auto d = b.point() - a.point();
  Row<Space, Product<A, B>> row;
  row.value = dot(u, d);
  if constexpr (parts == Parts::all) {
    const auto u1 = a.first(fixed), u2 = a.second(fixed);
    const auto d1 = b.velocity() - a.velocity(), d2 = b.acceleration() - a.acceleration();
    row.second = dot(u2, d) + 2.0 * dot(u1, d1) + dot(u, d2);
  }
  row.linear_b = u;
  row.linear_a = -u;
  row.angular_b = moment(b.frame.s, turn_back(b.body.R, u));
  row.angular_a = moment(fixed, turn_back(a.body.R, d)) - moment(a.frame.s, turn_back(a.body.R, u));
  return row;
}

template <Parts parts = Parts::all, class Space, class A, class B>
Row<Space, Product<A, B>> perpendicular(const Side<Space, A>& a, const Side<Space, B>& b, int i,
                                        int j) {
  const auto fixed_a = axis_of(a.frame.R, i), fixed_b = axis_of(b.frame.R, j);
  const auto u = turn(a.body.R, fixed_a);
  const auto w = turn(b.body.R, fixed_b);
  Row<Space, Product<A, B>> row;
  row.value = dot(u, w);
  if constexpr (parts == Parts::all) {
    row.second = dot(a.second(fixed_a), w) + 2.0 * dot(a.first(fixed_a), b.first(fixed_b)) +
                 dot(u, b.second(fixed_b));
  }
  row.angular_a = moment(fixed_a, turn_back(a.body.R, w));
  row.angular_b = moment(fixed_b, turn_back(b.body.R, u));
  return row;
}

template <class Space, class A, class B>
Row<Space, Product<A, B>> spin(const Side<Space, A>& a, const Side<Space, B>& b, int axis) {
  using T = Product<A, B>;
  Row<Space, T> row;
  if constexpr (Space::dim == 2) {
    row.angular_a[0] = T(-1.0);
    row.angular_b[0] = T(1.0);
  } else {
    const auto fixed = axis_of(a.frame.R, axis);
    row.angular_a = Vec<T, 3>{} - fixed;
    row.angular_b = turn_back(b.body.R, turn(a.body.R, fixed));
  }
  return row;
}

template <class A, class B>
Row<Planar, Product<A, B>> angle(const Side<Planar, A>& a, const Side<Planar, B>& b,
                                 const auto& turns) {
  using T = Product<A, B>;
  Row<Planar, T> row;
  row.value = b.body.R.angle + b.frame.R.angle - a.body.R.angle - a.frame.R.angle -
              2.0 * std::numbers::pi * turns;
  row.angular_a[0] = T(-1.0);
  row.angular_b[0] = T(1.0);
  return row;
}

// q = atan2(s, c):  q' = (c s' - s c')/n,  q'' = (c s'' - s c'')/n - 2 q' (c c' + s s')/n,
// n = s^2 + c^2
template <Parts parts = Parts::all, class Space, class T, class A, class B>
Row<Space, T> atan_of(const Row<Space, T>& s, const Row<Space, T>& c, const BodyState<Space, A>& a,
                      const BodyState<Space, B>& b) {
  using std::atan2;
  const T n = s.value * s.value + c.value * c.value;
  Row<Space, T> row = combine(c.value / n, s, -s.value / n, c);
  row.value = atan2(s.value, c.value);
  if constexpr (parts == Parts::all) {
    row.second = (c.value * s.second - s.value * c.second) / n -
                 2.0 * rate(row, a, b) * (c.value * rate(c, a, b) + s.value * rate(s, a, b)) / n;
  }
  return row;
}

template <class Space, class A, class B>
Row<Space, Product<A, B>> half_square(const Side<Space, A>& a, const Side<Space, B>& b,
                                      const auto& length) {
  using T = Product<A, B>;
  const Vec<T, Space::dim> d = b.point() - a.point(), d1 = b.velocity() - a.velocity(),
                           d2 = b.acceleration() - a.acceleration();
  const auto scale = 1.0 / length;
  const Vec<T, Space::dim> u = scale * d;
  Row<Space, T> row;
  row.value = 0.5 * (dot(d, u) - length);
  row.second = scale * dot(d1, d1) + dot(u, d2);
  row.linear_b = u;
  row.linear_a = -u;
  row.angular_b = moment(b.frame.s, turn_back(b.body.R, u));
  row.angular_a = -moment(a.frame.s, turn_back(a.body.R, u));
  return row;
}

template <class A, class B>
Row<Spatial, Product<A, B>> helix(const Side<Spatial, A>& a, const Side<Spatial, B>& b,
                                  const auto& h) {
  using T = Product<A, B>;
  const Row<Spatial, T> s = across(a, b, 2);
  const Row<Spatial, T> phi =
      atan_of(perpendicular(a, b, 1, 0), perpendicular(a, b, 0, 0), a.body, b.body);
  Row<Spatial, T> row = combine(NumberFor<T>(1.0), s, NumberFor<T>(-h), phi);
  row.value = s.value - h * (phi.value + whole_turns(T(s.value / h), phi.value));
  row.second = s.second - h * phi.second;
  return row;
}

}  // namespace mbs
