#pragma once

// The part that all methods share: the dense output with its projection, snapshots, the bookkeeping
// of a run of steps, and the message of a failure.

#include "engine/equations/projection.hpp"
#include "engine/integrators/base/integrator.hpp"
#include "engine/integrators/base/step_plan.hpp"

namespace mbs {

class IntegratorBase : public Integrator {
 public:
  const SaddleStatistics& linear_statistics() const override { return solver_->statistics(); }
  void interpolate(double t, bool projected, State& x) final;
  void save(ByteWriter&) const final;
  void restore(ByteReader&) final;

 protected:
  IntegratorBase(const Equations& equations, Context context, const IntegratorOptions& options);

  // All unknowns at t strictly inside the last step; x has the modes of state() and its time is t.
  virtual void evaluate_interpolant(double t, State& x) = 0;
  virtual void save_method(ByteWriter&) const = 0;
  virtual void restore_method(ByteReader&) = 0;

  // The end of start(): returns the first step size, 0 when it is still to be chosen.
  double begin_run(double step_hint);
  // The first step size once it is chosen, within the limits of the options.
  double set_first_step(double h);
  // The beginning of step(): checks t_stop and clears what the last step left.
  void begin_step(double t_stop);
  // The longest step that may be tried before t_stop.
  double longest_step(double t_stop) const;
  // True when the way to t_stop is so far below the natural step that it would be rounding.
  bool is_tiny(double t_stop, double natural) const;
  void count_step(int order);

  // Takes note of a failed projection; true when it succeeded. count() adds its cost as well.
  bool succeeded(const ProjectionResult& result);
  bool count(const ProjectionResult& result, bool positions);
  bool fail(StepFailure::Reason reason);  // always false
  // Throws SolverFailure; `order` 0: the message has none.
  [[noreturn]] void stop(double h, const std::string& event, int order,
                         const Explanation& why) const;

  const Equations& equations_;
  Context context_;
  IntegratorOptions options_;
  std::unique_ptr<SaddleSolver> solver_;
  Projection projection_;
  State begin_;  // at step_begin()
  Run run_;
  StepFailure failure_;  // of the last attempt

  struct OutputProjection {  // of interpolate()
    std::unique_ptr<Workspace> ws;
    std::unique_ptr<SaddleSolver> solver;
    Projection projection;
  };
  OutputProjection output_;
};

}  // namespace mbs
