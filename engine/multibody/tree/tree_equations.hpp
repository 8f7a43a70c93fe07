#pragma once

// The common part of joint and mixed coordinates. They count a mechanism along its tree and place
// and move its bodies; the elements are evaluated over the bodies (element_evaluator.hpp), with
//
//   cut_     the rows of joints in the tree left out: forces, laws, closures of loops
//   whole_   all joints as constraints: start values, outputs, reactions of all joints
//
// State::r has the <state>s and the
// counters of turns of cut joints alone: an angle that is a coordinate needs none.

#include <Eigen/QR>
#include <span>

#include "engine/equations/start.hpp"
#include "engine/multibody/absolute.hpp"
#include "engine/multibody/tree/joint_columns.hpp"
#include "engine/multibody/tree/mixed_saddle.hpp"
#include "engine/multibody/tree/recursions.hpp"

namespace mbs {

template <class Space>
struct TreeWorkspace : Workspace, TreeMatrix<Space> {
  TreeWorkspace(const Sizes& sizes, const Structure& structure,
                std::unique_ptr<ElementWorkspace<Space>> cut_ws,
                std::unique_ptr<ElementWorkspace<Space>> whole_ws, const Sizes& cut_sizes,
                const Sizes& whole_sizes, std::size_t nodes);

  ElementWorkspace<Space>& cut() { return *cut_owned; }
  ElementWorkspace<Space>& whole() { return *whole_owned; }

