// Rows of outputs by p, v and v' of the bodies to rows by joint coordinates: against the way in
// which bodies follow the coordinates (joint_jacobian.cpp), from the leaves to the roots. What a
// change of a body's p, v and v' counts for, c, becomes what the sums of columns count for that
// have made it; those of all bodies behind a joint add up, and are paired with its columns.

#include <algorithm>

#include "engine/multibody/joint_jacobian.hpp"

namespace mbs {
namespace {

// (a x b) . c = a . against(b, c), with twist_cross for x
template <class Space>
DoubleScrew<Space> against(const DoubleScrew<Space>& b, const DoubleScrew<Space>& c) {
  return {cross(b.angular, c.linear), moment(b.linear, c.linear) + cross(b.angular, c.angular)};
}

}  // namespace

// Columns and bodies stand as fill() has left them. Gravity may be in their accelerations there
// and has no part in what a body does: b' x S of psi'' takes in what S x a adds.
// change_of() backwards, added to what is carried: how much of that there is.
template <class Space>
typename JointColumns<Space>::Order JointJacobian<Space>::carried_from_body(
    std::size_t node, const double* by_p, const double* by_v, const double* by_a, Own& ws) const {
  const int index = tree_.nodes[node].body;
  const BodyData& data = elements_.mechanism().bodies[static_cast<std::size_t>(index)];
  by_p += data.p, by_v += data.v, by_a += data.v;
  const auto nothing = [](const double* x, int count) {
    return std::all_of(x, x + count, [](double one) { return one == 0.0; });
  };
  using Order = typename JointColumns<Space>::Order;
  const Order order = !nothing(by_a, size_v<Space>(data))   ? Order::second
                      : !nothing(by_v, size_v<Space>(data)) ? Order::first
                      : !nothing(by_p, size_p<Space>(data)) ? Order::position
                                                            : Order::nothing;
  if (order == Order::nothing) return order;
  Vec<double, Space::dim> c_r, c_v, c_a;
  Vec<double, Space::rot> c_theta, c_omega, c_alpha;
  for (int i = 0; i < Space::dim; ++i) {
    c_r[i] = by_p[i];
    c_v[i] = by_v[i];
    c_a[i] = by_a[i];
  }
  if (data.rotates) {
    if constexpr (Space::dim == 2) {
      c_theta[0] = by_p[2];
    } else {
      const double* e = &ws.whole_state.p[data.p + 3];
      for (int j = 0; j < 3; ++j) {
        std::array<double, 3> unit{};
        unit[j] = 1.0;
        std::array<double, 4> de;
        euler_rates(e, unit.data(), de.data());
        for (int i = 0; i < 4; ++i) c_theta[j] += de[i] * by_p[3 + i];
      }
    }
    for (int i = 0; i < Space::rot; ++i) {
      c_omega[i] = by_v[Space::dim + i];
      c_alpha[i] = by_a[Space::dim + i];
    }
    const auto& R = ws.cut().bodies[static_cast<std::size_t>(1 + index)].R;
    c_theta = turn(R, c_theta);
    c_omega = turn(R, c_omega);
    c_alpha = turn(R, c_alpha);
  }
  const auto& body = ws.columns.inertia.body(node);
  const Vec<double, Space::dim> x = body.arm + ws.links[node].c;
  const auto &omega = body.v.angular, &alpha = body.a.angular;
  const auto x_dot = body.v.linear + cross(omega, x);
  c_v -= cross(omega, c_a);
  c_r -= cross(alpha, c_a) + cross(omega, c_v);
  const DoubleScrew<Space> da{c_a, moment(x, c_a) + c_alpha};
  const DoubleScrew<Space> dv{c_v, moment(x, c_v) + moment(x_dot, c_a) + c_omega};
  const DoubleScrew<Space> S{
      c_r, moment(x, c_r) + c_theta - cross(omega, c_omega) - cross(alpha, c_alpha)};
  auto& carried = ws.columns.carried[node];
  carried.by_second = carried.by_second + da;
  carried.by_first = carried.by_first + (dv + against<Space>(body.v, da));
  carried.by_S = carried.by_S + (S + (against<Space>(body.v, dv) + against<Space>(body.a, da)));
  return order;
}

template <class Space>
void JointJacobian<Space>::carry_row(const double* by_p, const double* by_v, const double* by_a,
                                     const OutputRow& to, Own& ws) const {
  using Order = typename JointColumns<Space>::Order;
  auto& carried = ws.columns.carried;
  carried.assign(tree_.nodes.size(), {});
  for (std::size_t k = tree_.nodes.size(); k-- > 0;) {
    auto& here = carried[k];
    here.order = std::max(here.order, carried_from_body(k, by_p, by_v, by_a, ws));
    if (here.order == Order::nothing) continue;
    const bool of_v = here.order >= Order::first, of_a = here.order == Order::second;
    const TreeNode& node = tree_.nodes[k];
    for (int j = 0; j < node.nv; ++j) {
      const int v = node.v + j;
      const auto& column = ws.columns.inertia.column(v);
      double moved = pair(here.by_S, column.S);
      if (of_v) {
        moved += pair(here.by_first, column.psi_1);
        double turned = pair(here.by_first, column.S);
        if (of_a) {
          moved += pair(here.by_second, column.psi_2);
          turned += pair(here.by_second, column.xi);
          to(layout_.cols + v, pair(here.by_second, column.S));
        }
        to(layout_.col_v + v, turned);
      }
      with_positions(ws, v, [&](int p, double factor) { to(layout_.col_p + p, factor * moved); });
    }
    if (node.parent < 0) continue;
    auto& parent = carried[static_cast<std::size_t>(node.parent)];
    parent.order = std::max(parent.order, here.order);
    parent.by_S = parent.by_S + here.by_S;
    if (of_v) parent.by_first = parent.by_first + here.by_first;
    if (of_a) parent.by_second = parent.by_second + here.by_second;
  }
}

template class JointJacobian<Planar>;
template class JointJacobian<Spatial>;

}  // namespace mbs
