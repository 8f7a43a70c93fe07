#pragma once

// Radau IIA(5) on the projected-strangeness-free form of Steinbrecher (2007), eq. (12), or on its
// strangeness-index-1 form, which leaves the accelerations' constraints out:
//
//   collocation.hpp    the method and its transformation
//   interpolant.hpp    its polynomial
//   stage_solver.hpp   Newton's method on the stages, the error estimate
//   controller.hpp     tolerances, step sizes, Newton's stopping rule: RADAU5
//   selector.hpp       S_p and S_v by Algorithm 2.6
//   dense_system.hpp, saddle_system.hpp   Newton's matrix
//
// One step from x0: Newton's method on the three stages, which start from the last step's
// polynomial; the error estimate; then the end of the third stage is projected onto the constraints
// to rounding (projection.hpp), its a and lambda solved for, and the polynomial led through it.
//
// Differences from GEOMS: a is an unknown of its own (dense_system.hpp); the hidden constraints
// hold at steps to rounding and not to Newton's tolerance; invariants (3) are restored at the end
// of each step, with p and v pivoted together (invariants.hpp), and are no rows of Newton's system,
// so that they lose no rank where v = 0; starting values of the first step are Taylor's. A point
// where the constraints lose rank (a dead point) is passed with a warning: Newton's matrix is then
// taken elsewhere in the step, and a step that ends there keeps the third stage as it is. It is an
// error when the rank stays lost over a step, or at two ends of steps in turn.

#include "engine/integrators/base/integrator_base.hpp"
#include "engine/integrators/radau/controller.hpp"
#include "engine/integrators/radau/invariants.hpp"
#include "engine/integrators/radau/redundancy.hpp"
#include "engine/integrators/radau/stage_solver.hpp"

namespace mbs::radau {

class Integrator final : public IntegratorBase {
 public:
  Integrator(const Equations& equations, Context context, const IntegratorOptions& options);

  std::string_view name() const override { return "radau"; }
  std::string describe() const override;
  void start(const State& x0, double step_hint = 0.0) override;
  void step(double t_stop) override;

  // One step of size H, accepted whatever its error, for measurements of the order.
  void fixed_step(double H);

 private:
  enum class Attempt { accepted, rejected, failed };
  Attempt attempt(double t_end, bool any_error);
  bool finish(double t_end);
  bool arrive(State& x);
  bool evaluate_slope(const State& x);
  bool pass_singular_point(double t_end);
  bool restore_invariants(State& x, double h);
  void warn_of_lost_rank(double t);
  void accept(const State& x);
  void shift(double t_end);
  double choose_step(double t_stop);

  void treat_redundancy(const State& x);
  bool reveals_rank_dense() const;
  void make_newton_system();
  void make_solvers();
  bool rank_has_risen(const State& x);

  bool count(const ProjectionResult& result, bool positions);
  [[noreturn]] void give_up(double h, const std::string& event);
  void evaluate_interpolant(double t, State& x) override;
  void save_method(ByteWriter&) const override;
  void restore_method(ByteReader&) override;

  Options choice_;
  StateLayout layout_;
  ErrorNorm norm_;
  std::unique_ptr<Workspace> ws_;
  int redundant_ = 0;  // constraints, found at the start
  StageSolver stage_solver_;
  Controller control_;
  bool at_singular_point_ = false;
  StepBegin now_;   // x_ with its slope
  State trial_;     // the end of the step under way
  Vector slope_;    // of trial_, by arrive()
  Vector scratch_;  // in the order of StateLayout
  bool has_polynomial_ = false;
  Polynomial polynomial_;  // of the last step
  RankMonitor rank_monitor_;
  InvariantProjection invariants_;
};

}  // namespace mbs::radau
