// The Jacobian of the residuals, exact and column by column, each in O(n): what a change of one
// coordinate does to the bodies is known in closed form, what that does to forces and closures are
// the sparse blocks of absolute coordinates (AbsoluteEquations::jacobian), and what comes of it is
// carried back by the recursion of Newton-Euler.
//
// A change of q moves all that hangs on the joint as one rigid body, by a screw (lin, ang) at the
// joint's origin. Of a body there, with v, omega, a, alpha; f: its father's side of the joint, as
// if it reached so far; x = r - r_joint; relative motion turns with the displacement:
//
//   delta r = lin + ang x x                   delta theta = ang
//   delta v = omega_f x delta r + ang x u     delta omega = ang x w       u, w: relative velocities
//   delta a = alpha_f x delta r + omega_f x (omega_f x delta r) + 2 omega_f x (ang x u) + ang x a_r
//   delta alpha = omega_f x (ang x w) + ang x alpha_r
//   a_r = a - a_f - 2 omega_f x u,   alpha_r = alpha - alpha_f - omega_f x w
//
// A change of q', k being the joint's own far frame, w_k = omega_k - omega_f:
//
//   delta v = lin + ang x x,   delta omega = ang
//   delta a = 2 omega_f x delta v + ang x (w_k x x) + w_k x (ang x x) + 2 ang x u_k
//   delta alpha = omega_f x ang + ang x (omega - omega_k),   u_k = v - v_k - omega_k x x
//
// The residual wrenches W behind the joint turn with it, so that S^T W changes there by S^T W'
// alone, W' what W changes by beyond turning; towards the ground by S^T (W' + ang x W).
//
// A free body is its centre of mass, moved along inertial axes, with a spherical joint there.

#include <stdexcept>

#include "engine/multibody/joint.hpp"
#include "engine/multibody/tree/joint_columns.hpp"

