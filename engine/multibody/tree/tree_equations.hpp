#pragma once

// The common part of joint and mixed coordinates. They count a mechanism along its tree and place
// and move its bodies; the elements are evaluated over the bodies (element_evaluator.hpp), with
//
//   cut_     the rows of joints in the tree left out: forces, laws, closures of loops
//   whole_   all joints as constraints: start values, outputs, reactions of all joints
//
// State::r has the <state>s and the
// counters of turns of cut joints alone: an angle that is a coordinate needs none.

#include "engine/equations/start.hpp"
#include "engine/multibody/absolute.hpp"
#include "engine/multibody/tree/tree_reactions.hpp"

namespace mbs {

// A counter of turns in absolute r, and the coordinate that counts them here.
struct TurnCounter {
  int r, q;
};
// q_of_node: where q of each node stands in p, -1: nowhere.
template <class Space>
std::vector<TurnCounter> turn_counters(const Mechanism<Space>&, const Tree<Space>&,
                                       const std::vector<int>& q_of_node);

// q and q' of a coordinate of a node, from the bodies.
template <class Space>
void tree_coordinate(const Evaluation<Space>& here, const TreeNode& node,
                     const LinkConstants<Space>& link, int i, double& q, double& qd);

template <class Space>
class TreeEquations : public Equations, public ClosedStart {
 public:
  const Defect& defect() const { return whole_.defect(); }
  Capabilities capabilities() const override {
    return {whole_.capabilities().explicit_time_dependence, &output_rows_, &filters_, this,
            &conditions_};
  }

  Parameters default_parameters() const override;
  Inputs default_inputs(const Parameters&) const override;
  std::string derive(Parameters&) const override;
  State initial(const Context&, double t0) const override;
  InitialReport close(const Context&, double t0, const InitialOptions&, State& guess,
                      State& x) const override;
  bool solve_auxiliary(const Context&, State&, Workspace&) const override;
  void outputs(const Context&, const State&, Workspace&) const override;
  void switching(const Context&, const State&, Workspace&) const override;
  bool act(const Context&, int function, State&, Workspace&) const override;
  void contact_laws(const Context&, const State&, Workspace&, std::span<ContactLaw>) const override;
  TimeEvent next_time(const Context&, const State&) const override;
  std::vector<std::string> choose_assembly_branch(const Context&, State&) const override;
  void initialize_memory(const Context&, State&, Workspace&) const override;
  Energy energy(const Context&, const State&, Workspace&) const override;

  // How these coordinates stand in those of all bodies.
  struct Coordinates {
    const AbsoluteEquations<Space>& bodies;
    const Tree<Space>& tree;
    bool is_mixed;              // the coordinates of bodies are there as well
    const std::vector<int>& r;  // index in absolute r of each r here
  };
  Coordinates coordinates() const { return {whole_, tree_, is_mixed_, r_of_}; }

 protected:
  using Own = TreeWorkspace<Space>;
  static Own& own(Workspace& ws) { return static_cast<Own&>(ws); }

  // is_mixed: the coordinates of bodies are there as well.
  TreeEquations(const Model& model, std::unique_ptr<const Mechanism<Space>> mechanism,
                bool is_mixed);

  // The coordinates that belong to bodies in absolute ones, and back: positions and velocities.
  virtual void from_absolute(const Context&, const State& absolute, State&) const = 0;
  // The states of all bodies from p; from v.
  virtual void place(const Context&, const State&, Own&) const = 0;
  virtual void move(const Context&, const State&, Own&) const = 0;
  // Finds a and lambda in absolute coordinates, in which all joints are constraints; of the joints
  // in the tree only the multipliers that are shown, and with them Own::borne. The states of the
  // bodies are known.
  virtual void accelerations_and_multipliers(const Context&, const State&, Own&) const = 0;
  // Sets all bodies, a and lambda after jacobian() at the same point.
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
  // t, r, w, z and the multipliers of cut joints into the state of the elements.
  void share(const State& x, Own& ws) const;
  // The bodies' coordinates p and v into the state of the elements.
  virtual void write_bodies(const State&, Own&) const;
  void set_all_bodies(const Context&, const State&, Own&) const;
  std::unique_ptr<Own> make_own() const;

  const bool is_mixed_;
  AbsoluteEquations<Space> whole_;
  Tree<Space> tree_;
  ElementEvaluator<Space> cut_;
  JacobianLayout whole_layout_{Sizes{}};
  std::vector<int> r_of_;              // index in absolute r of each r here
  std::vector<TurnCounter> counters_;  // absolute r that are coordinates here
  std::vector<int> lambda_of_;         // row among all joints of each row of a cut joint
  std::vector<char> keeps_output_;     // outputs that HybridSystem fills
  TreeReactions<Space> reactions_;

 private:
  // The Jacobian of the outputs by the coordinates.
  struct OutputRows final : OutputDerivatives {
    explicit OutputRows(const TreeEquations& equations) : of(equations) {}
    void prepare_outputs(const Context&, const State&, Workspace&) const override;
    void output_change(const Variation& change, Eigen::Ref<Vector> dy,
                       Workspace& ws) const override {
      own(ws).output_columns.apply(change, dy);
    }
    void carry(int row, Own&) const;
    const TreeEquations& of;
  };
  struct Filters final : InputFilterStates {
    explicit Filters(const TreeEquations& equations) : of(equations) {}
    std::string change(const Context& before, const Context& after, double t,
                       Vector& z) const override {
      return of.whole_.capabilities().input_filter_states->change(before, after, t, z);
    }
    std::vector<Following> following() const override;
    void set_filters_to_motion(const Context&, State&, Workspace&) const override;
    const TreeEquations& of;
  };
  struct Conditions final : FrozenConditions {
    explicit Conditions(const TreeEquations& equations) : of(equations) {}
    bool freeze_conditions(const Context&, State&, Workspace&) const override;
    const TreeEquations& of;
  };
  OutputRows output_rows_{*this};
  Filters filters_{*this};
  Conditions conditions_{*this};
};

extern template class TreeEquations<Planar>;
extern template class TreeEquations<Spatial>;

}  // namespace mbs
