#pragma once

// The extrapolation integrators: a discretisation (discretisation.hpp), extrapolated (tableau.hpp)
// with order and step control after ODEX (controller.hpp), projected onto position and velocity
// constraints after each accepted step (projection.hpp), with dense output from the rows of the
// tableau (interpolant.hpp).
//
//   euler      the half-explicit Euler methods (2.1), (2.2) of Lubich et al. (1992), an h expansion
//   midpoint   Gragg's rule on the index-1 form, an h^2 expansion: far fewer evaluations at tight
//              tolerances
//
// Differences from MEXX: see the heads of those files, and
//   - a(t0), lambda(t0) are consistent at the start and need no extrapolation to t0;
//   - a step that a stop time cuts short does not change the step size remembered; the last two
//     steps before a stop time share the rest, so that none is tiny;
//   - kinks of forces within a step of the midpoint rule are judged by a second value of the same
//     order (kink_detector.hpp), since the error estimate underestimates them;
//   - kinks and jumps at the ends of a step, where no row evaluates forces, are judged by
//     extrapolation to the ends (endpoint_check.hpp), and a step that was cut for one does not
//     change the step size remembered either;
//   - a step so short that (2.1) would only produce rounding errors in a and lambda is taken by
//     Taylor's formula.

#include "engine/integrators/base/integrator_base.hpp"
#include "engine/integrators/base/stiffness.hpp"
#include "engine/integrators/extrapolation/controller.hpp"
#include "engine/integrators/extrapolation/endpoint_check.hpp"
#include "engine/integrators/extrapolation/interpolant.hpp"
#include "engine/integrators/extrapolation/kink_detector.hpp"
#include "engine/integrators/extrapolation/options.hpp"

namespace mbs::extrapolation {

class Integrator final : public IntegratorBase {
 public:
  Integrator(const Equations& equations, Context context, const IntegratorOptions& options,
             Method method);

  std::string_view name() const override;
  std::string describe() const override;
  void start(const State& x0, double step_hint = 0.0) override;
  void step(double t_stop) override;

  // One step of size H from exactly `rows` rows, accepted whatever its error and without
  // projection, for measurements of the order.
  void fixed_step(double H, int rows);

 private:
  enum class Attempt { accepted, rejected, kink, endpoint, failed };
  // The forces that an attempt expects: smooth ones, ones with kinks after an attempt has shown
  // some, or a jump that the step crosses whatever its error.
  enum class Expected { smooth, kinks, jump };
  Attempt attempt(double t_end, Expected expected);
  Attempt finish_step(int j, double t_end, Expected expected, bool one_row_more);
  Attempt reject(Attempt why, double size, int worst);
  Attempt reject_for_kink(int j);
  bool shows_kink(int j, double error, Expected expected, bool one_row_more) const;
  bool may_cross_jump(double least) const;
  bool add_row(int j, double t_end);
  bool finish(int rows, double t_end, bool project);
  bool arrive(bool project);
  bool accept(int rows, bool project);
  bool projects(State& x);
  void shift(double t_end);
  double choose_step(double t_stop);
  bool done(StepResult result);
  [[noreturn]] void give_up(double H, const std::string& event) const;
  void evaluate_interpolant(double t, State& x) override;
  void save_method(ByteWriter&) const override;
  void restore_method(ByteReader&) override;

  Options method_;
  StateLayout layout_;
  ErrorNorm norm_;
  std::unique_ptr<Workspace> ws_;
  std::unique_ptr<Discretisation> rule_;
  Tableau tableau_;
  KinkDetector kinks_;
  EndpointDiscontinuityCheck endpoints_;
  DiscontinuityLocator locator_;
  EndpointResult endpoint_result_;  // of the last attempt
  int endpoint_rows_ = 0;           // of the last attempt that was rejected for it
  Controller control_;
  int jumps_crossed_ = 0;  // steps that crossed a jump, one after the other
  StepPoint now_, next_;   // now_.x equals x_
  DenseOutput dense_;
  StiffnessDetector stiffness_;
};

}  // namespace mbs::extrapolation
