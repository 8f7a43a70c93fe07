#pragma once

// The corrector of a BDF step: F(t, y, alpha y + beta) = 0, Arnold et al. (2006), eq. (13), by
// simplified Newton from the predictor,
//
//   A d = F(y^m, alpha y^m + beta),  y^(m+1) = y^m - d                               (14)
//
// with A = alpha_A E + B from an earlier alpha_A and, mostly, an earlier time. The head of
// refresh_cycle.hpp says how A d = F is solved and how alpha_A != alpha is treated. Matching is
// good where it is exact; where derivatives of forces are large (stiff systems) the factor is
// better, so the corrector keeps a score of its steps with matching.
//
// A is computed again (a refresh; the steps between two are a cycle) for DASSL's three reasons: the
// iteration does not converge, it converges too slowly, alpha has changed too much
// (convergence.hpp). A refresh is an update (23)-(26), alpha E + B with the old B, where B may
// still be good, and an evaluation of B where it is not. In the third phase of a cycle B is
// evaluated at each predictor. Broyden's updates (broyden.hpp) are made where A is old.

#include <optional>

#include "engine/integrators/bdf/broyden.hpp"
#include "engine/integrators/bdf/convergence.hpp"
#include "engine/integrators/bdf/excitation_update.hpp"
#include "engine/integrators/bdf/jacobians.hpp"
#include "engine/integrators/bdf/refresh_cycle.hpp"

namespace mbs::bdf {

class Corrector {
 public:
  using Phase = RefreshCycle::Phase;
  enum class Result { converged, diverged, singular, not_finite };

  // The context and all options are those of the projections for (26).
  Corrector(System& system, const Options& options, Context context, const IntegratorOptions& all,
            Statistics& statistics);

  void start();  // forgets the matrix
  // Takes the predictor in (y, y') and leaves the solution there; e = y - predictor.
  Result solve(double t, double h, double alpha, const ErrorNorm& norm, Vector& y, Vector& y_dot,
               Vector& e);
  void accepted() { ++steps_in_cycle_; }
  // The next solution begins with a better matrix; false: there is none.
  bool request_refresh();
  const Vector& last_correction() const { return d_; }
  // d := A^-1 d as the last step was solved, for projections.
  void apply(double alpha, const ErrorNorm& norm, Vector& d) {
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
  Reason refresh_reason(double alpha) const;
  // The gaps of an estimated pattern show when refreshes do not help, so these must not be skipped.
  bool knows_pattern() const { return options_.jacobians != JacobianKind::groups; }
  bool matches() const { return options_.matching && score_ >= 0; }
  bool take_whole();  // false: there is no whole matrix, or it is singular
  bool next_phase(Reason reason);
  Result refresh(Reason reason, double t, double h, double alpha, const Vector& y,
                 const Vector& y_dot);
  bool update_serves(Reason reason, double t, double alpha);
  void update(double t, const Vector& y, const Vector& y_dot);
  void make(Reason reason, double t, double h, const Vector& y, const Vector& y_dot);
  Result iterate(double t, double alpha, const ErrorNorm& norm, Vector& y, Vector& y_dot,
                 Vector& e);
  bool linearise(double t, double h, double alpha, const Vector& y, const Vector& y_dot);
  double evaluation_operations() const;
  double krylov_operations() const;
  bool evaluate(double t, double h, const Vector& y, const Vector& y_dot, Vector& B, Vector& E);
  void analyse();
  void residual(double t, const Vector& y, const Vector& y_dot);

  System& system_;
  Options options_;
  Statistics& statistics_;
  JacobianSource source_;
  RefreshCycle cycle_;
  std::optional<ExcitationUpdate> excitation_;  // (26)
  Broyden broyden_;
  ConvergenceTest test_;
  Vector B_, E_, A_, F_, d_, y0_, y0_dot_, z_;
  Vector B_now_, E_now_;  // in the third phase
  Vector B_before_;       // for (26)

  bool have_B_ = false, have_A_ = false;
  bool fresh_ = false;          // A was made in this step
  bool exact_B_ = false;        // with B of this step
  bool slow_ = false;           // the last step converged too slowly
  bool lacks_entries_ = false;  // B may: the iteration failed with B of its own step
  double alpha_last_ = 0.0;
  int score_ = 0;  // of matching
  long steps_in_cycle_ = 0, steps_with_B_ = 0;
  double residual_operations_ = 0.0;
};

}  // namespace mbs::bdf
