#include "engine/multibody/tree/derivatives.hpp"

namespace mbs {

namespace {

template <class Space>
DoubleScrew<Space> operator-(const DoubleScrew<Space>& a, const DoubleScrew<Space>& b) {
  return {a.linear - b.linear, a.angular - b.angular};
}

// The vectors of a rigid body with the twist (V, omega), h = m c and J about its origin, which is
// `arm` from the point that stands still. With E = sum m x x^T = tr(J)/2 - J about the origin,
//
//   sum m x' x^T = (m V + omega x h) arm^T + V h^T + ~omega E,  and the last has no trace.
Stirred<Spatial> stirred(const Link<Spatial>& link, const Vec<double, 3>& arm) {
  const Vec<double, 3>&V = link.motion.linear, &w = link.motion.angular;
  const Vec<double, 3> h = link.mass * link.c;
  Stirred<Spatial> s;
  s.P = 2.0 * (link.mass * V + cross(w, h));
  const Vec<double, 3> V_2 = 2.0 * V;
  const std::array<double, 6>& J = link.J;
  const double half = J[0] + J[1] + J[2];  // twice half the trace
  const Vec<double, 3> E[3] = {{{half - 2.0 * J[0], -2.0 * J[3], -2.0 * J[4]}},
                               {{-2.0 * J[3], half - 2.0 * J[1], -2.0 * J[5]}},
                               {{-2.0 * J[4], -2.0 * J[5], half - 2.0 * J[2]}}};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) s.N(i, j) = -s.P[i] * arm[j] - V_2[i] * h[j];
  }
  const double trace = dot(s.P, arm) + dot(V_2, h);
  for (int j = 0; j < 3; ++j) {
    const Vec<double, 3> column = cross(w, E[j]);
    for (int i = 0; i < 3; ++i) s.N(i, j) -= column[i];
    s.N(j, j) += trace;
  }
  return s;
}

Stirred<Planar> stirred(const Link<Planar>& link, const Vec<double, 2>& arm) {
  const Vec<double, 2>& V = link.motion.linear;
  const Vec<double, 2> h = link.mass * link.c;
  Stirred<Planar> s;
  s.P = 2.0 * (link.mass * V + cross(link.motion.angular, h));
  s.N(0, 0) = dot(s.P, arm) + 2.0 * dot(V, h);
  return s;
}

// The vector of one force at a point.
template <class Space>
Stirred<Space> stirred(const Vec<double, Space::dim>& force, const Vec<double, Space::dim>& at) {
  Stirred<Space> s;
  s.P = force;
  if constexpr (Space::dim == 2) {
    s.N(0, 0) = dot(force, at);
  } else {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) s.N(i, j) = -force[i] * at[j];
      s.N(i, i) += dot(force, at);
    }
  }
  return s;
}

template <class Space>
DoubleScrew<Space> times(const Composite<Space>& I, const DoubleScrew<Space>& s) {
  return {I.mass * s.linear + cross(s.angular, I.h), times(I.J, s.angular) + moment(I.h, s.linear)};
}

}  // namespace

template <class Space>
void TreeDerivatives<Space>::column_of(const TreeNode& node, const Link<Space>& link, int j,
                                       const double* u, const double* du,
                                       const DoubleScrew<Space>& gravity, const Body* parent,
                                       const Body& body) {
  Column& column = columns_[static_cast<std::size_t>(node.v + j)];
  std::array<double, Space::nv> unit{};
  unit[j] = 1.0;
  column.S = motion_on<Space>(joint_motion(node, link, unit.data()), -body.arm);
  DoubleScrew<Space> b, b_dot = gravity;
  if (parent != nullptr) b = parent->v, b_dot = parent->a;
  const int still = node.nv > 1 ? standing<Space>(node.kind, j) : 0;
  for (int l = 0; l < still; ++l) {
    const DoubleScrew<Space>& S = columns_[static_cast<std::size_t>(node.v + l)].S;
    const DoubleScrew<Space> turned = twist_cross<Space>(b, S);
    b_dot.linear += du[node.v + l] * S.linear + u[node.v + l] * turned.linear;
    b_dot.angular += du[node.v + l] * S.angular + u[node.v + l] * turned.angular;
    b.linear += u[node.v + l] * S.linear;
    b.angular += u[node.v + l] * S.angular;
  }
  column.psi_1 = twist_cross<Space>(b, column.S);
  column.psi_2 = twist_cross<Space>(b, column.psi_1) + twist_cross<Space>(b_dot, column.S);
  const bool by_euler_parameters = node.np > node.nv && j >= node.nv - Space::rot;
  column.xi =
      column.psi_1 + (by_euler_parameters ? twist_cross<Space>(body.v, column.S) : column.psi_1);
}