namespace mbs {

// Everything that the columns are made of, at a state.
template <class Space>
void JointEquations<Space>::prepare_columns(const Given& given, const State& x, Own& ws) const {
  this->set_all_bodies(given, x, ws);
  share(x, ws);
  residual_wrenches(given, x, ws);
  ws.cut_state.a = ws.whole_state.a;
  JointColumns<Space>& columns = ws.columns;
  columns.force.resize(tree_.nodes.size());
  for (std::size_t k = 0; k < tree_.nodes.size(); ++k) {
    columns.force[k] = -ws.wrenches[k].linear;
  }
  recursion(given, ws).gather(ws.wrenches.data(), ws.scratch.data());
  cut_.jacobian(given, ws.cut_state, ws.cut());
  columns.partial.resize(this->cut_layout_.rows);
  columns.column.resize(layout_.rows);
  columns.part.resize(layout_.rows, 4);
  columns.change.resize(tree_.nodes.size());
}

// Adds what a change of a body's p, v and v' does to the residuals in absolute coordinates.
template <class Space>
void JointEquations<Space>::add_body(const Given& given, int body,
                                     const Vec<double, Space::dim>& dr,
                                     const Vec<double, Space::rot>& d_theta,
                                     const Vec<double, Space::dim>& dv,
                                     const Vec<double, Space::rot>& d_omega,
                                     const Vec<double, Space::dim>& da,
                                     const Vec<double, Space::rot>& d_alpha, Own& ws) const {
  const JacobianLayout& at = this->cut_layout_;
  const BodyData& data = cut_.mechanism().bodies[body];
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
  const double mass = given.parameters.derived[data.mass];
  for (int i = 0; i < Space::dim; ++i) {
    add(at.col_p + data.p + i, dr[i]);
    add(at.col_v + data.v + i, dv[i]);
    accelerate(i, da[i]);
    to[at.dynamics + data.v + i] -= mass * da[i];
  }
  if (!data.rotates) return;
  if constexpr (Space::dim == 2) {
    add(at.col_p + data.p + 2, d_theta[0]);
  } else {
    std::array<double, 4> de;
    euler_rates(&ws.cut_state.p[data.p + 3], d_theta.x.data(), de.data());
    for (int i = 0; i < 4; ++i) add(at.col_p + data.p + 3 + i, de[i]);
  }
  const auto torque = inertia_times(given.parameters.derived.data() + data.inertia, d_alpha);
  for (int i = 0; i < Space::rot; ++i) {
    add(at.col_v + data.v + Space::dim + i, d_omega[i]);
    accelerate(Space::dim + i, d_alpha[i]);
    to[at.dynamics + data.v + Space::dim + i] -= torque[i];
  }
}

// What stands in `partial` to the residuals here. With the joint k that is displaced by `s`, or -1.
template <class Space>
void JointEquations<Space>::carry_column(int k, const DoubleScrew<Space>& s, Own& ws,
                                         Eigen::Ref<Vector> column) const {
  const JacobianLayout &from = this->cut_layout_, &to = layout_;
  JointColumns<Space>& columns = ws.columns;
  const Vector& partial = columns.partial;
  column.setZero();
  for (int i = 0; i < sizes_.r; ++i) {
    column[to.r + i] = partial[from.r + this->r_of_[static_cast<std::size_t>(i)]];
  }
  column.segment(to.w, sizes_.w) = partial.segment(from.w, sizes_.w);
  column.segment(to.velocity, sizes_.lambda) = partial.segment(from.velocity, sizes_.lambda);
  column.segment(to.position, sizes_.g) = partial.segment(from.position, sizes_.g);
  column.segment(to.acceleration, sizes_.lambda) =
      partial.segment(from.acceleration, sizes_.lambda);

  const int n = static_cast<int>(tree_.nodes.size());
  const int end = k < 0 ? 0 : tree_.nodes[k].end;
  for (int i = 0; i < n; ++i) {
    const int body = tree_.nodes[i].body;
    DoubleScrew<Space> w = wrench_on(ws.cut().bodies.data(), body, &partial[from.dynamics]);
    if (i >= k && i < end) w.linear -= cross(s.angular, columns.force[i]);
    w.angular += moment(ws.links[i].c, w.linear);
    columns.change[i] = w;
  }
  for (int i = n; i-- > 0;) {
    const TreeNode& node = tree_.nodes[i];
    DoubleScrew<Space>& w = columns.change[i];
    project(node, ws.links[i], w, column.data() + to.dynamics + node.v);
    if (i ==
        k) {  // from here on what turning does counts, too; W is what is needed, not what is left
      const DoubleScrew<Space>& all = ws.wrenches[k];
      w.linear -= cross(s.angular, all.linear);
      w.angular -= cross(s.angular, all.angular);
      if (node.kind == JointKind::free) {  // moved along axes that do not turn
        for (int j = 0; j < Space::dim; ++j) column[to.dynamics + node.v + j] = w.linear[j];
      }
      w.angular -= moment(s.linear, all.linear);
    }
    if (node.father >= 0) {
      add_wrench_back<Space>(columns.change[node.father], w, ws.links[i].d);
    }
  }
}

// The column of a displacement by S_j of a node; of its velocity.
template <class Space>
void JointEquations<Space>::displacement(const Given& given, int k, int j, Own& ws,
                                         Eigen::Ref<Vector> column) const {
  const TreeNode& node = tree_.nodes[k];
  const Link<Space>& joint = ws.links[k];
  std::array<double, Space::nv> unit{};
  unit[j] = 1.0;
  const DoubleScrew<Space> s = joint_motion(node, joint, unit.data());
  // The father's side at the joint's origin: velocities, accelerations.
  DoubleScrew<Space> V, A;
  if (node.father >= 0) {
    const Link<Space>& father = ws.links[node.father];
    V = motion_on<Space>(father.motion, joint.d);
    A = motion_on<Space>(ws.screws[node.father], joint.d);
    A.linear += cross(V.angular, cross(V.angular, joint.d));
  } else if (node.kind == JointKind::free && j >= Space::dim) {
    V.linear = joint.motion.linear;
    A.linear = ws.screws[k].linear;
  }
  const auto& wf = V.angular;
  ws.columns.partial.setZero();
  for (int i = k; i < node.end; ++i) {
    const Link<Space>& link = ws.links[i];
    const int body = tree_.nodes[i].body;
    const BodyState<Space, double>& state = ws.cut().bodies[1 + body];
    const Vec<double, Space::dim> x = link.r + link.c - joint.r;
    const auto v = link.motion.linear + cross(link.motion.angular, link.c);
    const DoubleScrew<Space>& acceleration = ws.screws[i];
    const auto a = acceleration.linear + cross(acceleration.angular, link.c) +
                   cross(link.motion.angular, cross(link.motion.angular, link.c));
    const auto u = v - V.linear - cross(wf, x);
    const auto w = link.motion.angular - wf;
    const auto dr = s.linear + cross(s.angular, x);
    const auto a_r =
        a - (A.linear + cross(A.angular, x) + cross(wf, cross(wf, x))) - 2.0 * cross(wf, u);
    const auto alpha_r = acceleration.angular - A.angular - cross(wf, w);
    const auto du = cross(s.angular, u);
    const auto dv = cross(wf, dr) + du;
    const auto da = cross(A.angular, dr) + cross(wf, cross(wf, dr)) + 2.0 * cross(wf, du) +
                    cross(s.angular, a_r);
    const auto d_omega = cross(s.angular, w);
    const auto d_alpha = cross(wf, d_omega) + cross(s.angular, alpha_r);
    // In body axes, which turn.
    const auto& R = state.R;
    add_body(given, body, dr, turn_back(R, s.angular), dv,
             turn_back(R, d_omega - cross(s.angular, link.motion.angular)), da,
             turn_back(R, d_alpha - cross(s.angular, acceleration.angular)), ws);
  }
  carry_column(k, s, ws, column);
}

template <class Space>
void JointEquations<Space>::velocity_column(const Given& given, int k, int j, Own& ws,
                                            Eigen::Ref<Vector> column) const {
  const TreeNode& node = tree_.nodes[k];
  const Link<Space>& joint = ws.links[k];
  std::array<double, Space::nv> unit{};
  unit[j] = 1.0;
  const DoubleScrew<Space> s = joint_motion(node, joint, unit.data());
  Vec<double, Space::rot> wf;
  if (node.father >= 0) wf = ws.links[node.father].motion.angular;
  const auto wk = joint.motion.angular - wf;
  ws.columns.partial.setZero();
  for (int i = k; i < node.end; ++i) {
    const Link<Space>& link = ws.links[i];
    const int body = tree_.nodes[i].body;
    const auto& R = ws.cut().bodies[1 + body].R;
    const Vec<double, Space::dim> x = link.r + link.c - joint.r;
    const auto v = link.motion.linear + cross(link.motion.angular, link.c);
    const auto turned = cross(s.angular, x);
    const auto dv = s.linear + turned;
    const auto u_k = v - joint.motion.linear - cross(joint.motion.angular, x);
    const auto da = 2.0 * cross(wf, dv) + cross(s.angular, cross(wk, x)) + cross(wk, turned) +
                    2.0 * cross(s.angular, u_k);
    const auto d_alpha =
        cross(wf, s.angular) + cross(s.angular, link.motion.angular - joint.motion.angular);
    add_body(given, body, {}, {}, dv, turn_back(R, s.angular), da, turn_back(R, d_alpha), ws);
  }
  carry_column(-1, {}, ws, column);
}

// use(index of the column, column) for all of them.
template <class Space>
template <class Use>
void JointEquations<Space>::for_columns(const Given& given, const State& x, Own& ws,
                                        const Use& use) const {
  const JacobianLayout &from = this->cut_layout_, &to = layout_;
  JointColumns<Space>& columns = ws.columns;
  Vector& column = columns.column;
  for (std::size_t k = 0; k < tree_.nodes.size(); ++k) {
    const TreeNode& node = tree_.nodes[k];
    const int at = static_cast<int>(k);
    const int turning = node.np > node.nv ? 3 : 0;  // by Euler parameters, the last coordinates
    const int plain = node.nv - turning;
    for (int j = 0; j < plain; ++j) {
      displacement(given, at, j, ws, column);
      use(to.col_p + node.p + j, column);
      velocity_column(given, at, j, ws, column);
      column[to.kinematics + node.p + j] = 1.0;
      use(to.col_v + node.v + j, column);
    }
    if constexpr (Space::dim == 3) {
      if (turning == 0) continue;
      for (int j = 0; j < 3; ++j) displacement(given, at, plain + j, ws, columns.part.col(j));
      const double* e = &x.p[node.p + plain];
      const double* omega = &x.v[node.v + plain];
      const double square = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3];
      std::array<std::array<double, 4>, 3> Q;  // columns
      for (int j = 0; j < 3; ++j) {
        std::array<double, 3> unit{};
        unit[j] = 1.0;
        euler_rates(e, unit.data(), Q[j].data());
      }
      const auto norm = std::find(structure_.euler_parameters.begin(),
                                  structure_.euler_parameters.end(), node.p + plain);
      const auto norm_row = norm - structure_.euler_parameters.begin();
      for (int i = 0; i < 4; ++i) {  // ang = 4 Q^T de / e.e
        column.setZero();
        for (int j = 0; j < 3; ++j) column += (4.0 / square * Q[j][i]) * columns.part.col(j);
        std::array<double, 4> unit{}, rates;
        unit[i] = 1.0;
        euler_rates(unit.data(), omega, rates.data());
        for (int l = 0; l < 4; ++l) column[to.kinematics + node.p + plain + l] = rates[l];
        column[to.norm + norm_row] = e[i];
        use(to.col_p + node.p + plain + i, column);
      }
      for (int j = 0; j < 3; ++j) {
        velocity_column(given, at, plain + j, ws, column);
        for (int l = 0; l < 4; ++l) column[to.kinematics + node.p + plain + l] = Q[j][l];
        use(to.col_v + node.v + plain + j, column);
      }
    }
  }
  // What depends on the elements alone.
  const auto direct = [&](int first_from, int first_to, int count, const std::vector<int>* of) {
    for (int i = 0; i < count; ++i) {
      columns.partial.setZero();
      const int index = first_from + (of == nullptr ? i : (*of)[static_cast<std::size_t>(i)]);
      for (ColumnSparse::InnerIterator e(ws.cut().jacobian, index); e; ++e) {
        columns.partial[e.row()] = e.value();
      }
      carry_column(-1, {}, ws, column);
      use(first_to + i, column);
    }
  };
  direct(from.col_r, to.col_r, sizes_.r, &this->r_of_);
  direct(from.col_w, to.col_w, sizes_.w, nullptr);
  direct(from.col_lambda, to.col_lambda, sizes_.lambda, nullptr);
  direct(from.col_u, to.col_u, sizes_.u, nullptr);
}

