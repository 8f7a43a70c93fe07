#pragma once

// The plane and space as two sets of types with the same operations, so that kinematics, joints and
// forces are written once.
//
// A body has its centre of mass at r (inertial axes) and the rotation R from body to inertial axes:
//
//   plane   p = (x, y, phi)              v = p'
//   space   p = (x, y, z, e0, e1, e2, e3)  v = (r', omega), omega in body axes,  e' = Q(e) omega
//
//   R(e) = (e0^2 - e.e) I + 2 e e^T + 2 e0 ~e,     Q(e) = 1/2 ( -e^T ; e0 I + ~e )
//
// R is homogeneous in the Euler parameters, which makes R' = R ~omega true for any norm of them (it
// keeps its value along Q omega): G = g_p Z holds exactly, also on the way of a Newton iteration.
// A vector u fixed to a body has u' = R (omega x u), u'' = R (omega x (omega x u)) at omega' = 0.

#include <cmath>

#include "engine/multibody/branches.hpp"
#include "engine/multibody/vec.hpp"

namespace mbs {

template <class T>
struct PlaneRotation {
  T angle{0.0}, c{1.0}, s{0.0};
};

struct Planar {
  static constexpr int dim = 2, rot = 1;
  static constexpr int np = 3, nv = 3;
  static constexpr int frame_numbers = 5;  // s, angle, cos, sin
  static constexpr int inertia_numbers = 1;
  static constexpr int rotation_numbers = 1;  // of a frame in the model file
  template <class T>
  using Rotation = PlaneRotation<T>;
};

struct Spatial {
  static constexpr int dim = 3, rot = 3;
  static constexpr int np = 7, nv = 6;
  static constexpr int frame_numbers = 12;  // s, R by rows
  static constexpr int inertia_numbers = 6;
  static constexpr int rotation_numbers = 3;
  template <class T>
  using Rotation = Mat<T, 3>;
};

template <class T>
Mat<T, 3> identity3() {
  Mat<T, 3> m;
  for (int i = 0; i < 3; ++i) m(i, i) = T(1.0);
  return m;
}

template <class Space, class T>
typename Space::template Rotation<T> no_rotation() {
  if constexpr (Space::dim == 2) {
    return {};
  } else {
    return identity3<T>();
  }
}

template <class T>
PlaneRotation<T> plane_rotation(const T& angle) {
  using std::cos, std::sin;
  return {angle, cos(angle), sin(angle)};
}

// R x, R^T x
template <class A, class B>
Vec<Product<A, B>, 2> turn(const PlaneRotation<A>& R, const Vec<B, 2>& x) {
  return {{R.c * x[0] - R.s * x[1], R.s * x[0] + R.c * x[1]}};
}
template <class A, class B>
Vec<Product<A, B>, 2> turn_back(const PlaneRotation<A>& R, const Vec<B, 2>& x) {
  return {{R.c * x[0] + R.s * x[1], R.c * x[1] - R.s * x[0]}};
}
template <class A, class B>
Vec<B, 1> turn(const PlaneRotation<A>&, const Vec<B, 1>& x) {
  return x;
}
template <class A, class B>
Vec<B, 1> turn_back(const PlaneRotation<A>&, const Vec<B, 1>& x) {
  return x;
}
template <class A, class B>
Vec<Product<A, B>, 3> turn(const Mat<A, 3>& R, const Vec<B, 3>& x) {
  return R * x;
}
template <class A, class B>
Vec<Product<A, B>, 3> turn_back(const Mat<A, 3>& R, const Vec<B, 3>& x) {
  return transposed_times(R, x);
}

// First b, then a.
template <class A, class B>
PlaneRotation<Product<A, B>> compose(const PlaneRotation<A>& a, const PlaneRotation<B>& b) {
  return {a.angle + b.angle, a.c * b.c - a.s * b.s, a.s * b.c + a.c * b.s};
}
template <class A, class B>
Mat<Product<A, B>, 3> compose(const Mat<A, 3>& a, const Mat<B, 3>& b) {
  return a * b;
}
template <class T>
PlaneRotation<T> inverse(const PlaneRotation<T>& a) {
  return {-a.angle, a.c, -a.s};
}
template <class T>
Mat<T, 3> inverse(const Mat<T, 3>& a) {
  Mat<T, 3> b;
  for (int i = 0; i < 3; ++i) b.row[i] = a.column(i);
  return b;
}

// The direction of axis k of a rotated frame.
template <class T>
Vec<T, 2> axis_of(const PlaneRotation<T>& R, int k) {
  if (k == 0) return {{R.c, R.s}};
  return {{-R.s, R.c}};
}
template <class T>
Vec<T, 3> axis_of(const Mat<T, 3>& R, int k) {
  return R.column(k);
}

// Position, rotation and velocities of a body.
template <class Space, class T>
struct BodyState {
  Vec<T, Space::dim> r;
  typename Space::template Rotation<T> R = no_rotation<Space, T>();
  Vec<T, Space::dim> v;
  Vec<T, Space::rot> omega;  // body axes
};

template <class Space, class T>
BodyState<Space, T> constant_state(const BodyState<Space, double>& b) {
  BodyState<Space, T> c;
  for (int i = 0; i < Space::dim; ++i) {
    c.r[i] = b.r[i];
    c.v[i] = b.v[i];
  }
  for (int i = 0; i < Space::rot; ++i) c.omega[i] = b.omega[i];
  if constexpr (Space::dim == 2) {
    c.R = {b.R.angle, b.R.c, b.R.s};
  } else {
    for (int i = 0; i < 9; ++i) c.R(i / 3, i % 3) = b.R(i / 3, i % 3);
  }
  return c;
}

template <class T>
Mat<T, 3> rotation_of(const T* e) {
  const T e00 = e[0] * e[0], e11 = e[1] * e[1], e22 = e[2] * e[2], e33 = e[3] * e[3];
  const T e01 = e[0] * e[1], e02 = e[0] * e[2], e03 = e[0] * e[3];
  const T e12 = e[1] * e[2], e13 = e[1] * e[3], e23 = e[2] * e[3];
  Mat<T, 3> R;
  R.row[0] = {{e00 + e11 - e22 - e33, 2.0 * (e12 - e03), 2.0 * (e13 + e02)}};
  R.row[1] = {{2.0 * (e12 + e03), e00 - e11 + e22 - e33, 2.0 * (e23 - e01)}};
  R.row[2] = {{2.0 * (e13 - e02), 2.0 * (e23 + e01), e00 - e11 - e22 + e33}};
  return R;
}

// A particle has the first `dim` coordinates of a body alone and does not turn.
template <class Space, class T>
BodyState<Space, T> body_state(const T* p, const T* v, bool rotates) {
  BodyState<Space, T> b;
  for (int i = 0; i < Space::dim; ++i) {
    b.r[i] = p[i];
    b.v[i] = v[i];
  }
  if (!rotates) return b;
  if constexpr (Space::dim == 2) {
    b.R = plane_rotation(p[2]);
  } else {
    b.R = rotation_of(p + 3);
  }
  for (int i = 0; i < Space::rot; ++i) b.omega[i] = v[Space::dim + i];
  return b;
}

// e' = Q(e) omega
template <class A, class B>
void euler_rates(const A* e, const B* omega, Product<A, B>* e_dot) {
  e_dot[0] = -0.5 * (e[1] * omega[0] + e[2] * omega[1] + e[3] * omega[2]);
  e_dot[1] = 0.5 * (e[0] * omega[0] - e[3] * omega[1] + e[2] * omega[2]);
  e_dot[2] = 0.5 * (e[3] * omega[0] + e[0] * omega[1] - e[1] * omega[2]);
  e_dot[3] = 0.5 * (e[1] * omega[1] - e[2] * omega[0] + e[0] * omega[2]);
}

// A frame fixed to a body: its origin from the centre of mass and its axes, in body axes. They are
// numbers, but for traced motions traced ones.
template <class T>
using NumberFor = std::conditional_t<std::is_same_v<T, Traced>, Traced, double>;
template <class T>
constexpr bool has_derivatives = !std::is_same_v<T, NumberFor<T>>;
template <class Space, class N = double>
struct FrameConstants {
  Vec<N, Space::dim> s;
  typename Space::template Rotation<N> R = no_rotation<Space, N>();
};

template <class Space>
FrameConstants<Space> load_frame(const double* x) {
  FrameConstants<Space> f;
  for (int i = 0; i < Space::dim; ++i) f.s[i] = x[i];
  if constexpr (Space::dim == 2) {
    f.R = {x[2], x[3], x[4]};
  } else {
    for (int i = 0; i < 9; ++i) f.R(i / 3, i % 3) = x[3 + i];
  }
  return f;
}

template <class Space>
void store_frame(const FrameConstants<Space>& f, double* x) {
  for (int i = 0; i < Space::dim; ++i) x[i] = f.s[i];
  if constexpr (Space::dim == 2) {
    x[2] = f.R.angle;
    x[3] = f.R.c;
    x[4] = f.R.s;
  } else {
    for (int i = 0; i < 9; ++i) x[3 + i] = f.R(i / 3, i % 3);
  }
}

// A frame as forces and measures see it: everything in inertial axes.
template <class Space, class T>
struct FrameMotion {
  Vec<T, Space::dim> r, v;
  typename Space::template Rotation<T> A;
  Vec<T, Space::rot> omega;
};

template <class Space, class T>
FrameMotion<Space, T> frame_motion(const BodyState<Space, T>& b,
                                   const FrameConstants<Space, NumberFor<T>>& f) {
  return {b.r + turn(b.R, f.s), b.v + turn(b.R, cross(b.omega, f.s)), compose(b.R, f.R),
          turn(b.R, b.omega)};
}

template <class Space, class T>
FrameMotion<Space, T> constant_motion(const FrameMotion<Space, double>& f) {
  FrameMotion<Space, T> c;
  for (int i = 0; i < Space::dim; ++i) {
    c.r[i].v = f.r[i];
    c.v[i].v = f.v[i];
  }
  for (int i = 0; i < Space::rot; ++i) c.omega[i].v = f.omega[i];
  if constexpr (Space::dim == 2) {
    c.A.angle.v = f.A.angle;
    c.A.c.v = f.A.c;
    c.A.s.v = f.A.s;
  } else {
    for (int i = 0; i < 9; ++i) c.A(i / 3, i % 3).v = f.A(i / 3, i % 3);
  }
  return c;
}

// A force at a frame's origin and a torque, in inertial axes; and what they are to the body's
// velocity coordinates (force in inertial axes, moment about the centre of mass in body axes).
template <class Space, class T>
struct Wrench {
  Vec<T, Space::dim> force;
  Vec<T, Space::rot> torque;
};

template <class Space, class T, class Rotation>
Wrench<Space, T> to_body(const Rotation& R, const FrameConstants<Space, NumberFor<T>>& f,
                         const Wrench<Space, T>& w) {
  return {w.force, moment(f.s, turn_back(R, w.force)) + turn_back(R, w.torque)};
}

}  // namespace mbs
