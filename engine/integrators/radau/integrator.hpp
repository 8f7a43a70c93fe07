#pragma once

// Radau IIA(5) on the projected-strangeness-free form (12) of report 001, or on its
// strangeness-index-1 form, which leaves the accelerations' constraints out:
//
//   collocation.hpp    the method, its transformation and its polynomial
//   control.hpp        tolerances, step sizes, Newton's stopping rule: RADAU5
//   selector.hpp       S_p and S_v by Algorithm 2.6
//   dense_system.hpp, saddle_system.hpp   Newton's matrix
//
// One step from x0: Newton's method on the three stages, which start from the last step's
// polynomial; the error estimate; then the end of the third stage is brought onto the constraints
// to rounding (projection.hpp), its a and lambda solved for, and the polynomial led through it.
//
// Differences from the report: a is an unknown of its own (dense_system.hpp); the hidden
// constraints hold at steps to rounding and not to Newton's tolerance; invariants (3) are restored
// at the end of each step, with p and v pivoted together (invariants.cpp), and are no rows of
// Newton's system, so that they lose no rank where v = 0; starting values of the first step are
// Taylor's. A point where the constraints lose rank (a dead point) is passed with a notice:
// Newton's matrix is then taken elsewhere in the step, and a step that ends there keeps the third
// stage as it is. It is an error where the rank stays lost over a step, or at two ends of steps in
// turn.

#include "engine/equations/projection.hpp"
#include "engine/integrators/base/trouble.hpp"
#include "engine/integrators/radau/controller.hpp"
#include "engine/integrators/radau/newton_system.hpp"
#include "engine/integrators/radau/small_factors.hpp"

namespace mbs::radau {

class Integrator final : public mbs::Integrator {
 public:
  Integrator(const Equations& equations, Context context, const IntegratorOptions& options);

  std::string_view name() const override { return "radau"; }
  std::string describe() const override;
  const SaddleStatistics& linear_statistics() const override { return solver_->statistics(); }
  void start(const State& x0, double step_hint = 0.0) override;
  void step(double t_stop) override;
  void interpolate(double t, bool projected, State& x) override;
  void save(ByteWriter&) const override;
  void restore(ByteReader&) override;

  // One step of size H, accepted whatever its error: what measurements of the order need.
  void fixed_step(double H);

 private:
  enum class Attempt { accepted, rejected, failed };
  enum class Newton { converged, diverged, failed };
  Attempt attempt(double t_end, bool any_error);
  void predict(double h);
  bool linearise(double h);
  NewtonSystem::Prepared prepare_beside(double h);
  Newton iterate(double h);
  bool evaluate_stages(double h);
  double estimate(double h);
  bool finish(double t_end);
  bool arrive(State& x);
  bool pass_singular_point(double t_end);
  bool rank_has_risen(const State& x);
  void note_lost_rank(double t);
  bool restore_invariants(State& x, double h);
  void treat_redundancy(const State& x);
  bool reveals_rank_dense() const;
  void make_solvers();
  void restore_redundancy(ByteReader&);
  void accept(State& x);
  double choose_step(double t_stop);
  void shift(double t_end);

  const Equations& equations_;
  Context context_;
  IntegratorOptions options_;
  Options choice_;
  Stack stack_;
  Norm norm_;
  double kappa_;
  std::unique_ptr<Workspace> ws_;
  std::unique_ptr<SaddleSolver> solver_;
  Projection projection_;
  std::unique_ptr<NewtonSystem> system_;
  Controller control_;

  bool started_ = false;
  bool choose_ = false;  // the first step size is still to be chosen
  long attempts_ = 0;    // since start()
  double scale_of_steps_ = 0.0;

  // Newton's matrix: of which point, and for which step size its factors are.
  State point_;
  bool has_jacobian_ = false, jacobian_here_ = false, renew_ = true;
  double h_factored_ = 0.0;  // 0: none
  int redundant_ = 0;        // constraints, found at the start
  bool at_singular_point_ = false;

  Stages stages_;
  int iterations_ = 0;
  double theta_ = 0.0, eta_ = 1.0, shrink_ = 0.5;
  State trial_;
  Vector x0_, y0_, slope0_;  // x_ as a Stack; (p, v, r) and their slopes
  Vector slope_;             // of trial_, by arrive()
  Vector F_, d_;
  Vector end_;
  bool has_polynomial_ = false;
  Polynomial polynomial_;  // of the last step
  Vector begin_;           // where it began

  Vector random_, watched_, reactions_;                                // of rank_has_risen
  Vector invariant_, gradient_p_, gradient_v_, multiplier_, nu_, dp_;  // of restore_invariants
  Matrix invariant_row_p_, invariant_row_v_, invariant_change_p_, invariant_change_v_;
  SmallFactors<double> invariant_factors_;

  std::unique_ptr<Workspace> view_ws_;  // of interpolate()
  std::unique_ptr<SaddleSolver> view_solver_;
  Projection view_projection_;
  Vector view_;

  // Why the last attempt came to nothing, for the message when none succeeds.
  Trouble trouble_ = Trouble::none;
  double trouble_size_ = 0.0;
  int trouble_at_ = -1;
  RankTrouble rank_trouble_;
  bool check(const ProjectionResult& result, bool positions);
  [[noreturn]] void give_up(double h, const std::string& reason);
};

}  // namespace mbs::radau
