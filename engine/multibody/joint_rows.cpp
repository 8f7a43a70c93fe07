// What elements give over the bodies' coordinates as sparse rows or columns, carried to those of
// the tree: conditions on initial values, and F = df/dlambda.

#include "engine/multibody/joint.hpp"

namespace mbs {

// A row acts on the bodies' velocities: as a wrench on each, carried to the ground.
template <class Space>
void JointEquations<Space>::carry_rows(const RowSparse& rows, Own& ws, RowSparse& carried) const {
  const Mechanism<Space>& m = cut_.mechanism();
  carried.coeffs().setZero();
  for (int i = 0; i < rows.outerSize(); ++i) {
    for (RowSparse::InnerIterator e(rows, i); e;) {
      const int k = node_of_column(static_cast<int>(e.col()));
      const BodyData& data = m.bodies[tree_.nodes[k].body];
      const int end = data.v + size_v<Space>(data);
      Vec<double, Space::dim> linear;
      Vec<double, Space::rot> angular;
      for (; e && e.col() < end; ++e) {
        const int at = static_cast<int>(e.col()) - data.v;
        (at < Space::dim ? linear[at] : angular[at - Space::dim]) = e.value();
      }
      to_ground(ws, k, at_own_frame(ws, k, linear, angular),
                [&](int column, double x) { carried.coeffRef(i, column) += x; });
    }
  }
}

template <class Space>
void JointEquations<Space>::conditions(const Context& context, const State& x,
                                       Workspace& workspace) const {
  Own& ws = own(workspace);
  this->set_all_bodies(context, x, ws);
  cut_.conditions(context, ws.cut_state, ws.cut());
  ws.condition_p = ws.cut().condition_p;
  ws.condition_v = ws.cut().condition_v;
  carry_rows(ws.cut().condition_p_rows, ws, ws.condition_p_rows);
  carry_rows(ws.cut().condition_v_rows, ws, ws.condition_v_rows);
}

// F = T^T F_abs, column by column.
template <class Space>
void JointEquations<Space>::friction(const Context& context, const State& x,
                                     Workspace& workspace) const {
  if (!structure_.f_depends_on_lambda) return;
  Own& ws = own(workspace);
  this->set_all_bodies(context, x, ws);
  share(x, ws);
  cut_.friction(context, ws.cut_state, ws.cut());
  const Mechanism<Space>& m = cut_.mechanism();
  const ColumnSparse& F = ws.cut().F;
  ws.F.coeffs().setZero();
  for (int j = 0; j < F.outerSize(); ++j) {
    for (ColumnSparse::InnerIterator e(F, j); e;) {
      const int k = node_of_column(static_cast<int>(e.row()));
      const BodyData& data = m.bodies[tree_.nodes[k].body];
      const int end = data.v + size_v<Space>(data);
      Vec<double, Space::dim> linear;
      Vec<double, Space::rot> angular;
      for (; e && e.row() < end; ++e) {
        const int at = static_cast<int>(e.row()) - data.v;
        (at < Space::dim ? linear[at] : angular[at - Space::dim]) = e.value();
      }
      to_ground(ws, k, at_own_frame(ws, k, linear, angular),
                [&](int row, double value) { ws.F.coeffRef(row, j) += value; });
    }
  }
}

template <class Space>
ColumnSparse JointEquations<Space>::friction_pattern() const {
  return carried_pattern(RowSparse(cut_.structure().saddle.F.transpose())).transpose();
}

template class JointEquations<Planar>;
template class JointEquations<Spatial>;

}  // namespace mbs
