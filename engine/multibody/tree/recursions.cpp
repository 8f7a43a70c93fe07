#include "engine/multibody/tree/recursions.hpp"

#include <numbers>

namespace mbs {

namespace {

template <class Space>
const Link<Space>& ground_link() {
  static const Link<Space> ground_;
  return ground_;
}

// The axes of a serial joint in the form that serial_column reads.
DoubleScrew<Spatial> serial_axis(JointKind kind, const Mat<double, 3>& A, const Mat<double, 3>& R,
                                 const JointConstants& c) {
  switch (kind) {
    case JointKind::universal:
      return {c.sign * R.column(0), c.sign * A.column(2)};
    case JointKind::universal_back:
      return {c.sign * R.column(2), c.sign * A.column(0)};
    case JointKind::planar:
      return {A.column(0), A.column(2)};
    case JointKind::screw:
      return {(c.sign * c.advance) * A.column(2), c.sign * A.column(2)};
    default:
      return {{}, c.sign * A.column(2)};
  }
}

// The angular acceleration S' v, as seen from the parent. Only a joint with two turns has one.
template <class Space>
Vec<double, Space::rot> twist(const TreeNode& node, const Link<Space>& link, const double* v) {
  if constexpr (Space::dim == 3) {
    if (node.kind == JointKind::universal || node.kind == JointKind::universal_back) {
      return (v[0] * v[1]) * cross(link.axis.angular, link.axis.linear);
    }
  }
  return {};
}

}  // namespace

template <class Space>
void derive_links(const Mechanism<Space>& m, const Tree<Space>& tree, const double* derived,
                  std::span<LinkConstants<Space>> links) {
  for (std::size_t k = 0; k < links.size(); ++k) {
    const TreeNode& node = tree.nodes[k];
    const BodyData& body = m.bodies[node.body];
    LinkConstants<Space>& link = links[k];
    link = {};
    if (node.far >= 0) link.own = m.frame(derived, node.far);
    if (!body.rotates) link.own = {};
    const auto to_own = inverse(link.own.R);
    link.c = -turn(to_own, link.own.s);
    link.mass = derived[body.mass];
    if (body.rotates) {
      for (int i = 0; i < Space::inertia_numbers; ++i) link.J[i] = derived[body.inertia + i];
      link.J = turned(to_own, link.J);
      const double square = dot(link.c, link.c);
      if constexpr (Space::dim == 2) {
        link.J[0] += link.mass * square;
      } else {
        constexpr int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
        for (int i = 0; i < 6; ++i) {
          const auto [r, c] = at[i];
          link.J[i] += link.mass * ((r == c ? square : 0.0) - link.c[r] * link.c[c]);
        }
      }
    }
    link.sign = node.sign == absent || derived[node.sign] > 0.0 ? 1.0 : -1.0;
    if (!node.forward) link.sign = -link.sign;
    if (node.pitch != absent) link.advance = derived[node.pitch] / (2.0 * std::numbers::pi);
    if (node.near >= 0) {
      const FrameConstants<Space> near = m.frame(derived, node.near);
      FrameConstants<Space> parent;  // its own frame in its body's axes
      if (node.parent >= 0) parent = links[static_cast<std::size_t>(node.parent)].own;
      const auto back = inverse(parent.R);
      link.d = turn(back, near.s - parent.s);
      link.K = compose(back, near.R);
    }
  }
}

template <class Space>
void Recursion<Space>::place(const double* p, const double* z) const {
  for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
    const TreeNode& node = tree.nodes[k];
    const LinkConstants<Space>& c = constants[k];
    Link<Space>& link = links[k];
    const Link<Space>& parent = node.parent < 0 ? ground_link<Space>() : links[node.parent];
    JointConstants joint{c.sign, 0.0, c.advance};
    if (Space::dim == 2 && node.turns >= 0) {
      joint.turn = (node.forward ? 2.0 : -2.0) * std::numbers::pi * z[node.turns];
    }
    with_joint<Space>(node.kind, [&]<class Joint>(Joint) {
      const auto A = compose(parent.R, c.K);
      link.R = Joint::template axes<double>(A, joint, p + node.p);
      link.d = turn(parent.R, c.d) + Joint::template slide<double>(A, link.R, joint, p + node.p);
      if constexpr (std::is_same_v<Joint, RevoluteJoint<Space>>) {
        link.axis.angular = Joint::template axis<double>(link.R, joint);
      } else if constexpr (std::is_same_v<Joint, PrismaticJoint<Space>>) {
        link.axis.linear = Joint::template axis<double>(link.R, joint);
      } else if constexpr (Space::dim == 3) {
        if (is_serial(node.kind)) link.axis = serial_axis(node.kind, A, link.R, joint);
      }
    });
    link.r = parent.r + link.d;
    link.c = turn(link.R, c.c);
    link.J = turned(link.R, c.J);
    link.mass = c.mass;
  }
}

