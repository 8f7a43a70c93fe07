// The Jacobian of the residuals, exact. What the bodies do is differentiated along the tree, entry
// by entry (tree/derivatives.hpp). Where elements or closures depend on the bodies' motion, what
// they add is found column by column, each in O(n): a change of a coordinate moves what hangs on
// the joint as one rigid body; what that does to forces and closures are the sparse blocks of
// absolute coordinates (ElementEvaluator::jacobian); what comes of it is gathered along the tree.
//
// Let a body have its centre of mass at x, the twist (v, omega) and the acceleration (a, alpha),
// all from the point of tree/derivatives.hpp. A displacement by S = (l, w) gives
//
//   delta x = l + w x x            delta theta = w
//   delta x' = delta v + delta omega x x + omega x delta x
//   delta x'' = delta a + delta alpha x x + alpha x delta x + delta omega x x' + omega x delta x'
//
// and so does a change of a velocity, with delta x = delta theta = 0. Turns are taken in body axes,
// which turn, too. A change of Euler parameters of norm 1 is a turn by w = 2 Q(e)^T de, in axes of
// the body: w = 4 Q^T de / e.e with Q as in space.hpp.

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "engine/multibody/joint_jacobian.hpp"

namespace mbs {

// Everything that the entries are made of, at a state.
template <class Space>
void JointJacobian<Space>::prepare(const Context& context, const Recursion<Space>& tree,
                                   const State& x, Own& ws, bool at_random) const {
  JointColumns<Space>& columns = ws.columns;
  const std::size_t n = tree_.nodes.size();
  Vec<double, Space::dim> gravity;
  for (int i = 0; i < Space::dim; ++i) {
    gravity[i] = context.parameters.derived[elements_.mechanism().gravity + i];
  }
  if (inertia_alone_) {
    tree.place(x.p.data(), x.z.data());
    tree.move(x.v.data());
    tree.accelerate(x.a.data(), true, ws.screws.data());
    for (std::size_t k = 0; k < n; ++k) {
      DoubleScrew<Space> a = ws.screws[k];
      a.linear -= gravity;
      const DoubleScrew<Space> I = tree.inertial(k, a), turning = tree.gyroscopic(k);
      ws.wrenches[k] = {I.linear + turning.linear, I.angular + turning.angular};
    }
  } else {
    prepare_columns(context, ws, at_random);
  }
  columns.inertia.go_outwards(tree_, ws.links.data(), x.v.data(), x.a.data(), ws.screws.data(),
                              ws.wrenches.data(), inertia_alone_ ? nullptr : columns.force.data(),
                              gravity);
  if (any_apart_) set_impedances(ws);
  columns.inertia.go_inwards(tree_, any_apart_ ? columns.impedance.data() : nullptr);
  prepare_turns(x, ws);
}

template <class Space>
void JointJacobian<Space>::prepare_turns(const State& x, Own& ws) const {
  if constexpr (Space::dim == 3) {
    JointColumns<Space>& columns = ws.columns;
    if (sizes_.n == 0) return;
    columns.turning.resize(static_cast<std::size_t>(sizes_.v));
    for (const TreeNode& node : tree_.nodes) {
      if (node.np == node.nv) continue;
      const int plain = node.nv - 3;
      const double* e = &x.p[node.p + plain];
      const double square = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3];
      for (int j = 0; j < 3; ++j) {
        auto& factors = columns.turning[static_cast<std::size_t>(node.v + plain + j)];
        std::array<double, 3> unit{};
        unit[j] = 1.0;
        euler_rates(e, unit.data(), factors.data());
        for (double& factor : factors) factor *= 4.0 / square;
      }
    }
  }
}

