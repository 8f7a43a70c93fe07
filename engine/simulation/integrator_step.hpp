#pragma once

// The integrator's last step and the events in it.
//
// A step that meets a time event ends one spacing of numbers before it, because laws of force may
// jump there; end() is then the time of the event. Events are known up to examined(): what cannot
// be evaluated beyond is an error only when the simulation gets there.

#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/events/root_finder.hpp"
#include "engine/integrators/base/integrator.hpp"
#include "engine/simulation/event_record.hpp"

namespace mbs {

class IntegratorStep {
 public:
  // event_points: where each step is looked at for events; 0: chosen from its order.
  IntegratorStep(const Equations& equations, Context context, const std::string& method,
                 const IntegratorOptions& options, int event_points);

  Integrator& integrator() { return *integrator_; }
  const Integrator& integrator() const { return *integrator_; }
  double end() const { return time_events_.empty() ? integrator_->state().t : time_event_at_; }
  double size() const { return integrator_->state().t - integrator_->step_begin(); }
  // The interpolant itself, without projection.
  void dense_output(double t, State& x) {
    integrator_->interpolate(std::min(t, integrator_->state().t), false, x);
    x.t = t;
  }

  // The first start, and one after a jump at x: events of functions that have jumped over zero.
  void start(const State& x);
  std::span<const Root> restart(const State& x, double first_step);
  // The state before a jump.
  void leave(const State& x) { finder_->leave(x); }

  // The next step, to t_stop at most.
  void make(double t_stop, EventRecord& record);
  std::span<const Root> events() const { return events_; }
  double examined() const { return finder_->examined(); }
  // Throws SolverFailure when the events up to t cannot be found.
  void examine_to(double t);
  // Events at x have changed nothing, those of the rest of the step follow.
  void watch_again(std::span<const int> functions, const State& x);

  void save(ByteWriter&) const;
  void restore(ByteReader&);

 private:
  void gather_events(std::span<const Root> roots);

  const Equations& equations_;
  Context context_;
  std::unique_ptr<Integrator> integrator_;
  std::unique_ptr<RootFinder> finder_;
  std::unique_ptr<Workspace> ws_;
  State at_end_;
  std::vector<Root> events_;      // in order of time
  std::vector<int> time_events_;  // functions of time that happen at the end ...
  double time_event_at_ = 0.0;    // ... which is then here
};

}  // namespace mbs