template <class Space>
void Recursion<Space>::move(const double* v) const {
  for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
    const TreeNode& node = tree.nodes[k];
    Link<Space>& link = links[k];
    const DoubleScrew<Space> own = joint_motion(node, link, v + node.v);
    if (node.parent < 0) {
      link.motion = own;
      link.bias = {{}, twist<Space>(node, link, v + node.v)};
      continue;
    }
    const Link<Space>& parent = links[node.parent];
    const auto& w = parent.motion.angular;
    const auto w_x_d = cross(w, link.d);
    link.motion.linear = parent.motion.linear + w_x_d + own.linear;
    link.motion.angular = w + own.angular;
    link.bias.linear = parent.bias.linear + cross(parent.bias.angular, link.d) +
                       cross(w, w_x_d + 2.0 * own.linear);
    link.bias.angular =
        parent.bias.angular + cross(w, own.angular) + twist<Space>(node, link, v + node.v);
  }
}

template <class Space>
void Recursion<Space>::accelerate(const double* x, bool with_bias, DoubleScrew<Space>* a) const {
  for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
    const TreeNode& node = tree.nodes[k];
    a[k] = joint_motion(node, links[k], x + node.v);
    if (node.parent >= 0) {
      const DoubleScrew<Space> parent = motion_on<Space>(a[node.parent], links[k].d);
      a[k].linear += parent.linear;
      a[k].angular += parent.angular;
    }
  }
  if (!with_bias) return;
  for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
    a[k].linear += links[k].bias.linear;
    a[k].angular += links[k].bias.angular;
  }
}

template <class Space>
void Recursion<Space>::gather(DoubleScrew<Space>* wrench, double* tau) const {
  for (std::size_t k = tree.nodes.size(); k-- > 0;) {
    const TreeNode& node = tree.nodes[k];
    project(node, links[k], wrench[k], tau + node.v);
    if (node.parent >= 0) add_wrench_back<Space>(wrench[node.parent], wrench[k], links[k].d);
  }
}

template <class Space>
void Recursion<Space>::apply_M(const double* x, double* Mx, DoubleScrew<Space>* work) const {
  accelerate(x, false, work);
  for (std::size_t k = 0; k < tree.nodes.size(); ++k) work[k] = inertial(k, work[k]);
  gather(work, Mx);
}

template <class Space>
void compose_bodies(const Tree<Space>& tree, const Link<Space>* links, Composite<Space>* sums) {
  for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
    sums[k] = {links[k].mass, links[k].mass * links[k].c, links[k].J};
  }
  for (std::size_t k = tree.nodes.size(); k-- > 0;) {
    const int parent = tree.nodes[k].parent;
    if (parent >= 0) sums[parent].add(sums[k], links[k].d);
  }
}

template void derive_links(const Mechanism<Planar>&, const Tree<Planar>&, const double*,
                           std::span<LinkConstants<Planar>>);
template void derive_links(const Mechanism<Spatial>&, const Tree<Spatial>&, const double*,
                           std::span<LinkConstants<Spatial>>);
template void compose_bodies(const Tree<Planar>&, const Link<Planar>*, Composite<Planar>*);
template void compose_bodies(const Tree<Spatial>&, const Link<Spatial>*, Composite<Spatial>*);
template struct Recursion<Planar>;
template struct Recursion<Spatial>;

}  // namespace mbs
