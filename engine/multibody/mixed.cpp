// The stages.

#include "engine/multibody/mixed.hpp"

#include "engine/equations/dropped_rows.hpp"
#include "engine/multibody/mixed_rows.hpp"

namespace mbs {

template <class Space>
void MixedEquations<Space>::share_bodies(const State& x, Own& ws) const {
  share(x, ws);
  ws.cut_state.p = x.p.head(bodies_p_);
  ws.cut_state.v = x.v.head(bodies_v_);
  ws.cut_state.a = x.a.head(bodies_v_);
}

template <class Space>
void MixedEquations<Space>::place(const Given&, const State& x, Own& ws) const {
  share_bodies(x, ws);
  static constexpr std::array<double, Space::nv> at_rest{};
  const Mechanism<Space>& m = cut_.mechanism();
  for (std::size_t i = 0; i < m.bodies.size(); ++i) {
    const BodyData& data = m.bodies[i];
    BodyState<Space, double>& body = ws.cut().bodies[1 + i];
    const auto v = body.v;
    const auto omega = body.omega;
    body = body_state<Space>(x.p.data() + data.p, at_rest.data(), data.rotates);
    body.v = v;
    body.omega = omega;
  }
}

template <class Space>
void MixedEquations<Space>::move(const Given&, const State& x, Own& ws) const {
  ws.cut_state.v = x.v.head(bodies_v_);
  const Mechanism<Space>& m = cut_.mechanism();
  for (std::size_t i = 0; i < m.bodies.size(); ++i) {
    const BodyData& data = m.bodies[i];
    BodyState<Space, double>& body = ws.cut().bodies[1 + i];
    for (int k = 0; k < Space::dim; ++k) body.v[k] = x.v[data.v + k];
    for (int k = 0; data.rotates && k < Space::rot; ++k) {
      body.omega[k] = x.v[data.v + Space::dim + k];
    }
  }
}

template <class Space>
void MixedEquations<Space>::write_bodies(const State& x, Own& ws) const {
  ws.cut_state.p = x.p.head(bodies_p_);
  ws.cut_state.v = x.v.head(bodies_v_);
}

template <class Space>
void MixedEquations<Space>::position(const Given& given, const State& x, unsigned want,
                                     Workspace& workspace) const {
  Own& ws = own(workspace);
  place(given, x, ws);
  cut_.position(given, ws.cut_state, want, ws.cut());
  if (want & want_c) ws.c = ws.cut().c;
  if (want & want_M) ws.M.coeffs() = ws.cut().M.coeffs();
  const Evaluation<Space> here = this->elements(given, ws);
  if (want & want_G) {
    ws.G.coeffs().setZero();
    ws.D.setZero();
    Fill fill(G_places_, ws.G.valuePtr());
    fill_G(here, constants(given), x, fill);
    ws.gI.tail(sizes_.lambda - tree_rows_) = ws.cut().gI;
    const Eigen::Index cut = ws.cut().G.nonZeros();  // the last rows
    std::copy_n(ws.cut().G.valuePtr(), cut, ws.G.valuePtr() + ws.G.nonZeros() - cut);
    ws.D.tail(sizes_.lambda - tree_rows_) = ws.cut().D;
    ws.gI.tail(sizes_.lambda - tree_rows_) = ws.cut().gI;
  }
  if (want & want_g) {
    for (const JointRows& joint : joints_) {
      const Rows<double> rows = rows_of<double>(here, constants(given), x, joint, Seed::none);
      for (int k = 0; k < joint.rows; ++k) ws.g[joint.row + k] = rows.row[k].value;
    }
    ws.g.tail(sizes_.g - tree_rows_) = ws.cut().g;
    for (std::size_t k = 0; k < structure_.euler_parameters.size(); ++k) {
      const auto e = x.p.template segment<4>(structure_.euler_parameters[k]);
      ws.n[static_cast<Eigen::Index>(k)] = 0.5 * (e.squaredNorm() - 1.0);
    }
  }
  drop_positions(structure_, x, want, ws);
}

template <class Space>
void MixedEquations<Space>::apply_Z(const Given&, const State& x, const Vector& v,
                                    Vector& z) const {
  z.resize(sizes_.p);
  if constexpr (Space::dim == 2) {
    z = v;
  } else {
    for (const BodyData& body : cut_.mechanism().bodies) {
      for (int i = 0; i < Space::dim; ++i) z[body.p + i] = v[body.v + i];
      if (body.rotates) euler_rates(&x.p[body.p + 3], &v[body.v + 3], &z[body.p + 3]);
    }
    for (const JointRows& joint : joints_) {
      const TreeNode& node = tree_.nodes[joint.node];
      if (node.nv == 3) {
        euler_rates(&x.p[joint.p], &v[joint.v], &z[joint.p]);
      } else if (node.nv == 1) {
        z[joint.p] = v[joint.v];
      }
    }
  }
}

template <class Space>
void MixedEquations<Space>::velocity(const Given& given, const State& x,
                                     Workspace& workspace) const {
  Own& ws = own(workspace);
  move(given, x, ws);
  apply_Z(given, x, x.v, ws.p_dot);
  for (int row = 0; row < sizes_.lambda; ++row) {
    double sum = ws.gI[row];
    for (RowSparse::InnerIterator entry(ws.G, row); entry; ++entry) {
      sum += entry.value() * x.v[entry.col()];
    }
    ws.G_v[row] = sum;
  }
}

template <class Space>
void MixedEquations<Space>::force(const Given& given, const State& x, unsigned want,
                                  Workspace& workspace) const {
  Own& ws = own(workspace);
  share_bodies(x, ws);
  cut_.force(given, ws.cut_state, want, ws.cut());
  if (want & want_f) {
    ws.f.setZero();
    ws.f.head(bodies_v_) = ws.cut().f;
  }
  if (want & want_b) {
    for (int i = 0; i < sizes_.r; ++i) {
      ws.b[i] = ws.cut().b[this->r_of_[static_cast<std::size_t>(i)]];
    }
  }
  if (want & want_d) ws.d = ws.cut().d;
}

template <class Space>
void MixedEquations<Space>::gamma(const Given& given, const State& x, Workspace& workspace) const {
  Own& ws = own(workspace);
  const Evaluation<Space> here = this->elements(given, ws);
  for (const JointRows& joint : joints_) {
    const Rows<double> rows = rows_of<double>(here, constants(given), x, joint, Seed::none);
    for (int k = 0; k < joint.rows; ++k) ws.gamma[joint.row + k] = rows.row[k].second;
  }
  cut_.gamma(given, ws.cut_state, ws.cut());
  ws.gamma.tail(sizes_.lambda - tree_rows_) = ws.cut().gamma;
  drop_gamma(structure_, x, ws);
}

template <class Space>
void MixedEquations<Space>::friction(const Given& given, const State& x,
                                     Workspace& workspace) const {
  if (!structure_.f_depends_on_lambda) return;
  Own& ws = own(workspace);
  this->set_all_bodies(given, x, ws);
  cut_.friction(given, ws.cut_state, ws.cut());
  ws.F.coeffs() = ws.cut().F.coeffs();  // the columns of the tree are empty
}

template <class Space>
void MixedEquations<Space>::conditions(const Given& given, const State& x,
                                       Workspace& workspace) const {
  Own& ws = own(workspace);
  this->set_all_bodies(given, x, ws);
  cut_.conditions(given, ws.cut_state, ws.cut());
  ws.condition_p = ws.cut().condition_p;
  ws.condition_v = ws.cut().condition_v;
  ws.condition_p_rows.coeffs() = ws.cut().condition_p_rows.coeffs();
  ws.condition_v_rows.coeffs() = ws.cut().condition_v_rows.coeffs();
}

// The reaction on the far body is what the joint's rows do to it.
template <class Space>
void MixedEquations<Space>::accelerations_and_multipliers(const Given& given, const State& x,
                                                          Own& ws) const {
  State& to = ws.whole_state;
  to.a = x.a.head(bodies_v_);
  for (std::size_t i = 0; i < this->lambda_of_.size(); ++i) {
    to.lambda[this->lambda_of_[i]] = x.lambda[tree_rows_ + static_cast<Eigen::Index>(i)];
  }
  const Evaluation<Space> here = this->elements(given, ws);
  for (const JointRows& joint : joints_) {
    const Rows<double> rows = rows_of<double>(here, constants(given), x, joint, Seed::none);
    DoubleScrew<Space> w;
    for (int k = 0; k < joint.rows; ++k) {
      w.linear -= x.lambda[joint.row + k] * rows.row[k].linear_b;
      w.angular -= x.lambda[joint.row + k] * rows.row[k].angular_b;
    }
    w.angular = turn(ws.cut().bodies[1 + tree_.nodes[joint.node].body].R, w.angular);
    this->multipliers(given, static_cast<std::size_t>(joint.node), w, ws);
  }
}

template <class Space>
void MixedEquations<Space>::jacobian(const Given& given, const State& x,
                                     Workspace& workspace) const {
  Own& ws = own(workspace);
  if (ws.jacobian.size() == 0) ws.jacobian = structure_.jacobian;
  this->set_all_bodies(given, x, ws);
  share_bodies(x, ws);
  cut_.jacobian(given, ws.cut_state, ws.cut());
  ws.jacobian.coeffs().setZero();
  Fill fill(jacobian_places_, ws.jacobian.valuePtr());
  add_elements(ws.cut().jacobian, fill);
  fill_jacobian(this->elements(given, ws), constants(given), x, fill);
  drop_jacobian(sizes_, structure_, x, ws);
}

template class MixedEquations<Planar>;
template class MixedEquations<Spatial>;

}  // namespace mbs
