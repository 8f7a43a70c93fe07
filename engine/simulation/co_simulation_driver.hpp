#pragma once

// Takes a model from one communication point to the next with an integrator of this engine:
//
//   CoSimulationDriver simulation(equations, solver_choice(model));
//   simulation.initialise(0.0);
//   simulation.set_input(0, 2.0);
//   simulation.advance(0.1);
//   simulation.output(0);
//
// The integrator runs on past a communication point with its own step, on the inputs it has, and
// points in between are interpolated when somebody asks for the state there: small communication
// steps cost almost nothing. When a tunable parameter then differs, or an input by more than can be
// known (input_prediction.hpp), the surplus is discarded and integration restarts from the
// projected interpolant at that point.
//
// Events are found inside of advance(), at their own times, and counted once their time is reached:
// those beyond a communication point wait, and are forgotten when the surplus is. The event that
// ends the simulation is where advance() stops for good. Some events act: they change modes,
// velocities and states, and integration restarts at their time. advance() does that by itself,
// unless it is asked to stop at events, or to leave them open: then state and outputs are left
// limits, and apply_discrete_changes() or the next advance() makes them right limits.
//
// Inputs and parameters that are set come into force with the next advance(), initialise() or
// apply_discrete_changes(): until then outputs are those of the step that has been made. Setting a
// value that holds already changes no result.

#include <functional>
#include <memory>
#include <span>

#include "engine/simulation/cached_step.hpp"
#include "engine/simulation/hybrid_system.hpp"
#include "engine/simulation/input_prediction.hpp"
#include "engine/simulation/integrator_step.hpp"
#include "engine/simulation/preview.hpp"

namespace mbs {

class CoSimulationDriver {
 public:
  // Throws std::invalid_argument when the method, an option or a statistic is not possible.
  CoSimulationDriver(std::shared_ptr<const Equations> equations, SolverChoice choice);

  HybridSystem& system() const { return *system_; }
  IntegratorStep& step() const { return *step_; }
  InputPrediction& inputs() { return inputs_; }
  const Statistics& statistics() const { return step_->integrator().statistics(); }

  double input(int i) const { return inputs_.value(i, time()); }
  // The input as a polynomial from time() on. It goes on until it is set again.
  void set_input(int i, double value, double first = 0.0, double second = 0.0) {
    inputs_.set(i, {value, first, second}, time());
  }

  // Consistent initial values at t0. A tolerance > 0 replaces rtol (and scales atol with it). May
  // be called again with other parameters and inputs until the first advance.
  InitialReport initialise(double t0, double tolerance = 0.0);

  double time() const { return system_->time(); }
  const State& state() const { return system_->state(); }
  double output(int i) const { return system_->output(i); }

  // To t > time(), reaching it bit for bit; or only to the first event before it, as `events`
  // says. Throws SolverFailure; time() is then the last time that was reached.
  enum class Advance {
    reached,
    event,       // time() is that of events, which follow in events()
    terminated,  // likewise; there is no way on
    stopped      // by the progress function
  };
  enum class Events {
    handled,          // inside
    stop,             // advance() stops at each; those that act have not acted yet
    left_open,        // it stops at each, and nothing has happened yet: not even the counters
    left_open_at_end  // only those at t itself are left open, what is before is handled
  };
  Advance advance(double t, Events events = Events::handled);
  // Does the same as advance() if t lies within the cached step (cached_step.hpp). False: it does
  // not, and nothing has been done.
  bool advance_within_step(double t);
  // Events at time() happen now, and what has been set comes into force. State and outputs are then
  // right limits. Throws SolverFailure where nothing is consistent with them.
  void apply_discrete_changes();
  // Events of the last advance() or apply_discrete_changes(), in order of time; Root::function
  // counts as Structure::switching does.
  std::span<const Root> events() const { return system_->events().reported(); }

  // Makes the integrator's step that begins at time() or holds it, unless it is there; t_stop
  // limits a first step. Returns its end, or that of the simulation when it comes before. Points up
  // to there cost an interpolation, and step().dense_output() is valid.
  double step_ahead(double t_stop);

  // Whether something has been set that is not in force yet, and what apply_discrete_changes()
  // would show of it.
  bool has_pending() const;
  Preview& preview();  // throws SolverFailure

  // Called after each step of a long advance with the time reached; false stops it there.
  using Progress = std::function<bool(double time)>;
  void set_progress(Progress progress) { progress_ = std::move(progress); }

  // Everything that determines what follows; see snapshot.hpp.
  void save(ByteWriter& writer) const;
  // Takes the rest of a stream. Throws std::runtime_error, the simulation is then as it was.
  void restore(ByteReader& reader);

 private:
  void handle_due_events();
  void restart_integration(double first_step, bool leave_uncounted);
  void apply_changes(bool leave_uncounted);
  void leave_state();
  bool reach_events(double from, double to, double end, Events events);
  Advance advance_by_steps(double t, Events events);
  void make_step(double t_stop);
  void return_to_known(double t);
  void read(ByteReader& reader, std::uint64_t id);

  std::unique_ptr<HybridSystem> system_;
  InputPrediction inputs_;
  std::unique_ptr<IntegratorStep> step_;
  CachedStep cached_;
  bool started_ = false;         // the integrator is at time() or beyond
  bool restart_needed_ = false;  // what is in force has changed, its surplus does not count
  bool inputs_differ_ = false;   // advance_within_step() has found that; advance() is to follow
  Progress progress_;
  std::unique_ptr<Preview> preview_;
  // restore() works here, so that a refused snapshot changes nothing.
  std::unique_ptr<CoSimulationDriver> standby_;
};

}  // namespace mbs
