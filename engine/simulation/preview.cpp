#include "engine/simulation/preview.hpp"

#include "engine/equations/initial.hpp"
#include "engine/equations/input_filter_states.hpp"
#include "engine/simulation/input_prediction.hpp"

namespace mbs {
namespace {

// Whether the inputs that enter constraints are others than those in force.
bool any_moved(const Equations& equations, const Inputs& wanted, const Inputs& in_force) {
  for (int i = 0; i < wanted.value.size(); ++i) {
    if (!moves_constraints(equations, i)) continue;
    const Inputs::Jet now = in_force.jet(i, wanted.t0);
    if (wanted.value[i] != now.value || wanted.first[i] != now.first ||
        wanted.second[i] != now.second)
      return true;
  }
  return false;
}

}  // namespace

Preview::Preview(HybridSystem& system)
    : inputs_(system.context().inputs),
      parameters_(system.context().parameters),
      ws_(system.equations().make_workspace()),
      solver_(system.equations().make_solver(system.options().linear)),
      projection_(system.equations(), {inputs_, parameters_}, system.options()) {}

void Preview::evaluate(HybridSystem& system, std::uint64_t revision) {
  revision_ = 0;
  const Equations& equations = system.equations();
  const Context pending{inputs_, parameters_}, in_force = system.context();
  x_ = system.state();
  system.parameters().refuse_impossible(x_.t);
  const bool moves = system.parameters().differ() || any_moved(equations, inputs_, in_force.inputs);
  parameters_ = system.parameters().requested();
  if (const InputFilterStates* filters = equations.capabilities().input_filter_states)
    filters->change(in_force, pending, x_.t, x_.z);
  law_time_ = system.events().law_time(x_.t);
  const AtTime laws(x_, law_time_);
  if ((moves && (!projection_.positions(x_, *ws_, *solver_).ok ||
                 !projection_.velocities(x_, *ws_, *solver_).ok)) ||
      !solve_accelerations(equations, pending, x_, *ws_, *solver_))
    throw SolverFailure(x_.t, 0.0, "nothing is consistent with the inputs and parameters set",
                        "change them in smaller steps, or back");
  system.evaluate_outputs(pending, x_, *ws_);
  evaluate_rates(equations, pending, x_, *ws_, dx_);
  evaluate_indicators(equations, pending, x_, *ws_, phi_);
  revision_ = revision;
}

}  // namespace mbs
