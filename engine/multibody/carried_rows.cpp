// Rows over the bodies' velocities, carried to the coordinates of the tree.

#include "engine/multibody/carried_rows.hpp"

#include <algorithm>
#include <utility>

#include "engine/multibody/further_rows.hpp"

namespace mbs {

// use(column, S^T W) for all coordinates from a node to the ground.
template <class Space>
template <class Function>
void CarriedRows<Space>::to_ground(const Own& ws, int k, DoubleScrew<Space> w,
                                   const Function& use) const {
  std::array<double, Space::nv> tau;
  for (; k >= 0; k = tree_.nodes[k].parent) {
    const TreeNode& node = tree_.nodes[k];
    project(node, ws.links[k], w, tau.data());
    for (int i = 0; i < node.nv; ++i) use(node.v + i, tau[i]);
    w = wrench_back<Space>(w, ws.links[k].d);
  }
}

// A wrench that acts on a body's coordinates (linear inertial, angular in body axes), at its link.
template <class Space>
DoubleScrew<Space> CarriedRows<Space>::at_own_frame(const Own& ws, int node,
                                                    const Vec<double, Space::dim>& linear,
                                                    const Vec<double, Space::rot>& angular) const {
  const int body = tree_.nodes[node].body;
  const auto& bodies = ws.cut_owned->bodies;
  DoubleScrew<Space> w{linear, {}};
  if (m_.bodies[body].rotates) w.angular = turn(bodies[1 + body].R, angular);
  w.angular += moment(ws.links[node].c, linear);
  return w;
}

// A row of two bodies to where their paths meet: nearer to the ground both move alike, and what
// does not change by that has no entries there; coinciding points have, when they are apart.
template <class Space>
void CarriedRows<Space>::carry(const Own& ws, int number, DoubleScrew<Space> at_a, int a,
                               DoubleScrew<Space> at_b, int b, bool further, Fill& fill) const {
  std::array<double, Space::nv> tau;
  const auto step = [&](int& k, DoubleScrew<Space>& w) {
    const TreeNode& node = tree_.nodes[k];
    project(node, ws.links[k], w, tau.data());
    for (int i = 0; i < node.nv; ++i) fill.add(number, node.v + i, tau[i]);
    w = wrench_back<Space>(w, ws.links[k].d);
    k = node.parent;
  };
  while (a != b) {
    const bool move_a = b < 0 || (a >= 0 && tree_.nodes[a].depth >= tree_.nodes[b].depth);
    move_a ? step(a, at_a) : step(b, at_b);
  }
  if (!further || a < 0) return;
  at_a.linear += at_b.linear;
  at_a.angular += at_b.angular;
  while (a >= 0) step(a, at_a);
}

template <class Space>
void CarriedRows<Space>::fill_G(const Evaluation<Space>& here, const Own& ws, Fill& fill) const {
  const auto visit = [&](bool further) {
    return [&, further](const Row<Space, double>& row, int number, int a, int b) {
      DoubleScrew<Space> at_a, at_b;
      const int node_a = a == ground ? -1 : tree_.node_of[static_cast<std::size_t>(a)];
      const int node_b = b == ground ? -1 : tree_.node_of[static_cast<std::size_t>(b)];
      if (node_a >= 0) at_a = at_own_frame(ws, node_a, row.linear_a, row.angular_a);
      if (node_b >= 0) at_b = at_own_frame(ws, node_b, row.linear_b, row.angular_b);
      carry(ws, number, at_a, node_a, at_b, node_b, further, fill);
    };
  };
  const auto list = [&](const auto& constraints) {
    using Type = typename std::decay_t<decltype(constraints)>::value_type;
    const auto use = visit(std::is_same_v<Type, Coincide<Space>>);
    for (const auto& c : constraints) {
      std::array<Row<Space, double>, Type::rows> rows;
      on_sides<double>(here, c.a, c.b, ground,
                       [&](const auto& a, const auto& b) { c.evaluate(here, a, b, rows.data()); });
      for (std::size_t k = 0; k < rows.size(); ++k) {
        use(rows[k], c.row + static_cast<int>(k), here.body_of(c.a), here.body_of(c.b));
      }
    }
  };
  fill.prune(true);
  std::apply([&](const auto&... lists) { (list(lists), ...); }, here.mechanism.constraints);
  fill.prune(false);
  for_lasting_rows(here, [&](const auto& row, int number, int a, int b, bool) {
    visit(false)(row, number, a, b);
  });
  // Sliding of balls that do not touch changes by a common turn.
  for_contact_rows(here, [&](const auto& row, int number, int a, int b, bool) {
    visit(true)(row, number, a, b);
  });
}

// Carries forces on the bodies' velocities, given by rows or columns, along the tree to the ground:
// one wrench on each body.
template <class Space>
template <class Sparse, class Entry>
void CarriedRows<Space>::carry_wrenches(const Sparse& wrenches, const Own& ws,
                                        const Entry& entry) const {
  for (int i = 0; i < wrenches.outerSize(); ++i) {
    for (typename Sparse::InnerIterator e(wrenches, i); e;) {
      const int k = node_of_column(static_cast<int>(e.index()));
      const BodyData& data = m_.bodies[tree_.nodes[k].body];
      const int end = data.v + size_v<Space>(data);
      Vec<double, Space::dim> linear;
      Vec<double, Space::rot> angular;
      for (; e && e.index() < end; ++e) {
        const int at = static_cast<int>(e.index()) - data.v;
        (at < Space::dim ? linear[at] : angular[at - Space::dim]) = e.value();
      }
      to_ground(ws, k, at_own_frame(ws, k, linear, angular),
                [&](int column, double x) { entry(i, column) += x; });
    }
  }
}

template <class Space>
void CarriedRows<Space>::rows(const RowSparse& rows, const Own& ws, RowSparse& carried) const {
  carried.coeffs().setZero();
  carry_wrenches(rows, ws, [&](int i, int j) -> double& { return carried.coeffRef(i, j); });
}

// F = T^T F_abs, column by column.
template <class Space>
void CarriedRows<Space>::columns(const ColumnSparse& F, const Own& ws,
                                 ColumnSparse& carried) const {
  carried.coeffs().setZero();
  carry_wrenches(F, ws, [&](int j, int i) -> double& { return carried.coeffRef(i, j); });
}

template <class Space>
RowSparse CarriedRows<Space>::pattern(const RowSparse& rows) const {
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < rows.outerSize(); ++i) {
    std::vector<char> seen(static_cast<std::size_t>(tree_.nv), 0);
    for (RowSparse::InnerIterator e(rows, i); e; ++e) {
      for (int k = node_of_column(static_cast<int>(e.col())); k >= 0; k = tree_.nodes[k].parent) {
        const TreeNode& node = tree_.nodes[k];
        for (int j = node.v; j < node.v + node.nv; ++j) {
          if (!std::exchange(seen[static_cast<std::size_t>(j)], 1)) entries.emplace_back(i, j, 0.0);
        }
      }
    }
  }
  RowSparse pattern(rows.rows(), tree_.nv);
  pattern.setFromTriplets(entries.begin(), entries.end());
  return pattern;
}

template <class Space>
int CarriedRows<Space>::node_of_column(int column) const {
  const auto& bodies = m_.bodies;
  const auto after = std::upper_bound(bodies.begin(), bodies.end(), column,
                                      [](int v, const BodyData& body) { return v < body.v; });
  return tree_.node_of[static_cast<std::size_t>(after - bodies.begin() - 1)];
}

template class CarriedRows<Planar>;
template class CarriedRows<Spatial>;

}  // namespace mbs
