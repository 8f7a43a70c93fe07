#pragma once

// The bodies of a tree for its recursions. Each has a frame of its own, the far frame of its joint
// (its centre of mass when it is free), with origin r and axes R; all vectors below are in inertial
// axes. Wrenches and inertias are taken about this origin: shifting along the tree then costs two
// cross products and no rotation, and a revolute joint's motion subspace is its axis alone.

#include "engine/linear/saddle_solver.hpp"
#include "engine/multibody/tree/joints.hpp"

namespace mbs {

// Depends on parameters alone; doubles only, for it stands in Parameters::derived.
template <class Space>
struct LinkConstants {
  Vec<double, Space::dim> d;                    // near frame from the parent's own frame, in it
  typename Space::template Rotation<double> K;  // its axes
  Vec<double, Space::dim> c;                    // centre of mass, own axes
  FrameConstants<Space> own;                    // the own frame in body axes
  double mass = 0.0;
  std::array<double, Space::inertia_numbers> J{};  // about the own origin, own axes
  double sign = 1.0;
  double advance = 0.0;  // of a screw, for each radian
};

// The numbers of a body that depend on the state. `motion` and `bias` are those of the velocity
// stage.
template <class Space>
struct Link {
  typename Space::template Rotation<double> R = no_rotation<Space, double>();
  Vec<double, Space::dim> r;
  Vec<double, Space::dim> d;  // origin minus that of the parent
  Vec<double, Space::dim> c;  // centre of mass minus origin
  double mass = 0.0;
  Screw<Space, double> axis;  // S of a joint with one coordinate; of others see serial_column
  std::array<double, Space::inertia_numbers> J{};  // about the origin
  Screw<Space, double> motion;                     // velocity of the origin, angular velocity
  Screw<Space, double> bias;                       // their derivatives at v' = 0
};

// The additional data of mixed coordinates. Their Link is that of the body about its far frame,
// with R, axis and d those of P (mixed_saddle.hpp).
template <class Space>
struct MixedLink {
  typename Space::template Rotation<double> A = no_rotation<Space, double>();  // of the body
  Mat<double, Space::rot> C;                                                   // C_ang
};

// M and the rows of the tree as the solvers of joint and mixed coordinates read them.
template <class Space>
struct TreeMatrix : UnassembledMatrix {
  std::vector<Link<Space>> links;
  std::vector<MixedLink<Space>> mixed;  // empty in joint coordinates
};

// The matrix of xx, yy, zz, xy, xz, yz, as they stand in the model file.
inline Mat<double, 3> full(const std::array<double, 6>& J) {
  Mat<double, 3> m;
  m.row = {Vec<double, 3>{{J[0], J[3], J[4]}}, Vec<double, 3>{{J[3], J[1], J[5]}},
           Vec<double, 3>{{J[4], J[5], J[2]}}};
  return m;
}

// R J R^T
inline std::array<double, 6> turned(const Mat<double, 3>& R, const std::array<double, 6>& J) {
  const Mat<double, 3> X = R * full(J);
  return {dot(X.row[0], R.row[0]), dot(X.row[1], R.row[1]), dot(X.row[2], R.row[2]),
          dot(X.row[0], R.row[1]), dot(X.row[0], R.row[2]), dot(X.row[1], R.row[2])};
}
template <class T>
std::array<double, 1> turned(const PlaneRotation<T>&, const std::array<double, 1>& J) {
  return J;
}

inline Vec<double, 3> times(const std::array<double, 6>& J, const Vec<double, 3>& x) {
  return {{J[0] * x[0] + J[3] * x[1] + J[4] * x[2], J[3] * x[0] + J[1] * x[1] + J[5] * x[2],
           J[4] * x[0] + J[5] * x[1] + J[2] * x[2]}};
}
inline Vec<double, 1> times(const std::array<double, 1>& J, const Vec<double, 1>& x) {
  return {{J[0] * x[0]}};
}

// A rigid body that may consist of several: mass, first moment and inertia about an origin.
template <class Space>
struct Composite {
  double mass = 0.0;
  Vec<double, Space::dim> h;
  std::array<double, Space::inertia_numbers> J{};

