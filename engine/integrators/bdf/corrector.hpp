#pragma once

// The corrector of a BDF step: F(t, y, alpha y + beta) = 0, (13) of report 002, by simplified
// Newton from the predictor,
//
//   A d = F(y^m, alpha y^m + beta),  y^(m+1) = y^m - d                               (14)
//
// with A = alpha_A E + B from an earlier alpha_A and, mostly, an earlier time; what is done about
// alpha_A != alpha, and how A d = F is solved, says cycle.hpp. Matching is good where it is exact,
// but where derivatives of forces are large (stiff systems) the factor is better, so a score is
// kept of how steps with matching go.
//
// A is made anew (a refresh; steps between two are a cycle) for DASSL's three reasons: the
// iteration does not converge, it converges too slowly, alpha has changed too much. A refresh is an
// update (23)-(26), alpha E + B with the old B, where B may still be good, and an evaluation of B
// where it is not. In the third phase of a cycle B is evaluated at each predictor. Broyden's
// updates (broyden.hpp) are made where A is old.
//
// Tests of convergence, with r the rate |d_m| / |d_(m-1)|:
//
//   dassl    s |d| <= 0.33, s = r / (1 - r) with r = (|d_m| / |d_0|)^(1/m), (3.16) of report 003;
//            100 at first after each change of alpha; r > 0.9 fails; four iterations
//   modern   the same with a rate that outlives the step, as in CVODE; a stale matrix fails from
//            r > 0.6 on

#include <optional>

#include "engine/integrators/bdf/broyden.hpp"
#include "engine/integrators/bdf/excitation_update.hpp"
#include "engine/integrators/bdf/jacobians.hpp"
#include "engine/integrators/bdf/refresh_cycle.hpp"

namespace mbs::bdf {

class Corrector {
 public:
  using Phase = RefreshCycle::Phase;
  enum class Result { converged, diverged, singular, not_finite };

  // given, all: what projections for (26) need.
  Corrector(System& system, const Options& options, Context context, const IntegratorOptions& all,
            Statistics& statistics);

  void start();  // forget the matrix
  // From the predictor (y, y') to the solution; e = y - predictor.
  Result solve(double t, double h, double alpha, const Norm& norm, Vector& y, Vector& y_dot,
               Vector& e);
  void accepted() { ++steps_in_cycle_; }
  // The next solution begins with a better matrix; false: there is none.
  bool distrust();
  const Vector& last_correction() const { return d_; }
  // d := A^-1 d as the last step was solved, for projections.
  void apply(double alpha, const Norm& norm, Vector& d) {
    if (cycle_.phase() == Phase::krylov) {
      cycle_.correct(alpha, matches(), false, norm, A_, d);
    } else {
      cycle_.solve(alpha, matches(), d);
    }
  }

  const Counts& counts() const { return cycle_.counts(); }
  const SaddleStatistics& linear_statistics() const { return cycle_.linear(); }
  long difference_residuals() const { return source_.residuals(); }
  const IterationMatrix& matrix() const { return cycle_.matrix(); }

  void save(ByteWriter&) const;
  void restore(ByteReader&);

 private:
  enum class Reason { none, failure, slowness, alpha };
  Reason wish(double alpha) const;
  // An estimated pattern shows its gaps where refreshes do not help: it needs them.
  bool knows_pattern() const { return options_.jacobians != JacobianKind::groups; }
  bool matches() const { return options_.matching && score_ >= 0; }
  bool take_whole();  // false: there is none, or it is singular
  bool next_phase(Reason reason);
  Result refresh(Reason reason, double t, double h, double alpha, const Vector& y,
                 const Vector& y_dot, const Norm& norm);
  bool update_serves(Reason reason, double t, double alpha);
  void update(double t, const Vector& y, const Vector& y_dot);
  void make(Reason reason, double t, double h, const Vector& y, const Vector& y_dot,
            const Norm& norm);
  Result iterate(double t, double alpha, const Norm& norm, Vector& y, Vector& y_dot, Vector& e);
  bool linearise(double t, double h, double alpha, const Vector& y, const Vector& y_dot,
                 const Norm& norm);
  double evaluation_operations() const;
  double krylov_operations() const;
  bool evaluate(double t, double h, const Vector& y, const Vector& y_dot, const Norm& norm,
                Vector& B, Vector& E);
  void analyse();
  void residual(double t, const Vector& y, const Vector& y_dot);

  System& system_;
  Options options_;
  Statistics& statistics_;
  JacobianSource source_;
  RefreshCycle cycle_;
  std::optional<ExcitationUpdate> excitation_;  // with (26) alone
  Broyden broyden_;
  Vector B_, E_, A_, F_, d_, y0_, y0_dot_, z_;
  Vector B_now_, E_now_;  // in the third phase
  Vector B_before_;       // with (26)

  bool have_B_ = false, have_A_ = false;
  bool fresh_ = false;          // A was made in this step
  bool exact_B_ = false;        // with B of this step
  bool slow_ = false;           // the last step converged too slowly
  bool lacks_entries_ = false;  // perhaps: the iteration failed with B of its own step
  double alpha_last_ = 0.0;
  double s_ = 100.0, rate_ = 1.0;
  int score_ = 0;  // of matching
  long steps_in_cycle_ = 0, steps_with_B_ = 0;
  double residual_operations_ = 0.0;
};

}  // namespace mbs::bdf
