#pragma once

// Variable-order (1 ... 5), variable-step BDF with fixed leading coefficient after DASSL, with the
// corrector of Arnold et al. (2006) and Nijhuis (2013), on the forms of system.hpp. One step of
// size h and order k:
//
//   predictor and coefficients                                       history.hpp
//   corrector F(t, y, alpha y + beta) = 0                            corrector.hpp
//   error test, order and step size                                  controller.hpp
//   projection with the corrector's factors: 0 = g, 0 = G v + gI, 0 = n, until its change is below
//   a fiftieth of the tolerance                                      step.cpp
//
// Differences from these sources and from DASSL:
//   - errors of lambda, eta, w and s are not in the error test (error_norm.hpp);
//   - w, s and lambda are predicted by order 4 at most, eta by its last value: no test sees the
//     errors that an old matrix leaves in them, which an extrapolation of order k multiplies by up
//     to 2^(k+1) - 1 from step to step;
//   - the method continues with the projected point;
//   - it starts at order 2, with y'' by one difference of accelerations, unless `corrector` is
//     dassl;
//   - a stop time so near that a step to it would be tiny is reached by the polynomial of the last
//     step, projected, and the next step begins where the history ends (`shift`).

#include <array>
#include <span>

#include "engine/integrators/base/integrator_base.hpp"
#include "engine/integrators/bdf/controller.hpp"
#include "engine/integrators/bdf/corrector.hpp"

namespace mbs::bdf {

class Integrator final : public IntegratorBase {
 public:
  // options.max_order: 1 ... 5 (0: 5).
  Integrator(const Equations& equations, Context context, const IntegratorOptions& options);

  std::string_view name() const override { return "bdf"; }
  std::string describe() const override;
  const SaddleStatistics& linear_statistics() const override {
    return corrector_.linear_statistics();
  }
  void start(const State& x0, double step_hint = 0.0) override;
  void step(double t_stop) override;

  const Counts& counts() const { return corrector_.counts(); }
  const System& system() const { return system_; }
  long difference_residuals() const { return corrector_.difference_residuals(); }

  // Takes steps of size h from states at t, t - h, ... at the order that these give, accepted
  // whatever their error, for measurements of the order.
  void start_fixed(std::span<const State> past, double h);

 private:
  enum class Attempt { accepted, rejected, failed };
  // Components without an error test, and the order of their predictor.
  struct Untested {
    int begin, count, order;
  };
  std::array<Untested, 2> untested() const;
  Attempt attempt(double t_end);
  void predict();
  void keep_untested();
  bool project(double t, Vector& y, Vector& y_dot, Vector* e);
  void correct_drift();
  void finish(double t_end);
  void shift(double t_end);

  void choose_start(double t_stop);
  void evaluate_slopes(const State& x, Vector& y_dot);
  double first_dassl_step(double longest) const;
  double first_modern_step(double longest);

  Attempt corrector_failed(Corrector::Result result, double h);
  [[noreturn]] void give_up(double h, const std::string& event);
  void evaluate_interpolant(double t, State& x) override;
  void save_method(ByteWriter&) const override;
  void restore_method(ByteReader&) override;

  Options method_;
  System system_;
  ErrorNorm norm_;
  Corrector corrector_;
  History history_;
  Controller control_;
  double t_history_ = 0.0;  // where the history ends: state().t, but for shifts
  double hint_ = 0.0;
  bool restart_ = false;  // the hint is an earlier step size
  bool stepped_ = false;  // since start()
  Vector y_, y_dot_, e_, d_, y_end_;
  Vector y_at_, y_dot_at_;  // of the interpolation
  Vector p_change_;         // of the trial step at a start
};

}  // namespace mbs::bdf