template <class Space>
void JointJacobian<Space>::prepare_columns(const Context& context, Own& ws, bool at_random) const {
  JointColumns<Space>& columns = ws.columns;
  columns.force.resize(tree_.nodes.size());
  for (std::size_t k = 0; k < tree_.nodes.size(); ++k) {
    const int v = elements_.mechanism().bodies[tree_.nodes[k].body].v;
    for (int i = 0; i < Space::dim; ++i) columns.force[k][i] = ws.cut().f[v + i];
  }
  ws.cut().jacobian_without_g = ws.jacobian_without_g;
  elements_.jacobian(context, ws.cut_state, ws.cut());
  if (at_random) {
    unsigned long long seed = 7;
    ColumnSparse& J = ws.cut().jacobian;
    for (double* value = J.valuePtr(); value != J.valuePtr() + J.nonZeros(); ++value) {
      seed = seed * 6364136223846793005ull + 1442695040888963407ull;
      *value = 0.5 + static_cast<double>(seed >> 11) * 0x1p-53;
    }
  }
  columns.partial.resize(from_.rows);
  columns.column.resize(layout_.rows);
  columns.part.resize(layout_.rows, 4);
  columns.change.resize(tree_.nodes.size());
}

template <class Space>
void JointJacobian<Space>::fill_inertia(const State& x, Own& ws, Fill& fill) const {
  const JacobianLayout& to = layout_;
  ws.columns.inertia.for_entries(tree_, [&](int i, int j, double of_q, double of_v) {
    fill.add(to.dynamics + i, to.col_v + j, -of_v);
    with_positions(ws, j, [&](int p, double factor) {
      fill.add(to.dynamics + i, to.col_p + p, -factor * of_q);
    });
  });
  [[maybe_unused]] int norm_row = to.norm;
  for (const TreeNode& node : tree_.nodes) {
    const int turning = node.np > node.nv ? 3 : 0, plain = node.nv - turning;
    for (int j = 0; j < plain; ++j) {
      fill.add(to.kinematics + node.p + j, to.col_v + node.v + j, 1.0);
    }
    if constexpr (Space::dim == 3) {
      if (turning == 0) continue;
      const int p = node.p + plain, v = node.v + plain;
      const double* e = &x.p[p];
      std::array<double, 4> rates;
      for (int i = 0; i < 4; ++i) {
        std::array<double, 4> unit{};
        unit[i] = 1.0;
        euler_rates(unit.data(), &x.v[v], rates.data());
        for (int l = 0; l < 4; ++l) fill.add(to.kinematics + p + l, to.col_p + p + i, rates[l]);
        fill.add(norm_row, to.col_p + p + i, e[i]);
      }
      for (int j = 0; j < 3; ++j) {
        std::array<double, 3> unit{};
        unit[j] = 1.0;
        euler_rates(e, unit.data(), rates.data());
        for (int l = 0; l < 4; ++l) fill.add(to.kinematics + p + l, to.col_v + v + j, rates[l]);
      }
      ++norm_row;
    }
  }
}

// The change of a body's motion at its centre of mass; turns in body axes.
template <class Space>
struct JointJacobian<Space>::Change {
  Vec<double, Space::dim> r, v, a;
  Vec<double, Space::rot> theta, omega, alpha;
};

// The change of the body behind a node by the sums in Moved. moves: S is not zero.
template <class Space>
template <bool moves>
typename JointJacobian<Space>::Change JointJacobian<Space>::change_of(std::size_t node,
                                                                      const Moved& m,
                                                                      Own& ws) const {
  const auto& body = ws.columns.inertia.body(node);
  const Vec<double, Space::dim> x = body.arm + ws.links[node].c;
  const auto &omega = body.v.angular, &alpha = body.a.angular;
  const auto x_dot = body.v.linear + cross(omega, x);
  auto dv = m.first;
  auto da = m.second + twist_cross<Space>(m.first, body.v);
  Change d;
  if constexpr (moves) {
    dv = dv + twist_cross<Space>(m.S, body.v);
    da = da + twist_cross<Space>(m.S, body.a);
    d.r = m.S.linear + cross(m.S.angular, x);
  }
  auto turn_omega = dv.angular, turn_alpha = da.angular;
  if constexpr (moves) {
    turn_omega -= cross(m.S.angular, omega);
    turn_alpha -= cross(m.S.angular, alpha);
  }
  d.v = dv.linear + cross(dv.angular, x) + cross(omega, d.r);
  d.a = da.linear + cross(da.angular, x) + cross(alpha, d.r) + cross(dv.angular, x_dot) +
        cross(omega, d.v);
  const auto& R = ws.cut().bodies[static_cast<std::size_t>(1 + tree_.nodes[node].body)].R;
  if constexpr (moves) d.theta = turn_back(R, m.S.angular);
  d.omega = turn_back(R, turn_omega);
  d.alpha = turn_back(R, turn_alpha);
  return d;
}

