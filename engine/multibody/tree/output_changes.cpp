// Outputs along the tree have the Jacobian of those in absolute coordinates; here is what a change
// of the coordinates does to these: bodies move with the coordinates (body_changes), the
// multipliers of joints in the tree follow from the equations of motion of all bodies,
//
//   G_tree^T dlambda = d(f - M a - G^T lambda) at fixed lambda of the tree,
//
// solved from the leaves to the roots: the rows of a joint act on its far body, whose own joints
// further out are known by then, and on the near one.

#include "engine/multibody/tree/tree_equations.hpp"

namespace mbs {

template <class Space>
void TreeEquations<Space>::prepare_outputs(const Given& given, const State& x, Workspace& workspace,
                                           int generic) const {
  Own& ws = own(workspace);
  set_all_bodies(given, x, ws);
  accelerations_and_multipliers(given, x, ws);
  prepare_body_changes(given, x, ws);
  if (reactions_shown_) {
    ws.whole().jacobian_without_g = ws.whole().jacobian_without_accelerations = true;
    whole_.jacobian(given, ws.whole_state, ws.whole());
  } else {
    whole_.linearise(given, ws.whole_state, ws.whole());
  }
  whole_.prepare_outputs(given, ws.whole_state, ws.whole(), generic);
  if (!reactions_shown_) return;
  whole_.position(given, ws.whole_state, want_M | want_G, ws.whole());
  const Mechanism<Space>& m = whole_.mechanism();
  ws.reactions.resize(tree_.nodes.size());
  for (std::size_t k = 0; k < tree_.nodes.size(); ++k) {
    const TreeNode& node = tree_.nodes[k];
    if (node.joint < 0) continue;
    const JointData& joint = m.joints[static_cast<std::size_t>(node.joint)];
    const BodyData& far = m.bodies[static_cast<std::size_t>(node.body)];
    using Square = typename Own::Square;
    Square on_far = Square::Zero();
    for (int i = 0; i < joint.rows; ++i) {
      for (RowSparse::InnerIterator e(ws.whole().G, joint.first_row + i); e; ++e) {
        const Eigen::Index row = e.col() - far.v;
        if (row >= 0 && row < size_v<Space>(far)) on_far(row, i) = e.value();
      }
    }
    ws.reactions[k] = Eigen::ColPivHouseholderQR<Square>(on_far).solve(Square::Identity());
  }
}

template <class Space>
void TreeEquations<Space>::change_multipliers(Variation& change, Own& ws) const {
  const JacobianLayout at(whole_.sizes());
  const Mechanism<Space>& m = whole_.mechanism();
  const ColumnSparse& J = ws.whole().jacobian;
  Vector& e = ws.change_forces;
  e.noalias() = ws.whole().M * change.a;
  e = -e;
  const auto add = [&](int first, const Vector& part) {
    for (Eigen::Index i = 0; i < part.size(); ++i) {
      if (part[i] == 0.0) continue;
      const auto& [begin, end] = of_dynamics_[static_cast<std::size_t>(first + i)];
      for (int k = begin; k < end; ++k) {
        e[J.innerIndexPtr()[k] - at.dynamics] += part[i] * J.valuePtr()[k];
      }
    }
  };
  add(at.col_p, change.p);
  add(at.col_v, change.v);
  add(at.col_r, change.r);
  add(at.col_w, change.w);
  add(at.col_s, change.s);
  add(at.col_lambda, change.lambda);
  add(at.col_u, change.u);
  for (std::size_t k = tree_.nodes.size(); k-- > 0;) {
    const TreeNode& node = tree_.nodes[k];
    if (node.joint < 0) continue;
    const JointData& joint = m.joints[static_cast<std::size_t>(node.joint)];
    const BodyData& far = m.bodies[static_cast<std::size_t>(node.body)];
    Eigen::Vector<double, Space::nv> on_far = Eigen::Vector<double, Space::nv>::Zero();
    for (int i = 0; i < size_v<Space>(far); ++i) on_far[i] = e[far.v + i];
    const Eigen::Vector<double, Space::nv> dlambda = ws.reactions[k] * on_far;
    for (int i = 0; i < joint.rows; ++i) change.lambda[joint.first_row + i] = dlambda[i];
    for (int i = 0; i < joint.rows; ++i) {
      for (RowSparse::InnerIterator entry(ws.whole().G, joint.first_row + i); entry; ++entry) {
        e[entry.col()] -= dlambda[i] * entry.value();
      }
    }
  }
}

template <class Space>
void TreeEquations<Space>::output_change(const Variation& change, Vector& dy,
                                         Workspace& workspace) const {
  Own& ws = own(workspace);
  Variation& to = ws.whole_change;
  body_changes(change, to, ws);
  to.r.setZero();  // counters of turns tell whole turns alone
  for (std::size_t i = 0; i < r_of_.size(); ++i) {
    to.r[r_of_[i]] = change.r[static_cast<Eigen::Index>(i)];
  }
  to.w = change.w;
  to.s = change.s;
  to.u = change.u;
  to.lambda.setZero();
  const Eigen::Index first = change.lambda.size() - static_cast<Eigen::Index>(lambda_of_.size());
  for (std::size_t i = 0; i < lambda_of_.size(); ++i) {
    to.lambda[lambda_of_[i]] = change.lambda[first + static_cast<Eigen::Index>(i)];
  }
  if (reactions_shown_) change_multipliers(to, ws);
  whole_.output_change(to, dy, ws.whole());
}

template class TreeEquations<Planar>;
template class TreeEquations<Spatial>;

}  // namespace mbs
