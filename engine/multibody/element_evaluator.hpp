#pragma once

// Evaluates the elements of a mechanism from the motion of its bodies: rows of constraints, forces,
// laws and their derivatives by the bodies' own p and v. Every choice of coordinates places and
// moves the bodies in the workspace and asks for the rest here. Of the state it uses t, r, w, s, z,
// modes, a and lambda; p and v for derivatives alone.
//
//   f = m g - omega x (J omega) + forces
//   r: <state>, then the counters of turns;   w: <algebraic>;   z: Mechanism::start_values,
//   directions of sliding, <discrete>

#include <Eigen/LU>

#include "engine/multibody/bodies.hpp"
#include "engine/multibody/constraint_rows.hpp"
#include "engine/multibody/output_columns.hpp"

namespace mbs {

template <class Space>
struct ElementWorkspace final : Workspace {
  ElementWorkspace(const Sizes& sizes, const Structure& structure,
                   const Mechanism<Space>& mechanism);

  std::vector<BodyState<Space, double>> bodies;           // ground first
  std::vector<BodyState<Space, BodyDual<Space>>> moving;  // made by linearise()
  Signals<Space> signals;
  Matrix d_w;  // of solve_auxiliary
  Vector w_step, w_trial;
  Eigen::PartialPivLU<Matrix> d_w_factors;
  ColumnSparse law_partials;  // of friction
  Vector set_values;          // of act
  OutputColumns output_columns;
};

template <class Space>
class ElementEvaluator {
 public:
  using Own = ElementWorkspace<Space>;

  // body_terms: the Jacobian has what bodies do by themselves, too (kinematics, norms, gyroscopic
  // torques).
  ElementEvaluator(const Model& model, std::unique_ptr<const Mechanism<Space>> mechanism,
                   bool body_terms);

  // The reason why the default values of the parameters are impossible, or empty. The evaluator is
  // of no use then.
  const Defect& defect() const { return defect_; }
  const Mechanism<Space>& mechanism() const { return *mechanism_; }
  // Sizes and structure are those of equations that count the mechanism by its bodies.
  const Sizes& sizes() const { return sizes_; }
  const Structure& structure() const { return structure_; }
  std::unique_ptr<Own> make_workspace() const;
  Parameters default_parameters() const;

  Evaluation<Space> at(const Context& context, const State& x, const Own& ws) const {
    return {*mechanism_, context, x, ws.bodies.data(), ws.signals, layout_};
  }
  // G, D and gI; g; c, as `want` says.
  void rows(const Context&, const State&, unsigned want, Own&) const;
  void force(const Context&, const State&, unsigned want, Own&) const;
  void gamma(const Context&, const State&, Own&) const;
  void friction(const Context&, const State&, Own&) const;
  void jacobian(const Context&, const State&, Own&) const;
  // The bodies and signals with their derivatives: the beginning of jacobian(), and all of it that
  // the derivatives of outputs need.
  void linearise(const Context&, const State&, Own&) const;
  // The evaluation with the derivatives that linearise() has left in the workspace.
  Evaluation<Space> linearised(const Context& context, const State& x, const Own& ws) const {
    return {
        *mechanism_,          context, x, ws.bodies.data(), ws.signals, layout_, ws.moving.data(),
        ws.jacobian_without_g};
  }
  bool solve_auxiliary(const Context&, State&, Own&) const;
  void conditions(const Context&, const State&, Own&) const;
  void evaluate_signals(const Evaluation<Space>&, const std::vector<int>& coordinates, Own&) const;

 private:
  void evaluate_gradients(const Evaluation<Space>&, Own&) const;
  void set_names(const Model& model);
  void set_scales(const Parameters& parameters);
  void set_contacts();
  void record_patterns();
  void record_friction(const Evaluation<Space>&);
  void fill_G(const Evaluation<Space>&, Fill&) const;
  void fill_jacobian(const Evaluation<Space>&, Fill&) const;
  void fill_bodies(const Evaluation<Space>&, Fill&) const;
  void fill_constraints(const Evaluation<Space>&, Fill&) const;
  void fill_laws(const Evaluation<Space>&, Fill&) const;
  void fill_conditions(const Evaluation<Space>&, Own&, Fill& position, Fill& velocity) const;

  std::unique_ptr<const Mechanism<Space>> mechanism_;
  bool body_terms_;
  Sizes sizes_;
  Structure structure_;
  JacobianLayout layout_{Sizes{}};
  Defect defect_;
  std::vector<int> G_places_, jacobian_places_, condition_p_places_, condition_v_places_;
  RowSparse condition_p_pattern_, condition_v_pattern_;
  std::vector<int> law_places_;
  ColumnSparse law_pattern_;
};

extern template class ElementEvaluator<Planar>;
extern template class ElementEvaluator<Spatial>;

}  // namespace mbs