  // Adds what is given about a point d farther on.
  void add(const Composite& b, const Vec<double, Space::dim>& d) {
    const Vec<double, Space::dim> at = b.h + b.mass * d;
    mass += b.mass;
    h += at;
    if constexpr (Space::dim == 2) {
      J[0] += b.J[0] + dot(b.h, d) + dot(at, d);
    } else {  // d x (h x .) + (h + m d) x (d x .), symmetric
      constexpr int index[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
      const double diagonal = dot(b.h, d) + dot(at, d);
      for (int i = 0; i < 6; ++i) {
        const auto [r, c] = index[i];
        J[i] += b.J[i] + (r == c ? diagonal : 0.0) - b.h[r] * d[c] - d[r] * at[c];
      }
    }
  }
};

template <class Space>
using DoubleScrew = Screw<Space, double>;

// Moves a wrench to a point that is d farther back.
template <class Space, class T>
Screw<Space, T> wrench_back(const Screw<Space, T>& w, const Vec<double, Space::dim>& d) {
  return {w.linear, w.angular + moment(d, w.linear)};
}
template <class Space, class T>
void add_wrench_back(Screw<Space, T>& to, const Screw<Space, T>& w,
                     const Vec<double, Space::dim>& d) {
  to.linear += w.linear;
  to.angular += w.angular + moment(d, w.linear);
}
// The motion of a point d farther on the same rigid body (velocities, or what is linear in v').
template <class Space, class T>
Screw<Space, T> motion_on(const Screw<Space, T>& m, const Vec<double, Space::dim>& d) {
  return {m.linear + cross(m.angular, d), m.angular};
}

// Column j of S of a serial joint, about the own origin. Link::axis is then, each counted as the
// joint counts it: of a cylindrical joint and a screw their axis twice, the slide as much as it
// moves; of a universal joint the second axis and the first one; of a planar one the first
// direction and the normal.
template <class Space>
DoubleScrew<Space> serial_column(JointKind kind, const Link<Space>& link, int j) {
  DoubleScrew<Space> s;
  if constexpr (Space::dim == 3) {
    const DoubleScrew<Space>& axis = link.axis;
    switch (kind) {
      case JointKind::cylindrical:
        (j == 0 ? s.angular : s.linear) = axis.angular;
        break;
      case JointKind::universal:
      case JointKind::universal_back:
        s.angular = j == 0 ? axis.angular : axis.linear;
        break;
      case JointKind::planar:
        if (j == 2) {
          s.angular = axis.angular;
        } else {
          s.linear = j == 0 ? axis.linear : cross(axis.angular, axis.linear);
        }
        break;
      default:  // a screw
        s = axis;
        break;
    }
  }
  return s;
}

// S^T W of a node, and S x.
template <class Space>
void project(const TreeNode& node, const Link<Space>& link, const DoubleScrew<Space>& w,
             double* tau) {
  switch (group_of(node.kind)) {
    case JointGroup::fixed:
      return;
    case JointGroup::one_axis:
      tau[0] = node.kind == JointKind::revolute ? dot(link.axis.angular, w.angular)
                                                : dot(link.axis.linear, w.linear);
      return;
    case JointGroup::spherical:
      if constexpr (Space::dim == 3) {
        const auto n = turn_back(link.R, w.angular);
        for (int i = 0; i < 3; ++i) tau[i] = n[i];
      }
      return;
    case JointGroup::serial:
      for (int j = 0; j < node.nv; ++j) {
        const DoubleScrew<Space> s = serial_column(node.kind, link, j);
        tau[j] = dot(s.linear, w.linear) + dot(s.angular, w.angular);
      }
      return;
    case JointGroup::free:
      for (int i = 0; i < Space::dim; ++i) tau[i] = w.linear[i];
      if (node.kind == JointKind::free_point) return;
      const auto n = turn_back(link.R, w.angular);
      for (int i = 0; i < Space::rot; ++i) tau[Space::dim + i] = n[i];
      return;
  }
}

template <class Space>
DoubleScrew<Space> joint_motion(const TreeNode& node, const Link<Space>& link, const double* x) {
  switch (group_of(node.kind)) {
    case JointGroup::fixed:
      return {};
    case JointGroup::one_axis:
      if (node.kind == JointKind::revolute) return {{}, x[0] * link.axis.angular};
      return {x[0] * link.axis.linear, {}};
    case JointGroup::spherical:
      if constexpr (Space::dim == 3) return SphericalJoint::rates(link.R, link.R, {}, x);
      break;
    case JointGroup::serial: {
      DoubleScrew<Space> sum;
      for (int j = 0; j < node.nv; ++j) {
        const DoubleScrew<Space> s = serial_column(node.kind, link, j);
        sum.linear += x[j] * s.linear;
        sum.angular += x[j] * s.angular;
      }
      return sum;
    }
    case JointGroup::free:
      if (node.kind == JointKind::free)
        return FreeJoint<Space>::template rates<double>(link.R, link.R, {}, x);
      return FreePointJoint<Space>::template rates<double>(link.R, link.R, {}, x);
  }
  return {};
}

}  // namespace mbs
