// Rows of outputs by p, v and v' of the bodies to rows by joint coordinates: against the way in
// which bodies follow the coordinates (joint_jacobian.cpp), from the leaves to the roots. What a
// change of a body's p, v and v' counts for, c, becomes what the sums of columns count for that
// have made it; those of all bodies behind a joint add up, and are paired with its columns.

#include <algorithm>

#include "engine/multibody/joint.hpp"

namespace mbs {
namespace {

// (a x b) . c = a . against(b, c), with twist_cross for x
template <class Space>
DoubleScrew<Space> against(const DoubleScrew<Space>& b, const DoubleScrew<Space>& c) {
  return {cross(b.angular, c.linear), moment(b.linear, c.linear) + cross(b.angular, c.angular)};
}

}  // namespace

template <class Space>
void JointEquations<Space>::prepare_rows(const Given& given, const State& x, Own& ws) const {
  JointColumns<Space>& columns = ws.columns;
  columns.force.resize(tree_.nodes.size());
  recursion(given, ws).accelerate(x.a.data(), true, ws.screws.data());
  columns.inertia.prepare(tree_, ws.links.data(), x.v.data(), x.a.data(), ws.screws.data(),
                          ws.wrenches.data(), columns.force.data(), {});
  prepare_turns(x, ws);
  columns.carried.resize(tree_.nodes.size());
}

// change_of() backwards. False: the body counts for nothing.
template <class Space>
bool JointEquations<Space>::carried_from_body(std::size_t node, const double* by_p,
                                              const double* by_v, const double* by_a,
                                              Own& ws) const {
  const int index = tree_.nodes[node].body;
  const BodyData& data = whole_.mechanism().bodies[static_cast<std::size_t>(index)];
  by_p += data.p, by_v += data.v, by_a += data.v;
  const auto nothing = [](const double* x, int count) {
    return std::all_of(x, x + count, [](double one) { return one == 0.0; });
  };
  if (nothing(by_p, size_p<Space>(data)) && nothing(by_v, size_v<Space>(data)) &&
      nothing(by_a, size_v<Space>(data)))
    return false;
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
  return true;
}

template <class Space>
void JointEquations<Space>::carry_row(const double* by_p, const double* by_v, const double* by_a,
                                      const OutputRow& to, Own& ws) const {
  auto& carried = ws.columns.carried;
  carried.assign(carried.size(), {});
  for (std::size_t k = tree_.nodes.size(); k-- > 0;) {
    auto& here = carried[k];
    if (carried_from_body(k, by_p, by_v, by_a, ws)) here.any = true;
    if (!here.any) continue;
    const TreeNode& node = tree_.nodes[k];
    for (int j = 0; j < node.nv; ++j) {
      const int v = node.v + j;
      const auto& column = ws.columns.inertia.column(v);
      const double moved = pair(here.by_S, column.S) + pair(here.by_first, column.psi_1) +
                           pair(here.by_second, column.psi_2);
      with_positions(ws, v, [&](int p, double factor) { to(layout_.col_p + p, factor * moved); });
      to(layout_.col_v + v, pair(here.by_first, column.S) + pair(here.by_second, column.xi));
      to(layout_.cols + v, pair(here.by_second, column.S));
    }
    if (node.father < 0) continue;
    auto& father = carried[static_cast<std::size_t>(node.father)];
    father.any = true;
    father.by_S = father.by_S + here.by_S;
    father.by_first = father.by_first + here.by_first;
    father.by_second = father.by_second + here.by_second;
  }
}

template class JointEquations<Planar>;
template class JointEquations<Spatial>;

}  // namespace mbs
