// Reactions of joints in the tree, and the Jacobian of outputs along it, row by row, from that in
// absolute coordinates. With rows
// y = (y_p, y_v, y_a, ...) over what the bodies do:
//
// Bodies move with the coordinates: y by the coordinates is y J, J what a change of these does to
// p, v and v' of the bodies (carry_row).
//
// A joint of the tree bears what its far body and all behind it need beyond the forces that act on
// them,
//
//   need_b   = M a - f + G^T lambda of the closures, as force F and moment N about the mass centre,
//   borne_k  = need_k + sum of borne_c, each moved from r_c to r_k,   c: the next joints outwards,
//   A lambda = - borne_k,   A: the joint's rows on its far body, in that body's axes.
//
// The row y_lambda of an output is carried outwards, against that direction: with the twist (z,
// Omega) of the far body by which -A^-T y_lambda counts d borne_k, all bodies behind follow as one,
// and
//
//   y_lambda d lambda = sum over these bodies (z + Omega x (r_b - r_k)) d need_F + Omega d need_N
//                       + Omega ((d r_b - d r_f) x F_b) at each joint b behind, on f
//                       + Omega (theta_b x need_N) in axes of the body, which turn by theta
//                       + (-A^-T y_lambda) (d A lambda - theta_k x N_k at joint k itself)
//
// where d need is that by M a and by the elements' Jacobian.

#include <Eigen/QR>
#include <algorithm>
#include <span>
#include <utility>

#include "engine/multibody/tree/tree_reactions.hpp"

namespace mbs {

template <class Space>
void TreeReactions<Space>::find(const std::vector<int>& lambda_of) {
  const Mechanism<Space>& m = whole_.mechanism();
  std::vector<char> shown(m.joints.size(), 0);
  const auto show = [&shown](const MeasureData& data) {
    if (data.joint >= 0) shown[static_cast<std::size_t>(data.joint)] = 1;
  };
  std::for_each(m.outputs.begin(), m.outputs.end(), show);
  std::for_each(m.measures.begin(), m.measures.end(), show);
  for (std::size_t k = 0; k < tree_.nodes.size(); ++k)
    if (const int joint = tree_.nodes[k].joint; joint >= 0 && shown[joint] != 0)
      shown_.push_back(k);
  find_dynamics_entries(lambda_of);
}

template <class Space>
void TreeReactions<Space>::find_dynamics_entries(const std::vector<int>& lambda_of) {
  if (shown_.empty()) return;
  const JacobianLayout &from = cut_layout_, &to = whole_layout_;
  const ColumnSparse& J = cut_.structure().jacobian;
  const auto add = [&](int column, int whole_column) {
    const int* begin = J.innerIndexPtr() + J.outerIndexPtr()[column];
    const int* end = J.innerIndexPtr() + J.outerIndexPtr()[column + 1];
    const auto place = [&](int row) {
      return static_cast<int>(std::lower_bound(begin, end, row) - J.innerIndexPtr());
    };
    const int first = place(from.dynamics), last = place(from.dynamics + cut_.sizes().v);
    if (first < last) of_dynamics_.push_back({first, last, whole_column});
  };
  const Sizes& n = cut_.sizes();
  for (const auto& [column, whole_column, count] :
       {std::array{from.col_p, to.col_p, n.p}, std::array{from.col_v, to.col_v, n.v},
        std::array{from.col_r, to.col_r, n.r}, std::array{from.col_w, to.col_w, n.w},
        std::array{from.col_s, to.col_s, n.s}, std::array{from.col_u, to.col_u, n.u}})
    for (int i = 0; i < count; ++i) add(column + i, whole_column + i);
  for (std::size_t i = 0; i < lambda_of.size(); ++i)
    add(from.col_lambda + static_cast<int>(i), to.col_lambda + lambda_of[i]);
}

// borne = - sum lambda_i (row i on the far body), in the span of the rows: what they leave free the
// reaction does no work on.
template <class Space>
void TreeReactions<Space>::set_shown_multipliers(const Context& context, Own& ws) const {
  constexpr int n = Space::nv;
  const Mechanism<Space>& m = whole_.mechanism();
  const State& absolute = ws.whole_state;
  const Evaluation<Space> at{
      m, context, absolute, ws.whole().bodies.data(), ws.whole().signals, cut_layout_};
  for (const std::size_t k : shown_) {
    const TreeNode& node = tree_.nodes[k];
    const JointData& joint = m.joints[node.joint];
    const BodyState<Space, double>& far = ws.whole().bodies[1 + node.body];
    const bool rotates = m.bodies[node.body].rotates;
    Eigen::Matrix<double, n, Eigen::Dynamic, 0, n, n> A(n, joint.rows);
    Eigen::Matrix<double, n, 1> b;
    A.setZero();
    b.setZero();
    for_constraints(m, joint, [&](const auto& constraint) {
      std::array<Row<Space, double>, std::decay_t<decltype(constraint)>::rows> rows;
      on_sides<double>(at, constraint.a, constraint.b, ground, [&](const auto& a, const auto& s) {
        constraint.evaluate(at, a, s, rows.data());
      });
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const int column = constraint.row + static_cast<int>(i) - joint.first_row;
        const auto& linear = node.forward ? rows[i].linear_b : rows[i].linear_a;
        const auto& angular = node.forward ? rows[i].angular_b : rows[i].angular_a;
        for (int d = 0; d < Space::dim; ++d) A(d, column) = -linear[d];
        for (int d = 0; rotates && d < Space::rot; ++d) A(Space::dim + d, column) = -angular[d];
      }
    });
    for (int d = 0; d < Space::dim; ++d) b[d] = ws.borne[k].linear[d];
    if (rotates) {
      const auto torque = turn_back(far.R, ws.borne[k].angular);
      for (int d = 0; d < Space::rot; ++d) b[Space::dim + d] = torque[d];
    }
    const Eigen::ColPivHouseholderQR<decltype(A)> qr(A);
    ws.whole_state.lambda.segment(joint.first_row, joint.rows) = qr.solve(b);
  }
}

