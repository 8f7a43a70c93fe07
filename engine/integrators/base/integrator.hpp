#pragma once

// The one interface of all integrators.
//
//   start(x0)         forget everything, begin at a consistent state
//   step(t_stop)      one accepted step, never past t_stop
//   interpolate(t)    the dense output, valid over the last step, for all unknowns
//   save, restore     everything that influences what follows
//
// An integrator reads inputs and parameters through the Context it was made with; when they change,
// the caller starts it anew. After the first step nothing allocates. Interpolation never influences
// later steps: it has a workspace and a saddle solver of its own and its projections are counted
// apart, so that a trajectory does not depend on who looks at it.

#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/tolerances.hpp"
#include "engine/equations/equations.hpp"
#include "engine/integrators/base/method_options.hpp"
#include "engine/linear/saddle_solver.hpp"

namespace mbs {

struct IntegratorOptions : Tolerances {
  double initial_step = 0.0;  // 0: chosen
  double max_step = 0.0;      // 0: no limit
  double min_step = 0.0;      // 0: about the spacing of numbers at t
  int max_order = 0;          // 0: the method's own
  long max_steps = 0;         // between two start(): 0: no limit
  std::string linear = "auto";
  std::vector<MethodOption> method_options;  // of single methods
  std::string scheme = "auto";  // of the extrapolation: standard (2.1), modified (2.2), auto
  bool monitor = false;         // measure the time of the linear solver's parts
  bool dense = true;            // false: no interpolation within steps, cheaper with midpoint
  int dense_order = 0;          // limits the order of the dense output; 0: the step's own order

  // Throws std::invalid_argument with the value and the bound.
  void check(const Sizes& sizes) const;
};

// The seeds' counters. Costs are counted in operations, never in time.
struct Statistics {
  long steps = 0;
  long rejected = 0;            // by the error estimate
  long failed = 0;              // by the corrector, the projection or a singular matrix
  long matrix_evaluations = 0;  // (M, G, gI): the report's nfcn
  long force_evaluations = 0;   // f
  long jacobians = 0;
  long factorisations = 0;
  long solves = 0;
  long projections = 0;  // Newton iterations of the projection
  long selectors = 0;    // determinations of independent coordinates
  long starts = 0;
  double last_step = 0.0;
  int last_order = 0;

  // Of `bdf`. A refresh cycle is the steps from one iteration matrix to the next.
  long updates = 0;  // iteration matrices without a new Jacobian
  long refreshes_failed = 0, refreshes_slow = 0,
       refreshes_step = 0;   // by their reason: the
                             // iteration failed, it was slow, the step size had changed
  long cycle_steps = 0;      // in cycles that have ended
  double contraction = 0.0;  // of the last step's iteration, (3.16) of report 003
  double operations = 0.0;   // multiplications, and evaluations as if they were
  double simulated = 0.0;    // time

  long cycles() const { return refreshes_failed + refreshes_slow + refreshes_step; }
  double simulation_rate() const { return operations > 0.0 ? simulated / operations : 0.0; }

  // Value by the keyword used in the model file's <output quantity="statistic" component="steps"/>.
  static std::span<const std::string_view> keywords();
  double by_keyword(std::string_view keyword) const;  // throws std::out_of_range

  void save(ByteWriter&) const;
  void restore(ByteReader&);
};

// Integration cannot go on. what() is the whole message for a person.
class SolverFailure : public std::runtime_error {
 public:
  SolverFailure(double time, double step, const std::string& reason, const std::string& advice);
  double time, step;
};

class Integrator {
 public:
  virtual ~Integrator() = default;

  virtual std::string_view name() const = 0;
  // What works and why, for the log: method, scheme, linear solver.
  virtual std::string describe() const = 0;
  // Counts of the linear solver, and with options.monitor the time of its parts.
  virtual const SaddleStatistics& linear_statistics() const = 0;

  // x0 is consistent (positions, velocities, a and lambda), see engine/equations/initial.hpp.
  // step_hint > 0: the step size before an interruption; 0: options or chosen.
  virtual void start(const State& x0, double step_hint = 0.0) = 0;

  // One accepted step from state().t to at most t_stop; lands on t_stop bit for bit when it gets
  // there. Throws SolverFailure; state() is then still the last accepted one.
  virtual void step(double t_stop) = 0;

  const State& state() const { return x_; }       // at the end of the last step, projected
  double step_begin() const { return t_begin_; }  // the last step went from here to state().t

  // All unknowns at t in [step_begin(), state().t]. `projected`: p and v onto the constraints, a
  // and lambda from the equations at that point. Bitwise state() at t = state().t.
  virtual void interpolate(double t, bool projected, State& x) = 0;

  virtual void save(ByteWriter&) const = 0;
  // Into an integrator of the same equations and options. When it throws the integrator must be
  // started or restored anew before use.
  virtual void restore(ByteReader&) = 0;

  const Statistics& statistics() const { return statistics_; }

  // What a person should know of the last step(), mostly nothing.
  std::span<const std::string> notices() const { return notices_; }

 protected:
  State x_;
  double t_begin_ = 0.0;
  Statistics statistics_;
  std::vector<std::string> notices_;
};

// `equations` and what `given` refers to must outlive the integrator. keyword:
// "extrapolation" (report 000), "midpoint" (the same with an h^2 expansion), "auto".
std::unique_ptr<Integrator> make_integrator(const std::string& keyword, const Equations& equations,
                                            Context context, const IntegratorOptions& options);

// Whether it goes on with redundant constraints and multipliers of least norm.
bool treats_redundancy(const std::string& keyword);

}  // namespace mbs
