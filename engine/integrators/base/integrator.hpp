#pragma once

// The interface of all integrators.
//
//   start(x0)         forgets everything and begins at a consistent state
//   step(t_stop)      takes one accepted step, never past t_stop
//   interpolate(t)    evaluates the dense output over the last step, for all unknowns
//   save, restore     store everything that later steps depend on
//
// An integrator reads inputs and parameters through the Context it was made with; when they change,
// the caller starts it again. After the first step nothing allocates. Later steps
// never depend on interpolation: it has a workspace and a saddle solver of its own and its
// projections are not counted, so that a trajectory does not depend on its outputs.

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/equations/equations.hpp"
#include "engine/integrators/base/options.hpp"
#include "engine/integrators/base/statistics.hpp"
#include "engine/integrators/base/step_failure.hpp"
#include "engine/linear/saddle_solver.hpp"

namespace mbs {

class Integrator {
 public:
  virtual ~Integrator() = default;

  virtual std::string_view name() const = 0;
  // The method, its variant with the reason for it, and the linear solver; for the log.
  virtual std::string describe() const = 0;
  // Counts of the linear solver, and with options.monitor the time that it takes.
  virtual const SaddleStatistics& linear_statistics() const = 0;

  // x0 is consistent (positions, velocities, a and lambda), see engine/equations/initial.hpp.
  // step_hint > 0: the step size before an interruption; 0: options or chosen.
  virtual void start(const State& x0, double step_hint = 0.0) = 0;

  // One accepted step from state().t to at most t_stop; its end is t_stop bit for bit when it gets
  // there. Throws SolverFailure; state() is then still the last accepted one.
  virtual void step(double t_stop) = 0;

  const State& state() const { return x_; }       // at the end of the last step, projected
  double step_begin() const { return t_begin_; }  // the last step went from here to state().t

  // All unknowns at t in [step_begin(), state().t]. `projected`: p and v satisfy the constraints, a
  // and lambda the equations at that point. Bitwise state() at t = state().t.
  virtual void interpolate(double t, bool projected, State& x) = 0;

  virtual void save(ByteWriter&) const = 0;
  // Requires the same equations and options as those of save(). After an exception the integrator
  // must be started or restored again before use.
  virtual void restore(ByteReader&) = 0;

  const Statistics& statistics() const { return statistics_; }

  // Warnings about the last step(), for the log; mostly none.
  std::span<const std::string> warnings() const { return warnings_; }

 protected:
  State x_;
  double t_begin_ = 0.0;
  Statistics statistics_;
  std::vector<std::string> warnings_;
};

// `equations` and what `context` refers to must outlive the integrator. Keywords: "extrapolation"
// (half-explicit Euler), "midpoint" (the same with an h^2 expansion), "radau", "bdf", "reduction",
// "auto".
std::unique_ptr<Integrator> make_integrator(const std::string& keyword, const Equations& equations,
                                            Context context, const IntegratorOptions& options);

// True when the integrator handles redundant constraints, by multipliers of least norm.
bool treats_redundancy(const std::string& keyword);

}  // namespace mbs
