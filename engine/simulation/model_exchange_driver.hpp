#pragma once

// Model exchange: an importer integrates x = (p, v, r) and asks for
//
//   x' = (Z v, a, b)   with a, lambda from the equations of motion at any p, v (index 1)
//   z  = phi           event indicators
//
// Constraints are invariants of this differential equation, and an integrator drifts away from
// them. completed_step() says when that is more than the tolerance, or when an indicator has left
// its side; apply_discrete_changes() then projects and lets events act, so that states jump only
// where the standards allow it.
//
// A coordinate that follows an input through lags, T^2 q'' + 2 T q' + q = u, is a part of that
// differential equation: q and q' are the lags' states (input_filter_states.hpp). Without lags it
// would need u' and u'', which nobody gives.
//
// Inputs are in force at once. Events and parameters act with apply_discrete_changes().

#include <memory>
#include <span>
#include <vector>

#include "engine/simulation/hybrid_system.hpp"
#include "engine/simulation/offset_indicators.hpp"
#include "engine/simulation/preview.hpp"

namespace mbs {

class ModelExchangeDriver {
 public:
  // The importer integrates, so that the choice's method is not used. Throws std::invalid_argument
  // when an option or a statistic is not possible.
  ModelExchangeDriver(std::shared_ptr<const Equations> equations, SolverChoice choice);

  HybridSystem& system() const { return *system_; }

  double input(int i) const { return system_->inputs().value[i]; }
  void set_input(int i, double value);

  // Consistent initial values at t0. A tolerance > 0 replaces rtol (and scales atol with it). May
  // be called again with other parameters and inputs until begin().
  InitialReport initialise(double t0, double tolerance = 0.0);
  // The importer begins to integrate. Throws SolverFailure when it cannot.
  void begin();

  double time() const { return system_->time(); }
  void set_time(double t);
  void set_states(std::span<const double> values) { system_->set_states(values); }
  void get_states(std::span<double> values) const { system_->get_states(values); }
  const State& state() const { return system_->state(); }
  double output(int i) const { return system_->output(i); }
  const Vector& rates() const { return system_->rates(); }
  const Vector& indicators();

  // True: event mode is needed.
  bool completed_step();
  // Drift is taken back, then everything that is due happens until nothing is left. Throws
  // SolverFailure.
  void apply_discrete_changes();
  std::span<const Root> events() const { return system_->events().reported(); }
  bool states_changed() const { return states_changed_; }  // by the last of these calls

  // Parameters that have been set and are not in force yet.
  bool has_pending() const { return system_->parameters().differ(); }
  Preview& preview();  // throws SolverFailure

  // Everything that determines what follows; see snapshot.hpp.
  void save(ByteWriter& writer) const;
  // Takes the rest of a stream. Throws std::runtime_error, the simulation is then as it was.
  void restore(ByteReader& reader);

 private:
  void use_options();
  void refuse_drives_without_lag() const;
  bool reach_events();
  void handle_due_events();
  Equations::TimeEvent next_time_event() const;
  void read(ByteReader& reader, std::uint64_t id);

  std::unique_ptr<HybridSystem> system_;
  std::unique_ptr<OffsetIndicators> indicators_;
  bool begun_ = false, states_changed_ = false;
  std::vector<double> before_, after_;  // (p, v, r) before and after the last events
  Vector offset_phi_;                   // indicators as the importer sees them ...
  std::uint64_t offset_of_ = 0;         // ... and the revision of which
  std::unique_ptr<Preview> preview_;
  // restore() works here, so that a refused snapshot changes nothing.
  std::unique_ptr<ModelExchangeDriver> standby_;
};

}  // namespace mbs
