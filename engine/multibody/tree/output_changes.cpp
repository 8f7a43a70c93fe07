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
  whole_.prepare_outputs(given, ws.whole_state, ws.whole(), generic);
  const JacobianLayout at(whole_.sizes());
  const std::vector<OutputEntry>& entries = ws.whole().output_entries;
  ws.multipliers_shown = std::any_of(entries.begin(), entries.end(), [&](const OutputEntry& e) {
    return e.column >= at.col_lambda && e.column < at.col_u;
  });
  if (!ws.multipliers_shown) return;
  whole_.jacobian(given, ws.whole_state, ws.whole());
  whole_.position(given, ws.whole_state, want_M | want_G, ws.whole());
  const Mechanism<Space>& m = whole_.mechanism();
  ws.reactions.resize(tree_.nodes.size());
  for (std::size_t k = 0; k < tree_.nodes.size(); ++k) {
    const TreeNode& node = tree_.nodes[k];
    if (node.joint < 0) continue;
    const JointData& joint = m.joints[static_cast<std::size_t>(node.joint)];
    const BodyData& far = m.bodies[static_cast<std::size_t>(node.body)];
    Matrix on_far = Matrix::Zero(size_v<Space>(far), joint.rows);
    for (int i = 0; i < joint.rows; ++i) {
      for (RowSparse::InnerIterator e(ws.whole().G, joint.first_row + i); e; ++e) {
        const Eigen::Index row = e.col() - far.v;
        if (row >= 0 && row < on_far.rows()) on_far(row, i) = e.value();
      }
    }
    ws.reactions[k].compute(on_far);
  }
}

template <class Space>
void TreeEquations<Space>::change_multipliers(Variation& change, Own& ws) const {
  const JacobianLayout at(whole_.sizes());
  const Sizes& n = whole_.sizes();
  const Mechanism<Space>& m = whole_.mechanism();
  ws.change_columns.resize(at.cols);
  ws.change_columns << change.p, change.v, change.r, change.w, change.s, change.lambda, change.u;
  ws.change_rows.noalias() = ws.whole().jacobian * ws.change_columns;
  Vector& e = ws.change_forces;
  e.noalias() = ws.change_rows.segment(at.dynamics, n.v) - ws.whole().M * change.a;
  for (std::size_t k = tree_.nodes.size(); k-- > 0;) {
    const TreeNode& node = tree_.nodes[k];
    if (node.joint < 0) continue;
    const JointData& joint = m.joints[static_cast<std::size_t>(node.joint)];
    const BodyData& far = m.bodies[static_cast<std::size_t>(node.body)];
    auto dlambda = change.lambda.segment(joint.first_row, joint.rows);
    dlambda = ws.reactions[k].solve(e.segment(far.v, size_v<Space>(far)));
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
  if (ws.multipliers_shown) change_multipliers(to, ws);
  whole_.output_change(to, dy, ws.whole());
}

template class TreeEquations<Planar>;
template class TreeEquations<Spatial>;

}  // namespace mbs