template <class Space>
void JointEquations<Space>::jacobian(const Given& given, const State& x,
                                     Workspace& workspace) const {
  if (structure_.jacobian.size() == 0) {
    throw std::invalid_argument("the Jacobian in joint coordinates would be too large here (" +
                                std::to_string(sizes_.v) +
                                " coordinates): take coordinates = mixed or absolute, or an "
                                "explicit method");
  }
  Own& ws = own(workspace);
  if (ws.jacobian.size() == 0) ws.jacobian = structure_.jacobian;
  prepare_columns(given, x, ws);
  for_columns(given, x, ws, [&](int j, const Vector& column) {
    for (ColumnSparse::InnerIterator e(ws.jacobian, j); e; ++e) e.valueRef() = column[e.row()];
  });
}

// Its pattern: at a random state, with random numbers in all places that the elements can reach.
template <class Space>
void JointEquations<Space>::record_jacobian(const Given& given, const State& x, Own& ws) {
  if (!structure_.M_assembled) return;
  prepare_columns(given, x, ws);
  unsigned long long seed = 7;
  ColumnSparse& J = ws.cut().jacobian;
  for (double* value = J.valuePtr(); value != J.valuePtr() + J.nonZeros(); ++value) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    *value = 0.5 + static_cast<double>(seed >> 11) * 0x1p-53;
  }
  std::vector<Eigen::Triplet<double>> entries;
  for_columns(given, x, ws, [&](int j, const Vector& column) {
    for (int i = 0; i < column.size(); ++i) {
      if (column[i] != 0.0) entries.emplace_back(i, j, 0.0);
    }
  });
  structure_.jacobian = ColumnSparse(layout_.rows, layout_.cols);
  structure_.jacobian.setFromTriplets(entries.begin(), entries.end());
}

template class JointEquations<Planar>;
template class JointEquations<Spatial>;

}  // namespace mbs
