#pragma once

// The extrapolation integrators: a discretisation (rule.hpp), extrapolated (tableau.hpp) with order
// and step control after ODEX (controller.hpp), projected onto position and velocity constraints
// after each accepted step (projection.hpp), with dense output from the rows of the tableau
// (interpolant.hpp).
//
//   euler      report 000 (MEXX): the half-explicit Euler methods (2.1), (2.2), an h expansion
//   midpoint   Gragg's rule on the index-1 form, an h^2 expansion: far fewer evaluations at tight
//              tolerances
//
// Differences from the report: see the heads of those files, and
//   - a(t0), lambda(t0) are consistent at the start and need no extrapolation to t0;
//   - a step that a stop time cuts short does not touch the step size remembered; the last two
//     steps before a stop time share what is left, so that none is tiny;
//   - bends of forces within a step of the midpoint rule are judged by a second value of the same
//     order (within.hpp), since its error estimate makes little of them;
//   - what happens to forces at the ends of a step, where no row looks, is judged (unseen.hpp), and
//     a step that was cut for it does not touch the step size remembered either;
//   - a step so short that (2.1) would only produce rounding errors in a and lambda is done by
//     Taylor's formula.

#include "engine/equations/projection.hpp"
#include "engine/integrators/base/stiffness.hpp"
#include "engine/integrators/base/trouble.hpp"
#include "engine/integrators/extrapolation/controller.hpp"
#include "engine/integrators/extrapolation/discretisation.hpp"
#include "engine/integrators/extrapolation/endpoint_check.hpp"
#include "engine/integrators/extrapolation/interpolant.hpp"
#include "engine/integrators/extrapolation/kink_detector.hpp"

namespace mbs::extrapolation {

class Integrator final : public mbs::Integrator {
 public:
  enum class Method { euler, midpoint };
  // options.max_order: euler: rows of the tableau, 3 ... 13 (0: 13); midpoint: twice the rows,
  // 6 ... 18 (0: 18).
  Integrator(const Equations& equations, Context context, const IntegratorOptions& options,
             Method method);

  std::string_view name() const override;
  std::string describe() const override;
  const SaddleStatistics& linear_statistics() const override { return solver_->statistics(); }
  void start(const State& x0, double step_hint = 0.0) override;
  void step(double t_stop) override;
  void interpolate(double t, bool projected, State& x) override;
  void save(ByteWriter&) const override;
  void restore(ByteReader&) override;

  // One step of size H from exactly `rows` rows, accepted whatever its error and without
  // projection: what measurements of the order need.
  void fixed_step(double H, int rows);

 private:
  enum class Attempt { accepted, rejected, bent, unseen, failed };
  // What an attempt is looked at for: smooth forces, or bends of which the one before has shown
  // some, or nothing, whatever its error.
  enum class Look { smooth, bends, over };
  Attempt attempt(double t_end, Look look);
  bool doubts(int j, double error, Look look, bool again) const;
  bool passes_over(double least) const;
  Attempt refuse(Attempt why, double size, int worst);
  bool row(int j, double t_end);
  bool finish(int rows, double t_end, bool project);
  bool arrive(bool project);
  bool take(int rows, bool project);
  ProjectionResult project_velocities(State& x);
  void shift(double t_end);
  void watch_stiffness();
  void end_point(const StepPoint& point, StepEnd& end) const;
  double choose_step(double t_stop);
  bool has_interpolant() const { return method_ == Method::euler || options_.dense; }
  void build_interpolant() const;
  bool check(const ProjectionResult& result, bool positions);
  [[noreturn]] void give_up(double H, const std::string& reason) const;

  const Equations& equations_;
  Context context_;
  IntegratorOptions options_;
  Method method_;
  Stack stack_;
  int max_rows_;
  ErrorNorm norm_;
  std::unique_ptr<Workspace> ws_;
  std::unique_ptr<SaddleSolver> solver_;
  Projection projection_;
  std::unique_ptr<Discretisation> rule_;
  Tableau tableau_;
  KinkDetector within_;
  EndpointDiscontinuityCheck ends_;
  DiscontinuityLocator bend_;  // within step()
  EndpointResult unseen_;      // of the last attempt that was refused for it, and its rows
  int unseen_rows_ = 0;
  Controller control_;

  bool started_ = false;
  bool choose_ = false;          // the first step size is still to be chosen
  long attempts_ = 0;            // since start()
  int passed_over_ = 0;          // steps that went over a jump, one after the other
  double scale_of_steps_ = 0.0;  // the first step's size, for what a tiny step is at t = 0
  StepPoint now_, next_;         // now_.x equals x_
  StepEnd begin_, end_;          // of the last step
  int rows_ = 0;                 // of the last step; 0: there was none
  Slopes slopes_, trial_;        // of the last step, of the one under way
  std::unique_ptr<Interpolant> interpolant_;
  mutable bool interpolant_ready_ = false;
  std::unique_ptr<Workspace> view_ws_;  // of interpolate()
  std::unique_ptr<SaddleSolver> view_solver_;
  Projection view_projection_;
  Stiffness stiffness_;

  // Why the last attempt came to nothing, for the message when none succeeds.
  bool note(StepResult result);  // whether it is done
  Trouble trouble_ = Trouble::none;
  double trouble_size_ = 0.0;
  int trouble_at_ = -1;
};

}  // namespace mbs::extrapolation