template <class Space>
void TreeDerivatives<Space>::go_outwards(const Tree<Space>& tree, const Link<Space>* links,
                                         const double* u, const double* du,
                                         const DoubleScrew<Space>* a, const DoubleScrew<Space>* f,
                                         const Vec<double, Space::dim>* forces,
                                         const Vec<double, Space::dim>& gravity) {
  bodies_.resize(tree.nodes.size());
  columns_.resize(static_cast<std::size_t>(tree.nv));
  with_forces_ = forces != nullptr;
  DoubleScrew<Space> up;
  if (!with_forces_) up.linear -= gravity;
  for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
    const TreeNode& node = tree.nodes[k];
    const Link<Space>& link = links[k];
    const Body* parent =
        node.parent < 0 ? nullptr : &bodies_[static_cast<std::size_t>(node.parent)];
    Body& body = bodies_[k];
    body.arm = parent == nullptr ? Vec<double, Space::dim>{} : parent->arm + link.d;
    const auto& w = link.motion.angular;
    body.v = {link.motion.linear - cross(w, body.arm), w};
    body.a = {
        a[k].linear + up.linear - cross(a[k].angular, body.arm) - cross(w, link.motion.linear),
        a[k].angular};
    body.f = wrench_back<Space>(f[k], body.arm);
    body.I = {};
    body.I.add({link.mass, link.mass * link.c, link.J}, body.arm);
    body.B = stirred(link, body.arm);
    if (with_forces_) body.D = stirred<Space>(forces[k], body.arm + link.c);
    for (int j = 0; j < node.nv; ++j) column_of(node, link, j, u, du, up, parent, body);
  }
}

template <class Space>
void TreeDerivatives<Space>::go_inwards(const Tree<Space>& tree,
                                        const Impedance<Space>* impedances) {
  with_impedances_ = impedances != nullptr;
  if (with_impedances_) impedances_.assign(impedances, impedances + tree.nodes.size());
  for (std::size_t k = tree.nodes.size(); k-- > 0;) {
    const TreeNode& node = tree.nodes[k];
    const Body& body = bodies_[k];
    for (int j = node.v; j < node.v + node.nv; ++j) {
      Column& column = columns_[static_cast<std::size_t>(j)];
      const DoubleScrew<Space>& S = column.S;
      column.IS = times<Space>(body.I, S);
      column.B = body.B.transposed(S);
      column.of_v = times<Space>(body.I, column.xi) + body.B * S.angular;
      column.of_q = times<Space>(body.I, column.psi_2) + body.B * column.psi_1.angular;
      column.of_q.linear += cross(S.angular, body.f.linear);
      column.of_q.angular += cross(S.angular, body.f.angular) + moment(S.linear, body.f.linear);
      if (with_forces_) {
        column.D = body.D.transposed(S);
        column.of_q = column.of_q + body.D * S.angular;
      }
      if (!with_impedances_) continue;
      const auto& [K, C] = impedances_[k];
      using Own = Impedance<Space>;
      column.K = Own::transposed_times(K, S);
      column.C = Own::transposed_times(C, S);
      column.of_q = column.of_q - Own::times(K, S) - Own::times(C, column.psi_1);
      column.of_v = column.of_v - Own::times(C, S);
    }
    if (node.parent < 0) continue;
    Body& parent = bodies_[static_cast<std::size_t>(node.parent)];
    parent.f = parent.f + body.f;
    parent.I.mass += body.I.mass;
    parent.I.h += body.I.h;
    for (int i = 0; i < Space::inertia_numbers; ++i) parent.I.J[i] += body.I.J[i];
    parent.B.add(body.B);
    if (with_forces_) parent.D.add(body.D);
    if (with_impedances_) impedances_[static_cast<std::size_t>(node.parent)].add(impedances_[k]);
  }
}

template class TreeDerivatives<Planar>;
template class TreeDerivatives<Spatial>;

}  // namespace mbs