  std::unique_ptr<ElementWorkspace<Space>> cut_owned, whole_owned;
  State cut_state, whole_state;  // in absolute coordinates
  std::vector<DoubleScrew<Space>> screws, wrenches;
  std::vector<Composite<Space>> composites;  // only where M is assembled
  JointColumns<Space> columns;
  const BodyState<Space, double>& body(int index) const { return whole_owned->bodies[1 + index]; }
  // Of output_changes.cpp; one row by absolute coordinates.
  OutputColumns output_columns;
  Vector row;
  // Per node: what its joint bears, about the far body's mass centre, and of it the moment that
  // this body needs.
  std::vector<DoubleScrew<Space>> borne;
  std::vector<Vec<double, Space::rot>> own_moment;
  Vector momentum, needs, spins;
  // Of a joint whose reaction is shown, with its rows A on the far body: A^-1, for fewer rows than
  // unknowns that of least squares, and A lambda by p of the far and the near body.
  using Square = Eigen::Matrix<double, Space::nv, Space::nv>;
  using ByPosition = Eigen::Matrix<double, Space::nv, Space::np>;
  struct ReactionChange {
    Square inverse;
    ByPosition by_far = ByPosition::Zero(), by_near = ByPosition::Zero();
  };
  std::vector<ReactionChange> reactions;  // in the order of shown_reactions_
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

template <class Space>
class TreeEquations : public Equations,
                      public InputFilterStates,
                      public ClosedStart,
                      public OutputDerivatives {
 public:
  const Defect& defect() const { return whole_.defect(); }
  const Tree<Space>& tree() const { return tree_; }
  Capabilities capabilities() const override {
    return {whole_.capabilities().explicit_time_dependence, this, this, this};
  }

  Parameters default_parameters() const override;
  Inputs default_inputs(const Parameters&) const override;
  std::string derive(Parameters&) const override;
  State initial(const Context&, double t0) const override;
  InitialReport close(const Context&, double t0, const InitialOptions&, State& guess,
                      State& x) const override;
  bool solve_auxiliary(const Context&, State&, Workspace&) const override;
  void outputs(const Context&, const State&, Workspace&) const override;
  void prepare_outputs(const Context&, const State&, Workspace&) const override;
  void output_change(const Variation&, Eigen::Ref<Vector> dy, Workspace&) const override;
  void switching(const Context&, const State&, Workspace&) const override;
  bool act(const Context&, int function, State&, Workspace&) const override;
  void contact_laws(const Context&, const State&, Workspace&, std::span<ContactLaw>) const override;
  TimeEvent next_time(const Context&, const State&) const override;
  std::vector<std::string> choose_assembly_branch(const Context&, State&) const override;
  void initialize_memory(const Context&, State&, Workspace&) const override;
  std::string change(const Context& before, const Context& after, double t,
                     Vector& z) const override {
    return whole_.capabilities().input_filter_states->change(before, after, t, z);
  }
  std::vector<Following> following() const override;
  void set_filters_to_motion(const Context&, State&, Workspace&) const override;
  Energy energy(const Context&, const State&, Workspace&) const override;

 protected:
  using Own = TreeWorkspace<Space>;
  static Own& own(Workspace& ws) { return static_cast<Own&>(ws); }

  // body_terms: of the Jacobian of the cut mechanism.
  TreeEquations(const Model& model, std::unique_ptr<const Mechanism<Space>> whole,
                std::unique_ptr<Mechanism<Space>> cut, bool body_terms);

  // The coordinates that belong to bodies in absolute ones, and back: positions and velocities.
  virtual void from_absolute(const Context&, const State& absolute, State&) const = 0;
  State from_whole(const Context&, const State& absolute) const;
  // The states of all bodies from p; from v.
  virtual void place(const Context&, const State&, Own&) const = 0;
  virtual void move(const Context&, const State&, Own&) const = 0;
  // What a and lambda are in absolute coordinates, all joints being constraints; of the joints in
  // the tree those that are shown alone. Bodies stand. Where some are shown, Own::borne as well.
  virtual void accelerations_and_multipliers(const Context&, const State&, Own&) const = 0;
  // Both, where jacobian() was at this point just before.
  virtual void complete_after_jacobian(const Context& context, const State& x, Own& ws) const {
    set_all_bodies(context, x, ws);
    accelerations_and_multipliers(context, x, ws);
  }

  // A row by p, v and v' of the bodies to one by the coordinates, after jacobian().
  virtual void carry_row(const double* by_p, const double* by_v, const double* by_a,
                         const OutputRow& to, Own&) const = 0;

  const LinkConstants<Space>* constants(const Context& context) const {
    return reinterpret_cast<const LinkConstants<Space>*>(context.parameters.derived.data() +
                                                         whole_.sizes().derived);
  }
  Recursion<Space> recursion(const Context& context, Own& ws) const {
    return {tree_, constants(context), ws.links.data()};
  }
  // Of output_changes.cpp.
  void prepare_reactions(const Context&, Own&) const;
  typename Own::ReactionChange reaction_change(const Evaluation<Space>& here,
                                               std::size_t node) const;
  Vec<double, Space::dim> arm(std::size_t from, std::size_t to, const Own&) const;
  void add_turn(int body, const Vec<double, Space::rot>& by, Own&) const;
  void add_shift(int body, const Vec<double, Space::dim>& by, Own&) const;
  void add_reaction(std::size_t which, const double* by_lambda, Own&) const;
  void add_needs(Own&) const;
  void fold_row(std::span<const OutputEntry> entries, Own&) const;
  Evaluation<Space> elements(const Context& context, Own& ws) const {
    return {cut_.mechanism(),       context,          ws.cut_state,
            ws.cut().bodies.data(), ws.cut().signals, cut_layout_};
  }
  // t, r, w, z and the multipliers of cut joints into the state of the elements.
  void share(const State& x, Own& ws) const;
  void find_dynamics_entries();
  // Where q of each node stands in p, -1: nowhere.
  void set_counters(const std::vector<int>& q_of_node);
  // q and q' of a coordinate of a node, from the bodies.
  void coordinate_of(const Evaluation<Space>& here, const TreeNode& node,
                     const LinkConstants<Space>& link, int i, double& q, double& qd) const;
  // The bodies' coordinates p and v into the state of the elements.
  virtual void write_bodies(const State&, Own&) const;
  void set_all_bodies(const Context&, const State&, Own&) const;
  // lambda of the shown joints in the tree, from Own::borne.
  void set_shown_multipliers(const Context&, Own&) const;
  std::unique_ptr<Own> make_own() const;

  AbsoluteEquations<Space> whole_;
  ElementEvaluator<Space> cut_;
  Tree<Space> tree_;
  JacobianLayout cut_layout_{Sizes{}}, whole_layout_{Sizes{}};
  std::vector<int> r_of_;  // index in absolute r of each r here
  struct Counter {
    int r, q;
  };
  std::vector<Counter> counters_;             // absolute r that are coordinates here
  std::vector<int> lambda_of_;                // row among all joints of each row of a cut joint
  std::vector<char> keeps_output_;            // outputs that Simulation fills
  std::vector<std::size_t> shown_reactions_;  // nodes, by outputs or by measures
  bool gyroscopic_apart_;                     // not in the Jacobian of the cut mechanism
  // Its columns with entries in the rows of the dynamics, where these are, and the same column of
  // the whole.
  struct DynamicsEntries {
    int begin, end, whole_column;
  };
  std::vector<DynamicsEntries> of_dynamics_;
};

extern template class TreeEquations<Planar>;
extern template class TreeEquations<Spatial>;

}  // namespace mbs
