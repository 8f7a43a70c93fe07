#pragma once

// The workspace of joint and mixed coordinates: links and bodies as the tree places them, and the
// elements' workspaces and states in absolute coordinates.

#include "engine/multibody/element_evaluator.hpp"
#include "engine/multibody/tree/derivatives.hpp"
#include "engine/multibody/tree/recursions.hpp"

namespace mbs {

// Scratch of the Jacobian in joint coordinates.
template <class Space>
struct JointColumns {
  TreeDerivatives<Space> inertia;
  std::vector<std::array<double, 4>> turning;  // per v: d(displacement)/d(Euler parameters)
  Vector partial;                              // residuals in absolute coordinates
  Vector column;                               // residuals here
  Matrix part;                                 // columns of three turns
  std::vector<DoubleScrew<Space>> change;      // per node, at its origin
  std::vector<Vec<double, Space::dim>> force;  // what acts on each body
  std::vector<Impedance<Space>> impedance;     // how that follows the body alone
  // For carry_row, per node: how an output changes with displacements, velocities and accelerations
  // of all that hangs on it; `order` says which of them are not zero.
  enum class Order : unsigned char { nothing, position, first, second };
  struct Carried {
    Order order = Order::nothing;
    DoubleScrew<Space> by_S, by_first, by_second;
  };
  std::vector<Carried> carried;
};

template <class Space>
struct TreeWorkspace : Workspace, TreeMatrix<Space> {
  TreeWorkspace(const Sizes& sizes, const Structure& structure, const ElementEvaluator<Space>& cut,
                const ElementEvaluator<Space>& whole, std::size_t nodes);

  ElementWorkspace<Space>& cut() { return *cut_owned; }
  ElementWorkspace<Space>& whole() { return *whole_owned; }

  std::unique_ptr<ElementWorkspace<Space>> cut_owned, whole_owned;
  State cut_state, whole_state;  // in absolute coordinates
  std::vector<DoubleScrew<Space>> screws, wrenches;
  std::vector<Composite<Space>> composites;  // only where M is assembled
  JointColumns<Space> columns;
  const BodyState<Space, double>& body(int index) const { return whole_owned->bodies[1 + index]; }
  // The Jacobian of the outputs, and one row of it by absolute coordinates (tree_reactions.hpp).
  OutputColumns output_columns;
  Vector row;
  // Per node: what its joint bears, about the far body's mass centre, and of it the moment that
  // this body needs.
  std::vector<DoubleScrew<Space>> borne;
  std::vector<Vec<double, Space::rot>> own_moment;
  Vector momentum, needs, spins;
  // A joint whose reaction is shown, with its rows A on the far body: A^-1 (that of least squares
  // if there are fewer rows than unknowns), and the derivatives of A lambda by p of the far and the
  // near body.
  using Square = Eigen::Matrix<double, Space::nv, Space::nv>;
  using ByPosition = Eigen::Matrix<double, Space::nv, Space::np>;
  struct ReactionChange {
    Square inverse;
    ByPosition by_far = ByPosition::Zero(), by_near = ByPosition::Zero();
  };
  std::vector<ReactionChange> reactions;  // in the order of TreeReactions::shown()
  Vector scratch;                         // n_v
};

// The wrench on the centre of mass of a body, torque in inertial axes, from a vector of generalised
// forces on the bodies' own coordinates.
template <class Space>
DoubleScrew<Space> wrench_on(const Mechanism<Space>& m, const BodyState<Space, double>* bodies,
                             int body, const double* f) {
  const BodyData& data = m.bodies[body];
  DoubleScrew<Space> w;
  for (int i = 0; i < Space::dim; ++i) w.linear[i] = f[data.v + i];
  if (!data.rotates) return w;
  for (int i = 0; i < Space::rot; ++i) w.angular[i] = f[data.v + Space::dim + i];
  w.angular = turn(bodies[1 + body].R, w.angular);
  return w;
}

extern template struct TreeWorkspace<Planar>;
extern template struct TreeWorkspace<Spatial>;

}  // namespace mbs
