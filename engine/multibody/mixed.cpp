// The stages.

#include "engine/multibody/mixed.hpp"

#include "engine/multibody/mixed_rows.hpp"

namespace mbs {

namespace {

// Link::axis as serial_column wants it, from the columns of S.
template <class Space, class Axes>
DoubleScrew<Space> axis_of_columns(JointKind kind, const Axes& S) {
  if constexpr (Space::dim == 3) {
    switch (kind) {
      case JointKind::universal:
      case JointKind::universal_back:
        return {S[1].angular, S[0].angular};
      case JointKind::planar:
        return {S[0].linear, S[2].angular};
      default:
        break;
    }
  }
  return S[0];
}

}  // namespace

template <class Space>
void MixedEquations<Space>::share_bodies(const State& x, Own& ws) const {
  share(x, ws);
  ws.cut_state.p = x.p.head(bodies_p_);
  ws.cut_state.v = x.v.head(bodies_v_);
  ws.cut_state.a = x.a.head(bodies_v_);
}

template <class Space>
void MixedEquations<Space>::place(const Context&, const State& x, Own& ws) const {
  share(x, ws);
  place_bodies(cut_.mechanism(), x.p, ws.cut().bodies);
}

template <class Space>
void MixedEquations<Space>::move(const Context&, const State& x, Own& ws) const {
  move_bodies(cut_.mechanism(), x.v, ws.cut().bodies);
}

template <class Space>
void MixedEquations<Space>::write_bodies(const State& x, Own& ws) const {
  ws.cut_state.p = x.p.head(bodies_p_);
  ws.cut_state.v = x.v.head(bodies_v_);
}

template <class Space>
void MixedEquations<Space>::position(const Context& context, const State& x, unsigned want,
                                     Workspace& workspace) const {
  Own& ws = own(workspace);
  place(context, x, ws);
  if (const unsigned of_cut = want & (want_G | want_g | want_c); of_cut != 0) {
    cut_.rows(context, ws.cut_state, of_cut, ws.cut());
  }
  if (want & want_c) ws.c = ws.cut().c;
  if (want & (want_M | want_G)) {
    auto joint = joints_.begin();
    for (std::size_t k = 0; k < tree_.nodes.size(); ++k) {
      const bool hangs = joint != joints_.end() && joint->node == static_cast<int>(k);
      const JointRows* rows = hangs ? &*joint++ : nullptr;
      Axes axes;
      set_link(context, x, k, rows, ws, axes);
      if (want & want_M) {
        const BodyData& body = cut_.mechanism().bodies[tree_.nodes[k].body];
        fill_mass<Space>(body, context.parameters.derived.data(),
                         ws.M.valuePtr() + ws.M.outerIndexPtr()[body.v]);
      }
      if (rows == nullptr || !(want & want_G)) continue;
      double* values = ws.G.valuePtr() + rows->entry;
      std::fill(values, ws.G.valuePtr() + ws.G.outerIndexPtr()[rows->row + rows->rows], 0.0);
      Fill fill(shapes_[static_cast<std::size_t>(rows->shape)], values);
      fill_G(*rows, ws, axes, fill);
    }
  }
  if (want & want_G) {
    ws.D.head(tree_rows_).setZero();
    const Eigen::Index cut = ws.cut().G.nonZeros();  // the last rows
    std::copy_n(ws.cut().G.valuePtr(), cut, ws.G.valuePtr() + ws.G.nonZeros() - cut);
    ws.D.tail(sizes_.lambda - tree_rows_) = ws.cut().D;
    ws.gI.tail(sizes_.lambda - tree_rows_) = ws.cut().gI;
  }
  if (want & want_g) {
    const Evaluation<Space> here = cut_.at(context, ws.cut_state, ws.cut());
    for (const JointRows& joint : joints_) {
      const Rows<double> rows = rows_of<double>(here, constants(context), x, joint, Seed::none);
      for (int k = 0; k < joint.rows; ++k) ws.g[joint.row + k] = rows.row[k].value;
    }
    ws.g.tail(sizes_.g - tree_rows_) = ws.cut().g;
    set_norms(structure_, x, ws);
  }
}

template <class Space>
void MixedEquations<Space>::set_link(const Context& context, const State& x, std::size_t k,
                                     const JointRows* rows, Own& ws, Axes& axes) const {
  const Mechanism<Space>& m = cut_.mechanism();
  const double* derived = context.parameters.derived.data();
  const TreeNode& node = tree_.nodes[k];
  const BodyData& data = m.bodies[node.body];
  const BodyState<Space, double>& body = ws.cut().bodies[1 + node.body];
  Link<Space>& link = ws.links[k];
  MixedLink<Space>& mixed = ws.mixed[k];
  mixed.A = body.R;
  normalise(mixed.A);
  FrameConstants<Space> far;
  if (node.far >= 0) far = m.frame(derived, node.far);
  link.c = -turn(mixed.A, far.s);
  link.mass = derived[data.mass];
  if (data.rotates) {
    Composite<Space> about{link.mass, {}, {}}, sum;
    for (int i = 0; i < Space::inertia_numbers; ++i) about.J[i] = derived[data.inertia + i];
    about.J = turned(mixed.A, about.J);
    sum.add(about, link.c);
    link.J = sum.J;
  }
  if (rows == nullptr) {
    link.R = mixed.A;
    return;
  }
  const FrameConstants<Space> near = m.frame(derived, node.near);
  auto parent = no_rotation<Space, double>();
  if (node.parent >= 0) {
    const auto f = static_cast<std::size_t>(node.parent);
    parent = ws.mixed[f].A;
    link.d = ws.links[f].c;
  } else {
    link.d = {};
  }
  link.d += turn(parent, near.s);
  const auto A = compose(parent, near.R);
  const JointConstants joint = joint_constants(constants(context), x, k);
  with_joint<Space>(node.kind, [&]<class Joint>(Joint) {
    link.R = Joint::template axes<double>(A, joint, x.p.data() + rows->p);
    link.d += Joint::template slide<double>(A, link.R, joint, x.p.data() + rows->p);
    std::array<double, Space::nv> unit{};
    for (int i = 0; i < node.nv; ++i) {
      unit[i] = 1.0;
      axes[i] = Joint::template rates<double>(A, link.R, joint, unit.data());
      unit[i] = 0.0;
    }
  });
  if (node.nv == 1 || is_serial(node.kind)) link.axis = axis_of_columns<Space>(node.kind, axes);
  if constexpr (Space::dim == 2) {
    mixed.C(0, 0) = 1.0;
  } else {
    const auto R = mixed.A * far.R;
    for (int i = 0; i < 3; ++i) {
      mixed.C.row[i] = cross(R.column((i + 1) % 3), link.R.column(i));
    }
  }
}

// A row is a wrench (l, m) on the far frame, the opposite one on P; those of `coincide` have an
// axis of inertial ones for l.
template <class Space>
void MixedEquations<Space>::fill_G(const JointRows& joint, const Own& ws, const Axes& S,
                                   Fill& fill) const {
  const Mechanism<Space>& m = cut_.mechanism();
  const TreeNode& node = tree_.nodes[static_cast<std::size_t>(joint.node)];
  const Link<Space>& link = ws.links[static_cast<std::size_t>(joint.node)];
  const MixedLink<Space>& mixed = ws.mixed[static_cast<std::size_t>(joint.node)];
  const BodyData& data = m.bodies[node.body];
  const BodyData* parent = nullptr;
  const MixedLink<Space>* of_parent = nullptr;
  Vec<double, Space::dim> arm;  // of P from the parent's centre of mass
  if (node.parent >= 0) {
    const auto f = static_cast<std::size_t>(node.parent);
    parent = &m.bodies[tree_.nodes[f].body];
    of_parent = &ws.mixed[f];
    arm = link.d - ws.links[f].c;
  }
  const auto torque = [&](int row, int column, const auto& A, const Vec<double, Space::rot>& t) {
    const auto turned_back = turn_back(A, t);
    for (int i = 0; i < Space::rot; ++i) fill.add(row, column + Space::dim + i, turned_back[i]);
  };
  for (int i = 0; i < Space::dim; ++i) {
    const int row = joint.row + i;
    Vec<double, Space::dim> l;
    l[i] = 1.0;
    if (parent != nullptr) {
      fill.add(row, parent->v + i, -1.0);
      if (parent->rotates) torque(row, parent->v, of_parent->A, -moment(arm, l));
    }
    fill.add(row, data.v + i, 1.0);
    if (data.rotates) torque(row, data.v, mixed.A, -moment(link.c, l));
    for (int j = 0; j < node.nv; ++j) fill.add(row, joint.v + j, -S[j].linear[i]);
  }
  for (int i = 0; data.rotates && i < Space::rot; ++i) {
    const int row = joint.row + Space::dim + i;
    const Vec<double, Space::rot>& t = mixed.C.row[i];
    if (parent != nullptr && parent->rotates) torque(row, parent->v, of_parent->A, -t);
    torque(row, data.v, mixed.A, t);
    for (int j = 0; j < node.nv; ++j) fill.add(row, joint.v + j, -dot(S[j].angular, t));
  }
}

template <class Space>
void MixedEquations<Space>::apply_Z(const Context&, const State& x, const Vector& v,
                                    Vector& z) const {
  z.resize(sizes_.p);
  if constexpr (Space::dim == 2) {
    z = v;
  } else {
    body_rates(cut_.mechanism(), x.p, v, z);
    for (const JointRows& joint : joints_) {
      const TreeNode& node = tree_.nodes[joint.node];
      if (node.np == 4) {
        euler_rates(&x.p[joint.p], &v[joint.v], &z[joint.p]);
      } else {
        for (int i = 0; i < node.nv; ++i) z[joint.p + i] = v[joint.v + i];
      }
    }
  }
}

template <class Space>
void MixedEquations<Space>::velocity(const Context& context, const State& x,
                                     Workspace& workspace) const {
  Own& ws = own(workspace);
  move(context, x, ws);
  apply_Z(context, x, x.v, ws.p_dot);
  set_velocity_rows(x, ws);
}

template <class Space>
void MixedEquations<Space>::force(const Context& context, const State& x, unsigned want,
                                  Workspace& workspace) const {
  Own& ws = own(workspace);
  share(x, ws);
  cut_.force(context, ws.cut_state, want, ws.cut());
  if (want & want_f) {
    ws.f.head(bodies_v_) = ws.cut().f;
    ws.f.tail(sizes_.v - bodies_v_).setZero();
  }
  if (want & want_b) {
    for (int i = 0; i < sizes_.r; ++i) {
      ws.b[i] = ws.cut().b[this->r_of_[static_cast<std::size_t>(i)]];
    }
  }
  if (want & want_d) ws.d = ws.cut().d;
}

// The acceleration of the far frame at v' = 0 less that of P, a_P and alpha_P of mixed_rows.hpp
// with omega x s_f' for the lever of P from the parent; and for the directions u of P and w of the
// far frame of a row c = w x u
//
//   (u.w)'' = (omega_P x (omega_P x u)).w + 2 (omega_P x u).(omega x w) + u.(omega x (omega x w))
template <class Space>
void MixedEquations<Space>::gamma(const Context& context, const State& x,
                                  Workspace& workspace) const {
  Own& ws = own(workspace);
  const Mechanism<Space>& m = cut_.mechanism();
  const double* derived = context.parameters.derived.data();
  for (const JointRows& joint : joints_) {
    const auto k = static_cast<std::size_t>(joint.node);
    const TreeNode& node = tree_.nodes[k];
    const Link<Space>& link = ws.links[k];
    const BodyState<Space, double>& body = ws.cut().bodies[1 + node.body];
    auto A = no_rotation<Space, double>();
    Vec<double, Space::rot> omega;  // of the parent
    Vec<double, Space::dim> arm = link.d;
    if (node.parent >= 0) {
      const auto f = static_cast<std::size_t>(node.parent);
      A = ws.mixed[f].A;
      omega = turn(A, ws.cut().bodies[1 + tree_.nodes[f].body].omega);
      arm -= ws.links[f].c;
    }
    A = compose(A, m.frame(derived, node.near).R);
    const JointConstants constant = joint_constants(constants(context), x, k);
    const double* qd = x.v.data() + joint.v;
    DoubleScrew<Space> relative;
    Vec<double, Space::rot> twist;
    with_joint<Space>(node.kind, [&]<class Joint>(Joint) {
      relative = Joint::template rates<double>(A, link.R, constant, qd);
      if constexpr (requires { Joint::template twist<double>(A, link.R, constant, qd); }) {
        twist = Joint::template twist<double>(A, link.R, constant, qd);
      }
    });
    const auto alpha_P = cross(omega, relative.angular) + twist;
    const auto a_P = cross(omega, cross(omega, arm) + 2.0 * relative.linear);
    const auto spin = turn(ws.mixed[k].A, body.omega);
    const auto a = -cross(spin, cross(spin, link.c));
    for (int i = 0; i < Space::dim; ++i) ws.gamma[joint.row + i] = a[i] - a_P[i];
    if (joint.rows == Space::dim) continue;
    if constexpr (Space::dim == 2) {
      ws.gamma[joint.row + 2] = -alpha_P[0];
    } else {
      const auto omega_P = omega + relative.angular;
      const auto far = ws.mixed[k].A * m.frame(derived, node.far).R;
      for (int i = 0; i < 3; ++i) {
        const auto u = link.R.column(i), w = far.column((i + 1) % 3);
        const auto u_dot = cross(omega_P, u), w_dot = cross(spin, w);
        ws.gamma[joint.row + 3 + i] = dot(cross(omega_P, u_dot), w) + 2.0 * dot(u_dot, w_dot) +
                                      dot(u, cross(spin, w_dot)) -
                                      dot(ws.mixed[k].C.row[i], alpha_P);
      }
    }
  }
  cut_.gamma(context, ws.cut_state, ws.cut());
  ws.gamma.tail(sizes_.lambda - tree_rows_) = ws.cut().gamma;
}

template <class Space>
void MixedEquations<Space>::friction(const Context& context, const State& x,
                                     Workspace& workspace) const {
  if (!structure_.f_depends_on_lambda) return;
  Own& ws = own(workspace);
  this->set_all_bodies(context, x, ws);
  cut_.friction(context, ws.cut_state, ws.cut());
  ws.F.coeffs() = ws.cut().F.coeffs();  // the columns of the tree are empty
}

template <class Space>
void MixedEquations<Space>::conditions(const Context& context, const State& x,
                                       Workspace& workspace) const {
  Own& ws = own(workspace);
  this->set_all_bodies(context, x, ws);
  cut_.conditions(context, ws.cut_state, ws.cut());
  ws.condition_p = ws.cut().condition_p;
  ws.condition_v = ws.cut().condition_v;
  ws.condition_p_rows.coeffs() = ws.cut().condition_p_rows.coeffs();
  ws.condition_v_rows.coeffs() = ws.cut().condition_v_rows.coeffs();
}

// The reaction on the far body is what the joint's rows do to it.
template <class Space>
void MixedEquations<Space>::accelerations_and_multipliers(const Context& context, const State& x,
                                                          Own& ws) const {
  State& to = ws.whole_state;
  to.a = x.a.head(bodies_v_);
  for (std::size_t i = 0; i < this->lambda_of_.size(); ++i) {
    to.lambda[this->lambda_of_[i]] = x.lambda[tree_rows_ + static_cast<Eigen::Index>(i)];
  }
  if (this->reactions_.shown().empty()) return;
  const Evaluation<Space> here = cut_.at(context, ws.cut_state, ws.cut());
  for (const JointRows& joint : joints_) {
    const Rows<double> rows = rows_of<double>(here, constants(context), x, joint, Seed::none);
    DoubleScrew<Space> w;
    for (int k = 0; k < joint.rows; ++k) {
      w.linear -= x.lambda[joint.row + k] * rows.row[k].linear_b;
      w.angular -= x.lambda[joint.row + k] * rows.row[k].angular_b;
    }
    w.angular = turn(ws.cut().bodies[1 + tree_.nodes[joint.node].body].R, w.angular);
    ws.borne[joint.node] = w;
  }
  this->reactions_.set_shown_multipliers(context, ws);
}

template <class Space>
void MixedEquations<Space>::carry_row(const double* by_p, const double* by_v, const double* by_a,
                                      const OutputRow& to, Own&) const {
  const JacobianLayout at(sizes_);
  for (int i = 0; i < bodies_p_; ++i) to(at.col_p + i, by_p[i]);
  for (int i = 0; i < bodies_v_; ++i) to(at.col_v + i, by_v[i]);
  for (int i = 0; i < bodies_v_; ++i) to(at.cols + i, by_a[i]);
}

template <class Space>
void MixedEquations<Space>::jacobian(const Context& context, const State& x,
                                     Workspace& workspace) const {
  Own& ws = own(workspace);
  if (ws.jacobian.size() == 0) ws.jacobian = structure_.jacobian;
  this->set_all_bodies(context, x, ws);
  share_bodies(x, ws);
  ws.cut().jacobian_without_g = ws.jacobian_without_g;
  cut_.jacobian(context, ws.cut_state, ws.cut());
  ws.jacobian.coeffs().setZero();
  Fill fill(jacobian_places_, ws.jacobian.valuePtr());
  add_elements(ws.cut().jacobian, fill);
  fill_jacobian(cut_.at(context, ws.cut_state, ws.cut()), constants(context), x, fill);
}

template class MixedEquations<Planar>;
template class MixedEquations<Spatial>;

}  // namespace mbs