// Adds what a change of a body's p, v and v' does to the residuals in absolute coordinates.
template <class Space>
void JointJacobian<Space>::add_body(int body, const Change& d, Own& ws) const {
  const JacobianLayout& at = from_;
  const BodyData& data = elements_.mechanism().bodies[body];
  const ColumnSparse& J = ws.cut().jacobian;
  Vector& to = ws.columns.partial;
  const auto add = [&](int column, double factor) {
    if (factor == 0.0) return;
    for (ColumnSparse::InnerIterator e(J, column); e; ++e) to[e.row()] += factor * e.value();
  };
  // G a: the entries of G stand in the rows G v.
  const auto accelerate = [&](int i, double factor) {
    if (sizes_.lambda == 0) return;
    for (ColumnSparse::InnerIterator e(J, at.col_v + data.v + i); e; ++e) {
      const Eigen::Index row = e.row() - at.velocity;
      if (row < 0 || row >= sizes_.lambda) continue;
      to[at.acceleration + row] += factor * e.value();
    }
  };
  for (int i = 0; i < Space::dim; ++i) {
    add(at.col_p + data.p + i, d.r[i]);
    add(at.col_v + data.v + i, d.v[i]);
    accelerate(i, d.a[i]);
  }
  if (!data.rotates) return;
  if constexpr (Space::dim == 2) {
    add(at.col_p + data.p + 2, d.theta[0]);
  } else {
    std::array<double, 4> de;
    euler_rates(&ws.cut_state.p[data.p + 3], d.theta.x.data(), de.data());
    for (int i = 0; i < 4; ++i) add(at.col_p + data.p + 3 + i, de[i]);
  }
  for (int i = 0; i < Space::rot; ++i) {
    add(at.col_v + data.v + Space::dim + i, d.omega[i]);
    accelerate(Space::dim + i, d.alpha[i]);
  }
}

// Sets the impedances of the bodies that are apart: their own entries of the Jacobian, by unit
// twists.
template <class Space>
void JointJacobian<Space>::set_impedances(Own& ws) const {
  JointColumns<Space>& columns = ws.columns;
  columns.impedance.assign(tree_.nodes.size(), {});
  const int dynamics = from_.dynamics;
  for (std::size_t k = 0; k < tree_.nodes.size(); ++k) {
    const int index = tree_.nodes[k].body;
    if (!apart_[static_cast<std::size_t>(index)]) continue;
    const auto& at = columns.inertia.body(k);
    const auto follow = [&](const Change& change) {
      const BodyData& data = elements_.mechanism().bodies[index];
      columns.partial.segment(dynamics + data.v, size_v<Space>(data)).setZero();
      add_body(index, change, ws);
      const DoubleScrew<Space> w = wrench_on(elements_.mechanism(), ws.cut().bodies.data(), index,
                                             columns.partial.data() + dynamics);
      return wrench_back<Space>(w, at.arm + ws.links[k].c);
    };
    for (int i = 0; i < Space::nv; ++i) {
      DoubleScrew<Space> unit;
      Impedance<Space>::component(unit, i) = 1.0;
      columns.impedance[k].K[i] = follow(change_of<true>(k, {unit, {}, {}}, ws));
      if (feels_velocity_[static_cast<std::size_t>(index)])
        columns.impedance[k].C[i] = follow(change_of<false>(k, {{}, unit, {}}, ws));
    }
  }
}

