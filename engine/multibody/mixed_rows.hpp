#pragma once

// The rows of a joint of the tree over any scalar. With P fixed to the parent but for q,
//
//   v_P = v_near + omega x s + S_lin qd,   omega_P = omega + S_ang qd,   s = r_P - r_near
//
// a row (l, m) on P (l at its origin in inertial axes, m in P's axes) is to the parent's centre of
// mass r the pair l, R^T (R_P m + (r_P - r) x l), and to q  S_lin.l + S_ang.R_P m; its gamma
// gains what P accelerates by at v' = 0,
//
//   a_P = omega x (omega x (r_P - r)) + 2 omega x S_lin qd,   alpha_P = omega x S_ang qd + twist.

#include <numbers>

#include "engine/multibody/mixed.hpp"

namespace mbs {

// R(e) to R(e/|e|): then G = g_p Z holds for any norm here, too.
template <class T>
void normalise(PlaneRotation<T>&) {}
template <class T>
void normalise(Mat<T, 3>& R) {
  using std::sqrt;
  const T scale = 1.0 / sqrt(dot(R.row[0], R.row[0]));
  for (auto& row : R.row) row = scale * row;
}

template <class Space>
JointConstants MixedEquations<Space>::joint_constants(const LinkConstants<Space>* links,
                                                      const State& x, std::size_t k) const {
  const TreeNode& node = tree_.nodes[k];
  JointConstants constant{links[k].sign, 0.0, links[k].advance};
  if (Space::dim == 2 && node.turns >= 0) {
    constant.turn = (node.forward ? 2.0 : -2.0) * std::numbers::pi * x.z[node.turns];
  }
  return constant;
}

template <class Space>
template <class T>
typename MixedEquations<Space>::template Rows<T> MixedEquations<Space>::rows_of(
    const Evaluation<Space>& here, const LinkConstants<Space>* links, const State& x,
    const JointRows& joint, Seed seed) const {
  const TreeNode& node = tree_.nodes[static_cast<std::size_t>(joint.node)];
  const auto k = static_cast<std::size_t>(joint.node);
  const int parent = here.body_of(node.near), far = node.body;
  Rows<T> out;
  out.parent = here.template body<T>(parent, seed == Seed::parent ? parent : ground);
  BodyState<Space, T> body = here.template body<T>(far, seed == Seed::far ? far : ground);
  normalise(out.parent.R);
  normalise(body.R);
  const FrameMotion<Space, T> near = frame_motion(out.parent, here.frame(node.near));
  const JointConstants constant = joint_constants(links, x, k);
  std::array<T, Space::np> q{};
  std::array<T, Space::nv> qd{};
  for (int i = 0; i < node.np; ++i) {
    q[i] = T(x.p[joint.p + i]);
    if constexpr (!std::is_same_v<T, double>) {
      if (seed == Seed::joint) q[i] = T::variable(x.p[joint.p + i], i);
    }
  }
  for (int i = 0; i < node.nv; ++i) {
    qd[i] = T(x.v[joint.v + i]);
    if constexpr (!std::is_same_v<T, double>) {
      if (seed == Seed::joint) qd[i] = T::variable(x.v[joint.v + i], Space::np + i);
    }
  }
  Screw<Space, T> relative;
  Vec<T, Space::dim> s;
  Vec<T, Space::rot> twist;
  with_joint<Space>(node.kind, [&]<class Joint>(Joint) {
    out.R = Joint::template axes<T>(near.A, constant, q.data());
    s = Joint::template slide<T>(near.A, out.R, constant, q.data());
    relative = Joint::template rates<T>(near.A, out.R, constant, qd.data());
    for (int i = 0; i < node.nv; ++i) {
      std::array<T, Space::nv> unit{};
      unit[i] = T(1.0);
      out.S[i] = Joint::template rates<T>(near.A, out.R, constant, unit.data());
    }
    if constexpr (requires { Joint::template twist<T>(near.A, out.R, constant, qd.data()); }) {
      twist = Joint::template twist<T>(near.A, out.R, constant, qd.data());
    }
  });
  out.r = near.r + s;
  const auto& w = near.omega;
  BodyState<Space, T> P;
  P.r = out.r;
  P.R = out.R;
  P.v = near.v + cross(w, s) + relative.linear;
  P.omega = turn_back(out.R, w + relative.angular);
  const Vec<T, Space::dim> arm = out.r - out.parent.r;
  const Vec<T, Space::dim> a = cross(w, cross(w, arm)) + 2.0 * cross(w, relative.linear);
  const Vec<T, Space::rot> alpha = turn_back(out.R, cross(w, relative.angular) + twist);

  const FrameConstants<Space> on_P, on_far = here.frame(node.far);
  const Side<Space, T> side_P{P, on_P}, side_far{body, on_far};
  coincide(side_P, side_far, out.row.data());
  if constexpr (Space::dim == 2) {
    if (joint.rows > 2) out.row[2] = angle(side_P, side_far, 0.0);
  } else {
    for (int i = 0; joint.rows > 3 && i < 3; ++i) {
      out.row[3 + i] = perpendicular(side_P, side_far, i, (i + 1) % 3);
    }
  }
  for (int i = 0; i < joint.rows; ++i) {
    out.row[i].second += dot(out.row[i].linear_a, a) + dot(out.row[i].angular_a, alpha);
  }
  return out;
}

template <class Space>
template <class T, class Function>
void MixedEquations<Space>::for_entries(const JointRows& joint, const Rows<T>& rows, int k,
                                        const Function& use) const {
  const TreeNode& node = tree_.nodes[static_cast<std::size_t>(joint.node)];
  const Mechanism<Space>& m = cut_.mechanism();
  const Row<Space, T>& row = rows.row[k];
  const int parent = m.frames[node.near].body;
  const Vec<T, Space::rot> torque = turn(rows.R, row.angular_a);
  if (parent != ground) {
    const BodyData& data = m.bodies[parent];
    for (int i = 0; i < Space::dim; ++i) use(data.v + i, row.linear_a[i]);
    if (data.rotates) {
      const Vec<T, Space::rot> moved =
          turn_back(rows.parent.R, torque + moment(rows.r - rows.parent.r, row.linear_a));
      for (int i = 0; i < Space::rot; ++i) use(data.v + Space::dim + i, moved[i]);
    }
  }
  const BodyData& data = m.bodies[node.body];
  for (int i = 0; i < Space::dim; ++i) use(data.v + i, row.linear_b[i]);
  for (int i = 0; data.rotates && i < Space::rot; ++i) {
    use(data.v + Space::dim + i, row.angular_b[i]);
  }
  for (int i = 0; i < node.nv; ++i) {
    use(joint.v + i, dot(rows.S[i].linear, row.linear_a) + dot(rows.S[i].angular, torque));
  }
}

}  // namespace mbs
