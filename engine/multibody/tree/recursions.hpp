#pragma once

// Recursions along a tree, each in one pass over its nodes (parents first) or back.

#include <span>

#include "engine/multibody/tree/links.hpp"

namespace mbs {

// The constants of all links from the mechanism's derived numbers.
template <class Space>
void derive_links(const Mechanism<Space>& mechanism, const Tree<Space>& tree, const double* derived,
                  std::span<LinkConstants<Space>> links);

template <class Space>
struct Recursion {
  const Tree<Space>& tree;
  const LinkConstants<Space>* constants;
  Link<Space>* links;

  // Origins, axes, inertias from p (and from z the whole turns in the plane).
  void place(const double* p, const double* z) const;
  // Velocities, and accelerations at v' = 0.
  void move(const double* v) const;

  // Accelerations S x alone, or with those at v' = 0.
  void accelerate(const double* x, bool with_bias, DoubleScrew<Space>* a) const;
  // tau = S^T of the wrenches on all bodies behind each joint; wrenches are summed up in place.
  void gather(DoubleScrew<Space>* wrench, double* tau) const;
  // The wrench that an acceleration needs, without that of the angular velocity.
  DoubleScrew<Space> inertial(std::size_t node, const DoubleScrew<Space>& a) const {
    const Link<Space>& link = links[node];
    const double m = link.mass;
    return {m * (a.linear + cross(a.angular, link.c)),
            times(link.J, a.angular) + m * moment(link.c, a.linear)};
  }
  // The wrench that the angular velocity needs.
  DoubleScrew<Space> gyroscopic(std::size_t node) const {
    const Link<Space>& link = links[node];
    const auto& w = link.motion.angular;
    DoubleScrew<Space> g;
    g.linear = link.mass * cross(w, cross(w, link.c));
    if constexpr (Space::dim == 3) g.angular = cross(w, times(link.J, w));
    return g;
  }
  // M x; `work` has a screw for each node.
  void apply_M(const double* x, double* Mx, DoubleScrew<Space>* work) const;
};

// All that hangs on each joint, about its origin.
template <class Space>
void compose_bodies(const Tree<Space>& tree, const Link<Space>* links, Composite<Space>* sums);

// M_ij = S_i^T I_j S_j, I_j what hangs on joint j, for i from j to the ground: add(row, column, x)
// of both triangles, always in the same order.
template <class Space, class Add>
void for_mass_entries(const Tree<Space>& tree, const Link<Space>* links, Composite<Space>* sums,
                      const Add& add) {
  compose_bodies(tree, links, sums);
  std::array<double, Space::nv> unit{}, tau;
  for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
    const TreeNode& node = tree.nodes[k];
    for (int j = 0; j < node.nv; ++j) {
      unit[j] = 1.0;
      const DoubleScrew<Space> s = joint_motion(node, links[k], unit.data());
      unit[j] = 0.0;
      DoubleScrew<Space> w{sums[k].mass * s.linear + cross(s.angular, sums[k].h),
                           times(sums[k].J, s.angular) + moment(sums[k].h, s.linear)};
      const int column = node.v + j;
      for (int i = static_cast<int>(k); i >= 0; i = tree.nodes[i].parent) {
        project(tree.nodes[i], links[i], w, tau.data());
        for (int d = 0; d < tree.nodes[i].nv; ++d) {
          const int row = tree.nodes[i].v + d;
          if (row > column) continue;  // of the same joint
          add(row, column, tau[d]);
          if (row != column) add(column, row, tau[d]);
        }
        w = wrench_back<Space>(w, links[i].d);
      }
    }
  }
}

extern template struct Recursion<Planar>;
extern template struct Recursion<Spatial>;

}  // namespace mbs
