#pragma once

// The joints of a tree as motion subspaces. A body's frame `far` moves against the frame `near` on
// its parent: with the axes A of near and R of far (to inertial axes), all over any scalar T,
//
//   axes     R = A (relative rotation by q)
//   slide    far's origin minus near's, inertial axes
//   rates    relative angular velocity and velocity of the origin, inertial axes, from A, R and qd
//   standing  optional, 0 otherwise: how many columns of S, the first ones, stay where they are
//   when far is displaced along column j (tree/derivatives.hpp)
//   twist    optional, 0 otherwise: what S' v adds to alpha as seen from near, from A, R and qd
//
// A new joint is one more struct here, a keyword in JointKind, its S in links.hpp and a line in
// with_joint. S is constant in near's or in far's axes but for `twist`; then with the parent's
// omega_f, d = r - r_f
//
//   alpha = alpha_f + omega_f x omega_rel + twist + S_ang v'
//   a     = a_f + alpha_f x d + omega_f x (omega_f x d) + 2 omega_f x v_rel + S_lin v'
//
// Euler parameters of a spherical joint turn by R(e/|e|): with e' = Q(e) omega their norm stays,
// and G = g_p Z holds for any norm.

#include "engine/multibody/tree/topology.hpp"

namespace mbs {

// The constants of a joint: the direction in which it is counted (times the
// coordinate's sign), in the plane whole turns, and a screw's advance for each radian.
struct JointConstants {
  double sign = 1.0, turn = 0.0, advance = 0.0;
};

// A wrench or a motion at a point, in inertial axes.
template <class Space, class T>
struct Screw {
  Vec<T, Space::dim> linear;
  Vec<T, Space::rot> angular;
};

// Axes turned about their own axis k.
template <int k, class T>
Mat<T, 3> turned_about(const Mat<T, 3>& A, const T& angle) {
  using std::cos, std::sin;
  constexpr int i = (k + 1) % 3, j = (k + 2) % 3;
  const T co = cos(angle), si = sin(angle);
  Mat<T, 3> R;
  for (int row = 0; row < 3; ++row) {
    R(row, k) = A(row, k);
    R(row, i) = co * A(row, i) + si * A(row, j);
    R(row, j) = co * A(row, j) - si * A(row, i);
  }
  return R;
}

template <class Space>
struct WithoutSlide {
  template <class T>
  static Vec<T, Space::dim> slide(const typename Space::template Rotation<T>&,
                                  const typename Space::template Rotation<T>&,
                                  const JointConstants&, const T*) {
    return {};
  }
};

template <class Space>
struct WeldJoint : WithoutSlide<Space> {
  static constexpr int np = 0, nv = 0;
  template <class T>
  static auto axes(const typename Space::template Rotation<T>& A, const JointConstants& c,
                   const T*) {
    if constexpr (Space::dim == 2) {
      auto R = A;
      R.angle = R.angle + c.turn;
      return R;
    } else {
      return A;
    }
  }
  template <class T>
  static Screw<Space, T> rates(const typename Space::template Rotation<T>&,
                               const typename Space::template Rotation<T>&, const JointConstants&,
                               const T*) {
    return {};
  }
};

// About axis 2 of near and far in space.
template <class Space>
struct RevoluteJoint : WithoutSlide<Space> {
  static constexpr int np = 1, nv = 1;
  template <class T>
  static auto axes(const typename Space::template Rotation<T>& A, const JointConstants& c,
                   const T* q) {
    const T angle = c.sign * q[0] + c.turn;
    if constexpr (Space::dim == 2) {
      return compose(A, plane_rotation(angle));
    } else {
      return turned_about<2>(A, angle);
    }
  }
  template <class T>
  static Vec<T, Space::rot> axis(const typename Space::template Rotation<T>& R,
                                 const JointConstants& c) {
    if constexpr (Space::dim == 2) {
      return {{T(c.sign)}};
    } else {
      return c.sign * R.column(2);
    }
  }
  template <class T>
  static Screw<Space, T> rates(const typename Space::template Rotation<T>&,
                               const typename Space::template Rotation<T>& R,
                               const JointConstants& c, const T* qd) {
    return {{}, qd[0] * axis<T>(R, c)};
  }
};

// Along axis 0 of near and far.
template <class Space>
struct PrismaticJoint {
  static constexpr int np = 1, nv = 1;
  template <class T>
  static auto axes(const typename Space::template Rotation<T>& A, const JointConstants& c,
                   const T*) {
    return WeldJoint<Space>::template axes<T>(A, c, nullptr);
  }
  template <class T>
  static Vec<T, Space::dim> axis(const typename Space::template Rotation<T>& R,
                                 const JointConstants& c) {
    return c.sign * axis_of(R, 0);
  }
  template <class T>
  static Vec<T, Space::dim> slide(const typename Space::template Rotation<T>&,
                                  const typename Space::template Rotation<T>& R,
                                  const JointConstants& c, const T* q) {
    return q[0] * axis<T>(R, c);
  }
  template <class T>
  static Screw<Space, T> rates(const typename Space::template Rotation<T>&,
                               const typename Space::template Rotation<T>& R,
                               const JointConstants& c, const T* qd) {
    return {qd[0] * axis<T>(R, c), {}};
  }
};

// q: Euler parameters of far against near; v: omega_rel in far's axes.
struct SphericalJoint : WithoutSlide<Spatial> {
  static constexpr int np = 4, nv = 3;
  template <class T>
  static Mat<T, 3> axes(const Mat<T, 3>& A, const JointConstants&, const T* q) {
    const T square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    const T factor = 1.0 / square;
    Mat<T, 3> R = rotation_of(q);
    for (auto& row : R.row) row = factor * row;
    return A * R;
  }
  template <class T>
  static Screw<Spatial, T> rates(const Mat<T, 3>&, const Mat<T, 3>& R, const JointConstants&,
                                 const T* w) {
    return {{}, R * Vec<T, 3>{{w[0], w[1], w[2]}}};
  }
};

// Coordinates of a body as in absolute ones; near is the ground, far the centre of mass.
template <class Space>
struct FreeJoint {
  static constexpr int np = Space::np, nv = Space::nv;
  static constexpr int standing(int j) { return j < Space::dim ? 0 : Space::dim; }
  template <class T>
  static auto axes(const typename Space::template Rotation<T>&, const JointConstants&, const T* q) {
    if constexpr (Space::dim == 2) {
      return plane_rotation(q[2]);
    } else {
      return SphericalJoint::axes(identity3<T>(), {}, q + 3);
    }
  }
  template <class T>
  static Vec<T, Space::dim> slide(const typename Space::template Rotation<T>&,
                                  const typename Space::template Rotation<T>&,
                                  const JointConstants&, const T* q) {
    Vec<T, Space::dim> r;
    for (int i = 0; i < Space::dim; ++i) r[i] = q[i];
    return r;
  }
  template <class T>
  static Screw<Space, T> rates(const typename Space::template Rotation<T>&,
                               const typename Space::template Rotation<T>& R, const JointConstants&,
                               const T* v) {
    Screw<Space, T> s;
    for (int i = 0; i < Space::dim; ++i) s.linear[i] = v[i];
    for (int i = 0; i < Space::rot; ++i) s.angular[i] = v[Space::dim + i];
    s.angular = turn(R, s.angular);
    return s;
  }
};

template <class Space>
struct FreePointJoint {
  static constexpr int np = Space::dim, nv = Space::dim;
  template <class T>
  static auto axes(const typename Space::template Rotation<T>&, const JointConstants&, const T*) {
    return no_rotation<Space, T>();
  }
  template <class T>
  static Vec<T, Space::dim> slide(const typename Space::template Rotation<T>&,
                                  const typename Space::template Rotation<T>& R,
                                  const JointConstants& c, const T* q) {
    return FreeJoint<Space>::template slide<T>(R, R, c, q);
  }
  template <class T>
  static Screw<Space, T> rates(const typename Space::template Rotation<T>&,
                               const typename Space::template Rotation<T>&, const JointConstants&,
                               const T* v) {
    Screw<Space, T> s;
    for (int i = 0; i < Space::dim; ++i) s.linear[i] = v[i];
    return s;
  }
};

// About axis 2 and along it: q, then s.
struct CylindricalJoint {
  static constexpr int np = 2, nv = 2;
  static constexpr int standing(int j) { return j; }
  template <class T>
  static Mat<T, 3> axes(const Mat<T, 3>& A, const JointConstants& c, const T* q) {
    return turned_about<2>(A, c.sign * q[0]);
  }
  template <class T>
  static Vec<T, 3> slide(const Mat<T, 3>& A, const Mat<T, 3>&, const JointConstants& c,
                         const T* q) {
    return (c.sign * q[1]) * A.column(2);
  }
  template <class T>
  static Screw<Spatial, T> rates(const Mat<T, 3>& A, const Mat<T, 3>&, const JointConstants& c,
                                 const T* qd) {
    const Vec<T, 3> axis = c.sign * A.column(2);
    return {qd[1] * axis, qd[0] * axis};
  }
};

// About axis 2, which takes along it.
struct ScrewJoint {
  static constexpr int np = 1, nv = 1;
  template <class T>
  static Mat<T, 3> axes(const Mat<T, 3>& A, const JointConstants& c, const T* q) {
    return turned_about<2>(A, c.sign * q[0]);
  }
  template <class T>
  static Vec<T, 3> slide(const Mat<T, 3>& A, const Mat<T, 3>&, const JointConstants& c,
                         const T* q) {
    return (c.sign * c.advance * q[0]) * A.column(2);
  }
  template <class T>
  static Screw<Spatial, T> rates(const Mat<T, 3>& A, const Mat<T, 3>&, const JointConstants& c,
                                 const T* qd) {
    const Vec<T, 3> axis = c.sign * A.column(2);
    return {(c.advance * qd[0]) * axis, qd[0] * axis};
  }
};

// About axis i of near, then about axis k of far.
template <int i, int k>
struct UniversalJoint : WithoutSlide<Spatial> {
  static constexpr int np = 2, nv = 2;
  static constexpr int standing(int j) { return j; }
  template <class T>
  static Mat<T, 3> axes(const Mat<T, 3>& A, const JointConstants& c, const T* q) {
    return turned_about<k>(turned_about<i>(A, c.sign * q[0]), c.sign * q[1]);
  }
  template <class T>
  static Screw<Spatial, T> rates(const Mat<T, 3>& A, const Mat<T, 3>& R, const JointConstants& c,
                                 const T* qd) {
    return {{}, (c.sign * qd[0]) * A.column(i) + (c.sign * qd[1]) * R.column(k)};
  }
  template <class T>
  static Vec<T, 3> twist(const Mat<T, 3>& A, const Mat<T, 3>& R, const JointConstants&,
                         const T* qd) {
    return (qd[0] * qd[1]) * cross(A.column(i), R.column(k));
  }
};

// Along axes 0 and 1 of near, then about axis 2.
struct PlanarJoint {
  static constexpr int np = 3, nv = 3;
  static constexpr int standing(int j) { return j; }
  template <class T>
  static Mat<T, 3> axes(const Mat<T, 3>& A, const JointConstants&, const T* q) {
    return turned_about<2>(A, q[2]);
  }
  template <class T>
  static Vec<T, 3> slide(const Mat<T, 3>& A, const Mat<T, 3>&, const JointConstants&, const T* q) {
    return q[0] * A.column(0) + q[1] * A.column(1);
  }
  template <class T>
  static Screw<Spatial, T> rates(const Mat<T, 3>& A, const Mat<T, 3>&, const JointConstants&,
                                 const T* qd) {
    return {qd[0] * A.column(0) + qd[1] * A.column(1), qd[2] * A.column(2)};
  }
};

// use(Joint<Space>{}) for a kind.
template <class Space, class Use>
decltype(auto) with_joint(JointKind kind, Use&& use) {
  switch (kind) {
    case JointKind::revolute:
      return use(RevoluteJoint<Space>{});
    case JointKind::prismatic:
      return use(PrismaticJoint<Space>{});
    case JointKind::spherical:
      if constexpr (Space::dim == 3) return use(SphericalJoint{});
      break;
    case JointKind::cylindrical:
      if constexpr (Space::dim == 3) return use(CylindricalJoint{});
      break;
    case JointKind::universal:
      if constexpr (Space::dim == 3) return use(UniversalJoint<2, 0>{});
      break;
    case JointKind::universal_back:
      if constexpr (Space::dim == 3) return use(UniversalJoint<0, 2>{});
      break;
    case JointKind::planar:
      if constexpr (Space::dim == 3) return use(PlanarJoint{});
      break;
    case JointKind::screw:
      if constexpr (Space::dim == 3) return use(ScrewJoint{});
      break;
    case JointKind::free:
      return use(FreeJoint<Space>{});
    case JointKind::free_point:
      return use(FreePointJoint<Space>{});
    case JointKind::weld:
    case JointKind::point:
      break;
  }
  return use(WeldJoint<Space>{});
}

}  // namespace mbs