// Carries the residuals in absolute coordinates, `partial`, to those in joint coordinates.
template <class Space>
void JointJacobian<Space>::carry_column(Own& ws, Eigen::Ref<Vector> column) const {
  const JacobianLayout &from = from_, &to = layout_;
  JointColumns<Space>& columns = ws.columns;
  const Vector& partial = columns.partial;
  column.setZero();
  for (int i = 0; i < sizes_.r; ++i) {
    column[to.r + i] = partial[from.r + r_of_[static_cast<std::size_t>(i)]];
  }
  column.segment(to.w, sizes_.w) = partial.segment(from.w, sizes_.w);
  column.segment(to.s, sizes_.s) = partial.segment(from.s, sizes_.s);
  column.segment(to.velocity, sizes_.lambda) = partial.segment(from.velocity, sizes_.lambda);
  column.segment(to.position, sizes_.g) = partial.segment(from.position, sizes_.g);
  column.segment(to.acceleration, sizes_.lambda) =
      partial.segment(from.acceleration, sizes_.lambda);
  for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
    DoubleScrew<Space> w = wrench_on(elements_.mechanism(), ws.cut().bodies.data(),
                                     tree_.nodes[i].body, partial.data() + from.dynamics);
    w.angular += moment(ws.links[i].c, w.linear);
    columns.change[i] = w;
  }
  Recursion<Space>{tree_, nullptr, ws.links.data()}.gather(columns.change.data(),
                                                           column.data() + to.dynamics);
}

// Finds what elements and closures add to the column of a displacement along v, or of its velocity.
// False: they add nothing.
template <class Space>
bool JointJacobian<Space>::column(int v, bool of_velocity, Own& ws,
                                  Eigen::Ref<Vector> column) const {
  const auto& inertia = ws.columns.inertia;
  const auto& moved = inertia.column(v);
  const Moved moving =
      of_velocity ? Moved{{}, moved.S, moved.xi} : Moved{moved.S, moved.psi_1, moved.psi_2};
  const int k = node_of_v_[static_cast<std::size_t>(v)];
  bool any = false;
  for (int i = k; i < tree_.nodes[k].end; ++i) {
    const int index = tree_.nodes[i].body;
    if (!touched_[static_cast<std::size_t>(index)] || apart_[static_cast<std::size_t>(index)])
      continue;
    if (!std::exchange(any, true)) ws.columns.partial.setZero();
    const auto node = static_cast<std::size_t>(i);
    add_body(index,
             of_velocity ? change_of<false>(node, moving, ws) : change_of<true>(node, moving, ws),
             ws);
  }
  if (any) carry_column(ws, column);
  return any;
}

// use(index of the column, column) for all to which elements or closures add.
template <class Space>
template <class Use>
void JointJacobian<Space>::for_columns(Own& ws, const Use& use) const {
  const JacobianLayout &from = from_, &to = layout_;
  JointColumns<Space>& columns = ws.columns;
  Vector& whole = columns.column;
  for (const TreeNode& node : tree_.nodes) {
    const int turning = node.np > node.nv ? 3 : 0, plain = node.nv - turning;
    for (int j = 0; j < node.nv; ++j) {
      if (column(node.v + j, true, ws, whole)) use(to.col_v + node.v + j, whole);
      if (j >= plain) continue;
      if (column(node.v + j, false, ws, whole)) use(to.col_p + node.p + j, whole);
    }
    bool any = false;
    for (int j = 0; j < turning; ++j) {
      any = column(node.v + plain + j, false, ws, columns.part.col(j));
    }
    for (int i = 0; any && i < 4; ++i) {
      whole.setZero();
      for (int j = 0; j < 3; ++j) {
        const auto v = static_cast<std::size_t>(node.v + plain + j);
        whole += columns.turning[v][static_cast<std::size_t>(i)] * columns.part.col(j);
      }
      use(to.col_p + node.p + plain + i, whole);
    }
  }
  // For the other unknowns nothing moves, and the columns depend on the elements alone.
  const auto direct = [&](int first_from, int first_to, int count, const std::vector<int>* of) {
    for (int i = 0; i < count; ++i) {
      columns.partial.setZero();
      const int index = first_from + (of == nullptr ? i : (*of)[static_cast<std::size_t>(i)]);
      for (ColumnSparse::InnerIterator e(ws.cut().jacobian, index); e; ++e) {
        columns.partial[e.row()] = e.value();
      }
      carry_column(ws, whole);
      use(first_to + i, whole);
    }
  };
  direct(from.col_r, to.col_r, sizes_.r, &r_of_);
  direct(from.col_w, to.col_w, sizes_.w, nullptr);
  direct(from.col_s, to.col_s, sizes_.s, nullptr);
  direct(from.col_lambda, to.col_lambda, sizes_.lambda, nullptr);
  direct(from.col_u, to.col_u, sizes_.u, nullptr);
}

