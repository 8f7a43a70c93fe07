#pragma once

// A model in motion: its state, the inputs and parameters in force, its contacts and its events.
// Between events somebody integrates it: an integrator of this engine (CoSimulationDriver) or an
// importer (ModelExchangeDriver). What happens at an event is the same for both
// (discrete_changes.hpp).
//
// After move_to() only the time of the state is set. The rest follows when somebody asks for it: by
// the integrator's dense output, or, where an importer integrates, with the accelerations that
// belong to p, v and r.
//
// Laws of force may jump at a time event. As long as it is due and not yet handled, left limits are
// shown: laws are those just before it (EventRecord::law_time), so that a condition time >= 0.5 s
// is not true yet where an event at 0.5 s is still to happen.

#include <memory>
#include <span>

#include "engine/equations/initial.hpp"
#include "engine/simulation/discrete_changes.hpp"
#include "engine/simulation/evaluation_point.hpp"
#include "engine/simulation/solver_choice.hpp"
#include "engine/simulation/tunable_parameters.hpp"

namespace mbs {

// Continuous states (p, v, r) one after the other.
int state_count(const Sizes& sizes);
void get_states(const State& x, std::span<double> values);
// The typical size of a state, by the scales of its kind (Structure::p_scale, v_scale).
double nominal_of(const Vector& scale, int i);
void get_nominals(const Equations& equations, std::span<double> values);

class HybridSystem {
 public:
  // Throws std::invalid_argument when an option or a statistic is not possible. The method is
  // checked where an integrator is made of it.
  HybridSystem(std::shared_ptr<const Equations> equations, SolverChoice choice);
  HybridSystem(const HybridSystem&) = delete;
  HybridSystem& operator=(const HybridSystem&) = delete;

  const std::shared_ptr<const Equations>& model() const { return equations_; }
  const Equations& equations() const { return *equations_; }
  const SolverChoice& choice() const { return choice_; }

  // A tolerance > 0 replaces rtol of the choice and scales atol with it, 0 leaves them. True: the
  // options are others than before, and who works with them is to be made anew.
  bool set_tolerance(double tolerance);
  const IntegratorOptions& options() const { return options_; }

  // The inputs and parameters in force.
  Context context() const { return {inputs_, parameters_.in_force()}; }
  Inputs& inputs() { return inputs_; }
  TunableParameters& parameters() { return parameters_; }

  // Consistent initial values at t0. May be called again with other parameters and inputs.
  InitialReport initialise(double t0);
  bool is_initialised() const { return initialised_; }

  double time() const { return x_.t; }
  const State& state();
  void get_states(std::span<double> values) const { mbs::get_states(x_, values); }  // (p, v, r)
  void set_states(std::span<const double> values);
  void place(const State& x, double t);
  // To a time where the state can be asked for; the second stays where it is when it cannot.
  void move_to(double t) {
    x_.t = t;
    complete_ = !initialised_;  // before the start there is nothing to complete
    ++revision_;
  }
  bool try_move_to(double t);
  // The integrator in whose last step states lie; null: somebody else integrates.
  void follow(Integrator* integrator) { integrator_ = integrator; }

  // At time(), computed when first asked for. After initialise().
  double output(int i);
  const Vector& rates();  // (p', v', r')
  const Vector& indicators();
  // Outputs at another point, with the counters of events and of the integrator.
  void evaluate_outputs(const Context& context, const State& x, Workspace& ws) const;
  EvaluationPoint point();
  // Another after each change of these.
  std::uint64_t revision() const { return revision_ + parameters_.revision(); }

  EventRecord& events() { return events_; }
  DiscreteChanges& changes() { return *changes_; }
  // The complete state, to be changed at an event.
  State& changing_state();

  void save(ByteWriter&);
  // True: the options are others than before, see set_tolerance(). Points from here on have an id
  // above `id`. Throws std::runtime_error; the system is of no use then.
  bool restore(ByteReader&, std::uint64_t id = 0);

 private:
  std::shared_ptr<const Equations> equations_;
  const SolverChoice choice_;
  IntegratorOptions options_;
  double tolerance_ = 0.0;
  TunableParameters parameters_;
  Inputs inputs_;
  State x_, buffer_;
  bool complete_ = true;  // false: of x_ only the time is set
  bool initialised_ = false;
  std::uint64_t revision_ = 1;
  // The revisions of which outputs, rates and indicators have been computed.
  std::uint64_t outputs_of_ = 0, rates_of_ = 0, indicators_of_ = 0;
  Vector dx_, phi_;
  EventRecord events_;
  std::unique_ptr<Workspace> ws_;
  std::unique_ptr<DiscreteChanges> changes_;
  Integrator* integrator_ = nullptr;
};

}  // namespace mbs