template <class Space>
void TreeReactions<Space>::prepare_reactions(const Context& context, Own& ws) const {
  double* mass = ws.whole().M.valuePtr();
  for (const BodyData& body : whole_.mechanism().bodies)
    mass = fill_mass<Space>(body, context.parameters.derived.data(), mass);
  ws.momentum.noalias() = ws.whole().M * ws.whole_state.v;
  for (std::size_t k = 0; k < tree_.nodes.size(); ++k) ws.own_moment[k] = ws.borne[k].angular;
  for (std::size_t k = 0; k < tree_.nodes.size(); ++k) {
    if (tree_.nodes[k].parent < 0) continue;
    const auto f = static_cast<std::size_t>(tree_.nodes[k].parent);
    ws.own_moment[f] -= wrench_back<Space>(ws.borne[k], arm(f, k, ws)).angular;
  }
  const Evaluation<Space> here = whole_.linearised(context, ws.whole_state, ws.whole());
  ws.reactions.clear();
  for (const std::size_t k : shown_) ws.reactions.push_back(reaction_change(here, k));
}

template <class Space>
auto TreeReactions<Space>::reaction_change(const Evaluation<Space>& here, std::size_t k) const ->
    typename Own::ReactionChange {
  using D = BodyDual<Space>;
  const Mechanism<Space>& m = here.mechanism;
  const TreeNode& node = tree_.nodes[k];
  const JointData& joint = m.joints[static_cast<std::size_t>(node.joint)];
  typename Own::ReactionChange change;
  typename Own::Square A = Own::Square::Zero();
  // use(coordinate of the far body, row, entry of A) with the derivatives by one body.
  const auto entries = [&](int seeded, const auto& use) {
    for_constraints(m, joint, [&](const auto& constraint) {
      std::array<Row<Space, D>, std::decay_t<decltype(constraint)>::rows> rows;
      on_seeded_sides(here, constraint.a, constraint.b, seeded, [&](const auto& a, const auto& b) {
        constraint.evaluate(here, a, b, rows.data());
      });
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const int row = constraint.row + static_cast<int>(i) - joint.first_row;
        const auto& linear = node.forward ? rows[i].linear_b : rows[i].linear_a;
        const auto& angular = node.forward ? rows[i].angular_b : rows[i].angular_a;
        for (int d = 0; d < Space::dim; ++d) use(d, row, linear[d]);
        for (int d = 0; m.bodies[node.body].rotates && d < Space::rot; ++d)
          use(Space::dim + d, row, angular[d]);
      }
    });
  };
  const auto add = [&](typename Own::ByPosition& by, int i, int row, const D& x) {
    for (int j = 0; j < Space::np; ++j) by(i, j) += x.d[j] * here.x.lambda[joint.first_row + row];
  };
  entries(node.body, [&](int i, int row, const D& x) {
    A(i, row) = x.v;
    add(change.by_far, i, row, x);
  });
  if (node.parent >= 0)
    entries(tree_.nodes[node.parent].body,
            [&](int i, int row, const D& x) { add(change.by_near, i, row, x); });
  change.inverse =
      Eigen::ColPivHouseholderQR<typename Own::Square>(A).solve(Own::Square::Identity());
  return change;
}