template <class Space>
void JointJacobian<Space>::fill(const Context& context, const Recursion<Space>& tree,
                                const State& x, Own& ws) const {
  prepare(context, tree, x, ws, false);
  ws.jacobian.coeffs().setZero();
  Fill fill(places_, ws.jacobian.valuePtr());
  fill_inertia(x, ws, fill);
  if (inertia_alone_) return;
  for_columns(ws, [&](int j, const Vector& column) {
    for (ColumnSparse::InnerIterator e(ws.jacobian, j); e; ++e) e.valueRef() += column[e.row()];
  });
}

template <class Space>
void JointJacobian<Space>::set_sizes(const Sizes& sizes) {
  sizes_ = sizes;
  layout_ = JacobianLayout(sizes);
  inertia_alone_ = elements_.mechanism().forces.empty() && sizes_.lambda + sizes_.r + sizes_.w == 0;
  for (std::size_t k = 0; k < tree_.nodes.size(); ++k) {
    for (int j = 0; j < tree_.nodes[k].nv; ++j) node_of_v_.push_back(static_cast<int>(k));
  }
  const ColumnSparse& pattern = elements_.structure().jacobian;
  for (const BodyData& body : elements_.mechanism().bodies) {
    const auto& at = from_;
    const auto entries = [&](int column, int count) {
      return pattern.outerIndexPtr()[column + count] - pattern.outerIndexPtr()[column];
    };
    touched_.push_back(entries(at.col_p + body.p, size_p<Space>(body)) +
                           entries(at.col_v + body.v, size_v<Space>(body)) >
                       0);
    const auto within = [&](int column, int count) {
      const int first = at.dynamics + body.v, end = first + size_v<Space>(body);
      return std::all_of(pattern.innerIndexPtr() + pattern.outerIndexPtr()[column],
                         pattern.innerIndexPtr() + pattern.outerIndexPtr()[column + count],
                         [&](int row) { return row >= first && row < end; });
    };
    apart_.push_back(touched_.back() && within(at.col_p + body.p, size_p<Space>(body)) &&
                     within(at.col_v + body.v, size_v<Space>(body)));
    any_apart_ = any_apart_ || apart_.back();
    feels_velocity_.push_back(entries(at.col_v + body.v, size_v<Space>(body)) > 0);
  }
}

// Its pattern: at a random state, with random numbers in all places that the elements can reach.
template <class Space>
ColumnSparse JointJacobian<Space>::record(const Context& context, const Recursion<Space>& tree,
                                          const State& x, Own& ws) {
  prepare(context, tree, x, ws, true);
  std::vector<Fill::Entry> seen;
  Fill fill(seen);
  fill.prune(true);
  fill_inertia(x, ws, fill);
  const std::size_t of_inertia = seen.size();
  if (!inertia_alone_) {
    for_columns(ws, [&](int j, const Vector& column) {
      for (int i = 0; i < column.size(); ++i) {
        if (column[i] != 0.0) seen.push_back({i, j, true});
      }
    });
  }
  ColumnSparse pattern = pattern_of<ColumnSparse>(seen, layout_.rows, layout_.cols, places_);
  places_.resize(of_inertia);
  return pattern;
}

template class JointJacobian<Planar>;
template class JointJacobian<Spatial>;

}  // namespace mbs
