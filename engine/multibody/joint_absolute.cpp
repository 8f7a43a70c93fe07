// Conversion from and to absolute coordinates: initial values of the joints' coordinates,
// accelerations of the bodies, reactions of the joints in the tree.

#include "engine/multibody/further_rows.hpp"
#include "engine/multibody/joint.hpp"
#include "engine/multibody/measures.hpp"

namespace mbs {

template <class Space>
void JointEquations<Space>::from_absolute(const Context& context, const State& absolute,
                                          State& x) const {
  const auto at = whole_.elements().make_workspace();
  const Mechanism<Space>& m = whole_.mechanism();
  place_bodies(m, absolute.p, at->bodies);
  move_bodies(m, absolute.v, at->bodies);
  const Evaluation<Space> here = whole_.elements().at(context, absolute, *at);
  // Axes of the own frames; a particle's are those of its parent's near frame.
  std::vector<typename Space::template Rotation<double>> axes(tree_.nodes.size());
  std::vector<Vec<double, Space::rot>> omegas(tree_.nodes.size());
  const LinkConstants<Space>* constant = constants(context);
  for (std::size_t k = 0; k < tree_.nodes.size(); ++k) {
    const TreeNode& node = tree_.nodes[k];
    const BodyData& data = m.bodies[node.body];
    const BodyState<Space, double>& body = at->bodies[1 + static_cast<std::size_t>(node.body)];
    auto A = no_rotation<Space, double>();
    Vec<double, Space::rot> omega;
    if (node.parent >= 0) {
      A = axes[static_cast<std::size_t>(node.parent)];
      omega = omegas[static_cast<std::size_t>(node.parent)];
    }
    A = compose(A, constant[k].K);
    axes[k] = A;
    omegas[k] = omega;
    if (data.rotates) {
      axes[k] = compose(body.R, constant[k].own.R);
      omegas[k] = turn(body.R, body.omega);
    }
    switch (group_of(node.kind)) {
      case JointGroup::fixed:
        break;
      case JointGroup::one_axis:
        if (node.coordinates[0] >= 0) {
          coordinate_values(here, node.coordinates[0], x.p[node.p], x.v[node.v]);
        } else if constexpr (Space::dim == 2) {  // on a particle
          x.p[node.p] = constant[k].sign * (axes[k].angle - A.angle);
          x.v[node.v] = constant[k].sign * (omegas[k][0] - omega[0]);
        }
        break;
      case JointGroup::spherical:
        if constexpr (Space::dim == 3) {
          euler_parameters(inverse(A) * axes[k], &x.p[node.p]);
          const auto relative = turn_back(axes[k], omegas[k] - omega);
          for (int i = 0; i < 3; ++i) x.v[node.v + i] = relative[i];
        }
        break;
      case JointGroup::serial:
        for (int j = 0; j < node.nv; ++j) {
          tree_coordinate<Space>(here, node, constant[k], j, x.p[node.p + j], x.v[node.v + j]);
        }
        break;
      case JointGroup::free:
        x.p.segment(node.p, node.np) = absolute.p.segment(data.p, node.np);
        x.v.segment(node.v, node.nv) = absolute.v.segment(data.v, node.nv);
        break;
    }
  }
}

// Accelerations outwards, then Newton-Euler backwards: what a joint of the tree has to bear is what
// the bodies behind it need beyond the forces and closures that act on them.
template <class Space>
void JointEquations<Space>::residual_wrenches(const Context& context, const State& x,
                                              Own& ws) const {
  const Mechanism<Space>& m = whole_.mechanism();
  const Recursion<Space> tree = recursion(context, ws);
  tree.accelerate(x.a.data(), true, ws.screws.data());
  State& to = ws.whole_state;
  // Forces on the bodies, less G^T lambda of the closures.
  cut_.force(context, ws.cut_state, want_f, ws.cut());
  Vector& f = ws.cut().f;
  const auto close = [&](const Row<Space, double>& row, int number, int a, int b) {
    for_row(m, row, a, b, [&](int i, double g) { f[i] -= x.lambda[number] * g; });
  };
  const Evaluation<Space> here = cut_.at(context, ws.cut_state, ws.cut());
  for_constraint_rows(here, close);
  for_further_rows(
      here, [&](const auto& row, int number, int a, int b, bool) { close(row, number, a, b); });
  for (std::size_t k = 0; k < tree_.nodes.size(); ++k) {
    const int body = tree_.nodes[k].body;
    const BodyData& data = m.bodies[body];
    const Link<Space>& link = ws.links[k];
    const auto& w = link.motion.angular;
    const DoubleScrew<Space>& a = ws.screws[k];
    const auto linear = a.linear + cross(a.angular, link.c) + cross(w, cross(w, link.c));
    const BodyState<Space, double>& state = ws.cut().bodies[1 + body];
    const auto angular = turn_back(state.R, a.angular);
    for (int i = 0; i < Space::dim; ++i) to.a[data.v + i] = linear[i];
    for (int i = 0; data.rotates && i < Space::rot; ++i) to.a[data.v + Space::dim + i] = angular[i];
    // The gyroscopic torque is part of f.
    DoubleScrew<Space> need = wrench_on(m, ws.cut().bodies.data(), body, f.data());
    need.linear = link.mass * linear - need.linear;
    need.angular = Vec<double, Space::rot>{} - need.angular;
    if (data.rotates) {
      need.angular +=
          turn(state.R, inertia_times(context.parameters.derived.data() + data.inertia, angular));
    }
    ws.wrenches[k] = {need.linear, need.angular + moment(link.c, need.linear)};
  }
}

template <class Space>
void JointEquations<Space>::accelerations_and_multipliers(const Context& context, const State& x,
                                                          Own& ws) const {
  residual_wrenches(context, x, ws);
  set_multipliers(context, x, ws);
}

// prepare_bodies() has made the wrenches.
template <class Space>
void JointEquations<Space>::complete_after_jacobian(const Context& context, const State& x,
                                                    Own& ws) const {
  if (jacobian_.inertia_alone()) return Base::complete_after_jacobian(context, x, ws);
  set_multipliers(context, x, ws);
}

// Called after residual_wrenches(), whose wrenches it adds up in place.
template <class Space>
void JointEquations<Space>::set_multipliers(const Context& context, const State& x, Own& ws) const {
  for (std::size_t i = 0; i < this->lambda_of_.size(); ++i) {
    ws.whole_state.lambda[this->lambda_of_[i]] = x.lambda[static_cast<Eigen::Index>(i)];
  }
  if (this->reactions_.shown().empty()) return;
  recursion(context, ws).gather(ws.wrenches.data(), ws.scratch.data());
  for (std::size_t k = 0; k < tree_.nodes.size(); ++k)
    ws.borne[k] = wrench_back<Space>(ws.wrenches[k], -ws.links[k].c);
  this->reactions_.set_shown_multipliers(context, ws);
}

template class JointEquations<Planar>;
template class JointEquations<Spatial>;

}  // namespace mbs