// The vector from the mass centre of the body behind one node to that behind another.
template <class Space>
Vec<double, Space::dim> TreeReactions<Space>::arm(std::size_t from, std::size_t to,
                                                  const Own& ws) const {
  return ws.body(tree_.nodes[to].body).r - ws.body(tree_.nodes[from].body).r;
}

// Adds how an output changes with a turn of the body, in inertial axes.
template <class Space>
void TreeReactions<Space>::add_turn(int body, const Vec<double, Space::rot>& by, Own& ws) const {
  const BodyData& data = whole_.mechanism().bodies[body];
  if (!data.rotates) return;
  if constexpr (Space::dim == 2) {
    ws.row[whole_layout_.col_p + data.p + 2] += by[0];
  } else {
    // e' = Q omega, omega = 4 Q^T e' / e.e
    const double* e = &ws.whole_state.p[data.p + 3];
    const double factor = 4.0 / (e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
    const auto own_axes = turn_back(ws.body(body).R, by);
    std::array<double, 4> Q_by;
    euler_rates(e, own_axes.x.data(), Q_by.data());
    for (int i = 0; i < 4; ++i) ws.row[whole_layout_.col_p + data.p + 3 + i] += factor * Q_by[i];
  }
}

template <class Space>
void TreeReactions<Space>::add_shift(int body, const Vec<double, Space::dim>& by, Own& ws) const {
  const BodyData& data = whole_.mechanism().bodies[body];
  for (int i = 0; i < Space::dim; ++i) ws.row[whole_layout_.col_p + data.p + i] += by[i];
}

// Adds y_lambda d lambda of a joint in the tree, and what it counts d need by to `needs`.
template <class Space>
void TreeReactions<Space>::add_reaction(std::size_t which, const double* by_lambda, Own& ws) const {
  const Mechanism<Space>& m = whole_.mechanism();
  const std::size_t joint = shown_[which];
  const TreeNode& node = tree_.nodes[joint];
  const typename Own::ReactionChange& reaction = ws.reactions[which];
  Eigen::Vector<double, Space::nv> force = Eigen::Vector<double, Space::nv>::Zero();
  const int rows = m.joints[static_cast<std::size_t>(node.joint)].rows;
  for (int i = 0; i < rows; ++i) force -= by_lambda[i] * reaction.inverse.row(i).transpose();
  const auto add_positions = [&](int body, const typename Own::ByPosition& by) {
    const BodyData& data = m.bodies[body];
    const int count = size_p<Space>(data);
    ws.row.segment(whole_layout_.col_p + data.p, count).noalias() +=
        by.leftCols(count).transpose() * force;
  };
  add_positions(node.body, reaction.by_far);
  if (node.parent >= 0) add_positions(tree_.nodes[node.parent].body, reaction.by_near);

  Vec<double, Space::dim> z;
  Vec<double, Space::rot> Omega;
  for (int i = 0; i < Space::dim; ++i) z[i] = force[i];
  for (int i = 0; m.bodies[node.body].rotates && i < Space::rot; ++i)
    Omega[i] = force[Space::dim + i];
  Omega = turn(ws.body(node.body).R, Omega);
  add_turn(node.body, cross(Omega, ws.borne[joint].angular), ws);
  for (auto k = joint; k < static_cast<std::size_t>(node.end); ++k) {
    const int body = tree_.nodes[k].body;
    const BodyData& data = m.bodies[body];
    const auto linear = z + cross(Omega, arm(joint, k, ws));
    for (int i = 0; i < Space::dim; ++i) ws.needs[data.v + i] += linear[i];
    if (data.rotates) {
      const auto angular = turn_back(ws.body(body).R, Omega);
      for (int i = 0; i < Space::rot; ++i) ws.needs[data.v + Space::dim + i] += angular[i];
      add_turn(body, -cross(Omega, ws.own_moment[k]), ws);
    }
    if (k == joint) continue;
    const auto shift = -cross(Omega, ws.borne[k].linear);
    add_shift(body, shift, ws);
    add_shift(tree_.nodes[tree_.nodes[k].parent].body, -shift, ws);
  }
}

// Adds d need, counted by ws.needs, to the row.
template <class Space>
void TreeReactions<Space>::add_needs(Own& ws) const {
  const JacobianLayout& at = whole_layout_;
  const auto nv = whole_.sizes().v;
  const ColumnSparse& M = ws.whole().M;
  ws.row.segment(at.cols, nv).noalias() += M * ws.needs;
  if constexpr (Space::dim == 3) {
    if (gyroscopic_apart_) {  // omega x h with the angular momentum h = J omega
      ws.spins.setZero();
      for (const BodyData& data : whole_.mechanism().bodies) {
        if (!data.rotates) continue;
        const auto angular = [&data](const Vector& all) {
          return Vec<double, 3>{{all[data.v + 3], all[data.v + 4], all[data.v + 5]}};
        };
        const auto need = angular(ws.needs);
        const auto by_omega = cross(angular(ws.momentum), need),
                   by_momentum = cross(need, angular(ws.whole_state.v));
        for (int i = 0; i < 3; ++i) {
          ws.row[at.col_v + data.v + 3 + i] += by_omega[i];
          ws.spins[data.v + 3 + i] = by_momentum[i];
        }
      }
      ws.row.segment(at.col_v, nv).noalias() += M * ws.spins;
    }
  }
  const ColumnSparse& J = ws.cut().jacobian;
  if (J.size() == 0) return;  // no element acts
  for (const DynamicsEntries& of : of_dynamics_) {
    double sum = 0.0;
    for (int k = of.begin; k < of.end; ++k)
      sum += ws.needs[J.innerIndexPtr()[k] - cut_layout_.dynamics] * J.valuePtr()[k];
    ws.row[of.whole_column] -= sum;
  }
}

// Adds what the reactions in one row of the Jacobian of the outputs depend on.
template <class Space>
void TreeReactions<Space>::fold_row(std::span<const OutputEntry> entries, Own& ws) const {
  const JacobianLayout& at = whole_layout_;
  ws.row.setZero();
  for (const OutputEntry& entry : entries) ws.row[entry.column] += entry.value;
  bool any = false;
  for (std::size_t i = 0; i < shown_.size(); ++i) {
    const TreeNode& node = tree_.nodes[shown_[i]];
    const JointData& joint = whole_.mechanism().joints[static_cast<std::size_t>(node.joint)];
    const double* by_lambda = &ws.row[at.col_lambda + joint.first_row];
    if (std::all_of(by_lambda, by_lambda + joint.rows, [](double x) { return x == 0.0; })) continue;
    if (!std::exchange(any, true)) ws.needs.setZero();
    add_reaction(i, by_lambda, ws);
  }
  if (any) add_needs(ws);
}

template class TreeReactions<Planar>;
template class TreeReactions<Spatial>;

}  // namespace mbs
