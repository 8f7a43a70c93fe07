#pragma once

// Variable-order (1 ... 5), variable-step BDF with fixed leading coefficient after DASSL, reports
// 002 and 003, on the forms of system.hpp. One step of size h and order k:
//
//   predictor and coefficients                                       history.hpp
//   corrector F(t, y, alpha y + beta) = 0                            corrector.hpp
//   error     C_k |y - y0| <= 1, C_k = max(alpha_{k+1}, |alpha_{k+1} + alpha_s - alpha_0|)
//   order     the one whose estimated derivative terms are smallest, among k - 1, k, k + 1
//   step      h (2 est + 1e-4)^(-1/(k+1)), as order_and_step() has it
//   projection with the corrector's factors: 0 = g, 0 = G v + gI, 0 = n, until its change is below
//             a fiftieth of the tolerance
//
// Differences from the reports and from DASSL:
//   - errors of lambda, eta, w and s are not in the error test (norm.hpp);
//   - w, s and lambda are predicted by order 4 at most, eta by its last value: nothing tests what
//     an old matrix leaves of their errors, which an extrapolation of order k multiplies by up to
//     2^(k+1) - 1 from step to step;
//   - the projected point is the one that the method goes on with;
//   - start at order 2, with y'' by one difference of accelerations, unless `corrector` is dassl;
//   - a stop time so near that a step to it would be tiny is reached by the polynomial of the last
//     step, projected, and the step to come begins where the history ends (`shift`).

#include <array>

#include "engine/equations/projection.hpp"
#include "engine/integrators/bdf/corrector.hpp"
#include "engine/integrators/bdf/history.hpp"

namespace mbs::bdf {

class Integrator final : public mbs::Integrator {
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
  void interpolate(double t, bool projected, State& x) override;
  void save(ByteWriter&) const override;
  void restore(ByteReader&) override;

  const Counts& counts() const { return corrector_.counts(); }
  const System& system() const { return system_; }
  long difference_residuals() const { return corrector_.difference_residuals(); }

  // From states at t, t - h, ...: steps of size h at the order that these give, accepted whatever
  // their error. What measurements of the order need.
  void start_fixed(std::span<const State> past, double h);

 private:
  enum class Attempt { accepted, rejected, failed };
  Attempt attempt(double t_end);
  void predict();
  void keep_untested();
  struct Untested {
    int begin, count, order;
  };
  std::array<Untested, 2> untested() const;
  bool judge();  // the error test; sets order and step when it fails
  void order_and_step();
  bool project(double t, Vector& y, Vector& y_dot, Vector* e);
  void shift(double t_end);
  void finish(double t_end);
  void mend_drift();
  void count_step();
  void choose_start(double t_stop);
  bool check(const ProjectionResult& result, bool positions);
  void failed_corrector(Corrector::Result result);
  [[noreturn]] void give_up(double h, const std::string& reason) const;

  const Equations& equations_;
  Context context_;
  IntegratorOptions options_;
  Options bdf_;
  int max_order_;
  System system_;
  Norm norm_;
  Corrector corrector_;
  History history_;
  std::unique_ptr<SaddleSolver> solver_;  // of starts alone
  Projection projection_;

  bool started_ = false;
  bool choose_ = false;     // the history is still to be made
  bool raising_ = false;    // order and step grow with each step (DASSL's phase 0)
  long attempts_ = 0;       // since start()
  double t_history_ = 0.0;  // where the history ends: state().t, but for shifts
  double h_ = 0.0;          // of the next step
  int k_ = 1;               // its order
  int order_change_ = 0;    // of the last step's order against the one before
  double scale_of_steps_ = 0.0, hint_ = 0.0;
  bool restart_ = false;  // the hint is an earlier step size
  int steps_ = 0;         // since start(), at most 2
  Vector y_, y_dot_, e_, d_, y_end_;
  int fixed_order_ = 0;  // 0: chosen

  // Of the step under way: estimated terms of orders k, k - 1, k - 2.
  double enorm_ = 0.0, est_ = 0.0, term_ = 0.0, term_lower_ = 0.0;
  int k_new_ = 1;
  int error_failures_ = 0;

  State begin_;  // at step_begin()
  Vector view_y_;
  Vector view_y_dot_;
  std::unique_ptr<Workspace> view_ws_;
  std::unique_ptr<SaddleSolver> view_solver_;
  Projection view_projection_;

  // Why the last attempt came to nothing.
  enum class Trouble {
    none,
    error,
    singular,
    start_singular,
    not_finite,
    auxiliary,
    corrector,
    projection
  };
  Trouble trouble_ = Trouble::none;
  double trouble_size_ = 0.0;
  int trouble_at_ = -1;
  double last_h_ = 0.0;
};

}  // namespace mbs::bdf
