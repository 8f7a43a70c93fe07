// The stages.

#include "engine/multibody/joint.hpp"

#include "engine/multibody/further_rows.hpp"

namespace mbs {

template <class Space>
void JointEquations<Space>::set_positions(const Context& context, Own& ws) const {
  const LinkConstants<Space>* constant = constants(context);
  for (std::size_t k = 0; k < tree_.nodes.size(); ++k) {
    const int index = tree_.nodes[k].body;
    BodyState<Space, double>& body = ws.cut().bodies[1 + index];
    const Link<Space>& link = ws.links[k];
    body.r = link.r + link.c;
    if (!cut_.mechanism().bodies[index].rotates) continue;
    body.R = compose(link.R, inverse(constant[k].own.R));
  }
}

template <class Space>
void JointEquations<Space>::set_velocities(Own& ws) const {
  for (std::size_t k = 0; k < tree_.nodes.size(); ++k) {
    const int index = tree_.nodes[k].body;
    BodyState<Space, double>& body = ws.cut().bodies[1 + index];
    const Link<Space>& link = ws.links[k];
    body.v = link.motion.linear + cross(link.motion.angular, link.c);
    if (!cut_.mechanism().bodies[index].rotates) continue;
    body.omega = turn_back(body.R, link.motion.angular);
  }
}

template <class Space>
void JointEquations<Space>::place(const Context& context, const State& x, Own& ws) const {
  share(x, ws);
  recursion(context, ws).place(x.p.data(), x.z.data());
  set_positions(context, ws);
}

template <class Space>
void JointEquations<Space>::move(const Context& context, const State& x, Own& ws) const {
  recursion(context, ws).move(x.v.data());
  set_velocities(ws);
}

template <class Space>
void JointEquations<Space>::position(const Context& context, const State& x, unsigned want,
                                     Workspace& workspace) const {
  Own& ws = own(workspace);
  if (needs_bodies_) {
    place(context, x, ws);
  } else {
    recursion(context, ws).place(x.p.data(), x.z.data());
  }
  if ((want & want_solver) == want_M && structure_.M_assembled) {
    ws.M.coeffs().setZero();
    Fill fill(M_places_, ws.M.valuePtr());
    fill_M(ws, fill);
  }
  if (sizes_.lambda > 0) {
    const Evaluation<Space> here = cut_.at(context, ws.cut_state, ws.cut());
    if (want & want_G) {
      ws.G.coeffs().setZero();
      ws.D.setZero();
      Fill fill(G_places_, ws.G.valuePtr());
      carried_.fill_G(here, ws, fill);
      set_contact_rows(here, ws.D, ws.gI);
      set_drive_rates(here, ws.gI);
    }
    set_constraint_values(here, want, ws);
  }
  if (want & want_g) set_norms(structure_, x, ws);
}

template <class Space>
void JointEquations<Space>::apply_Z(const Context&, const State& x, const Vector& v,
                                    Vector& z) const {
  z.resize(sizes_.p);
  if constexpr (Space::dim == 2) {
    z = v;
  } else {
    for (const TreeNode& node : tree_.nodes) {
      int p = node.p, i = node.v;
      for (const int end = node.v + (node.kind == JointKind::spherical ? 0
                                     : node.kind == JointKind::free    ? 3
                                                                       : node.nv);
           i < end;) {
        z[p++] = v[i++];
      }
      if (node.nv - (i - node.v) == 3) euler_rates(&x.p[p], &v[i], &z[p]);
    }
  }
}

template <class Space>
void JointEquations<Space>::velocity(const Context& context, const State& x,
                                     Workspace& workspace) const {
  Own& ws = own(workspace);
  recursion(context, ws).move(x.v.data());
  if (needs_bodies_) set_velocities(ws);
  apply_Z(context, x, x.v, ws.p_dot);
  set_velocity_rows(x, ws);
}

template <class Space>
void JointEquations<Space>::force(const Context& context, const State& x, unsigned want,
                                  Workspace& workspace) const {
  Own& ws = own(workspace);
  share(x, ws);
  const unsigned of_elements = want & (plain_ ? want_b | want_d : want_force_all);
  if (of_elements != 0 && (!plain_ || sizes_.r + sizes_.w > 0)) {
    cut_.force(context, ws.cut_state, of_elements, ws.cut());
    for (int i = 0; i < sizes_.r; ++i) {
      ws.b[i] = ws.cut().b[this->r_of_[static_cast<std::size_t>(i)]];
    }
    ws.d = ws.cut().d;
  }
  if ((want & want_f) == 0) return;
  const Recursion<Space> tree = recursion(context, ws);
  Vec<double, Space::dim> gravity;
  for (int i = 0; i < Space::dim; ++i) {
    gravity[i] = context.parameters.derived[cut_.mechanism().gravity + i];
  }
  for (std::size_t k = 0; k < tree_.nodes.size(); ++k) {
    const Link<Space>& link = ws.links[k];
    DoubleScrew<Space> a = link.bias;
    if (plain_) a.linear -= gravity;
    const DoubleScrew<Space> I = tree.inertial(k, a), turning = tree.gyroscopic(k);
    DoubleScrew<Space>& w = ws.wrenches[k];
    w.linear = -(I.linear + turning.linear);
    w.angular = -(I.angular + turning.angular);
    if (plain_) continue;
    // f of the elements holds gravity and the gyroscopic torque about the centre of mass.
    const auto applied =
        wrench_on(cut_.mechanism(), ws.cut().bodies.data(), tree_.nodes[k].body, ws.cut().f.data());
    w.linear += applied.linear;
    w.angular += applied.angular + moment(link.c, applied.linear);
    if constexpr (Space::dim == 3) {  // given twice: omega x (J omega) about that point
      if (cut_.mechanism().bodies[tree_.nodes[k].body].rotates) {
        const auto& omega = link.motion.angular;
        const auto J_omega = times(link.J, omega) - link.mass * cross(link.c, cross(omega, link.c));
        w.angular += cross(omega, J_omega);
      }
    }
  }
  tree.gather(ws.wrenches.data(), ws.f.data());
}

// gamma = second derivative at the bodies' accelerations at v' = 0.
template <class Space>
void JointEquations<Space>::gamma(const Context& context, const State&,
                                  Workspace& workspace) const {
  Own& ws = own(workspace);
  ws.gamma.setZero();
  if (sizes_.lambda == 0) return;
  const auto add = [&](const Row<Space, double>& row, int number, int a, int b) {
    double sum = row.second;
    for (const bool side_b : {false, true}) {
      const int body = side_b ? b : a;
      if (body == ground) continue;
      const auto k = static_cast<std::size_t>(tree_.node_of[static_cast<std::size_t>(body)]);
      const Link<Space>& link = ws.links[k];
      const auto& w = link.motion.angular;
      const auto linear =
          link.bias.linear + cross(link.bias.angular, link.c) + cross(w, cross(w, link.c));
      sum += dot(side_b ? row.linear_b : row.linear_a, linear);
      if (!cut_.mechanism().bodies[body].rotates) continue;
      const auto angular = turn_back(ws.cut().bodies[1 + body].R, link.bias.angular);
      sum += dot(side_b ? row.angular_b : row.angular_a, angular);
    }
    ws.gamma[number] += sum;
  };
  const Evaluation<Space> here = cut_.at(context, ws.cut_state, ws.cut());
  for_constraint_rows(here, add);
  for_further_rows(
      here, [&](const auto& row, int number, int a, int b, bool) { add(row, number, a, b); });
}

template <class Space>
void JointEquations<Space>::apply_M(const Context& context, const State&, const Vector& x,
                                    Vector& Mx, Workspace& workspace) const {
  Own& ws = own(workspace);
  Mx.resize(sizes_.v);
  recursion(context, ws).apply_M(x.data(), Mx.data(), ws.screws.data());
}

template <class Space>
void JointEquations<Space>::conditions(const Context& context, const State& x,
                                       Workspace& workspace) const {
  Own& ws = own(workspace);
  this->set_all_bodies(context, x, ws);
  cut_.conditions(context, ws.cut_state, ws.cut());
  ws.condition_p = ws.cut().condition_p;
  ws.condition_v = ws.cut().condition_v;
  carried_.rows(ws.cut().condition_p_rows, ws, ws.condition_p_rows);
  carried_.rows(ws.cut().condition_v_rows, ws, ws.condition_v_rows);
}

template <class Space>
void JointEquations<Space>::friction(const Context& context, const State& x,
                                     Workspace& workspace) const {
  if (!structure_.f_depends_on_lambda) return;
  Own& ws = own(workspace);
  this->set_all_bodies(context, x, ws);
  share(x, ws);
  cut_.friction(context, ws.cut_state, ws.cut());
  carried_.columns(ws.cut().F, ws, ws.F);
}

template <class Space>
void JointEquations<Space>::jacobian(const Context& context, const State& x,
                                     Workspace& workspace) const {
  if (!structure_.M_assembled) {
    throw std::invalid_argument("the Jacobian in joint coordinates would be too large here (" +
                                std::to_string(sizes_.v) +
                                " coordinates): take coordinates = mixed or absolute, or an "
                                "explicit method");
  }
  Own& ws = own(workspace);
  if (ws.jacobian.size() == 0) ws.jacobian = structure_.jacobian;
  prepare_bodies(context, x, ws);
  jacobian_.fill(context, recursion(context, ws), x, ws);
}

// Motions and forces of the bodies, for the elements' part of the Jacobian.
template <class Space>
void JointEquations<Space>::prepare_bodies(const Context& context, const State& x, Own& ws) const {
  if (jacobian_.inertia_alone()) return;
  this->set_all_bodies(context, x, ws);
  share(x, ws);
  residual_wrenches(context, x, ws);
  ws.cut_state.a = ws.whole_state.a;
}

template class JointEquations<Planar>;
template class JointEquations<Spatial>;

}  // namespace mbs
