#pragma once

// The corrector of a BDF step: F(t, y, alpha y + beta) = 0, (13) of report 002, by simplified
// Newton from the predictor,
//
//   A d = F(y^m, alpha y^m + beta),  y^(m+1) = y^m - d                               (14)
//
// with A = alpha_A E + B from an earlier alpha_A and, mostly, an earlier time. What is done about
// alpha_A != alpha, with sigma = alpha / alpha_A:
//
//   factor     d := 2 / (1 + sigma) d                                                (18), DASSL's
//   c matching   d := D2 A^-1 D1 F with D1 = diag(1, 1/sigma, 1/sigma, 1, sigma; 1, sigma),
//              D2 = diag(1/sigma, 1, 1, 1, 1/sigma; sigma, 1)                  (5.6), (5.9)-(5.12)
//
// for rows and columns of (p, v, r, w, s; lambda, eta). The report scales rows alone and finds the
// factors by the place of alpha in them; with columns as well the matched matrix is exact for
//
//   ( alpha   -1            G^T )
//   (      alpha M   G^T        )    that is but for derivatives of forces, of G and of G v.
//   (         G                 )
//   (  G                        )
//
// Where those are large (stiff systems) the factor is better, so a score is kept of how steps with
// matching go.
//
// A is made anew (a refresh; steps between two are a cycle) for DASSL's three reasons: the
// iteration does not converge, it converges too slowly, alpha has changed too much. A refresh is an
// update (23)-(25), alpha E + B with the old B, where B may still be good, and an evaluation of B
// where it is not.
//
// Within a cycle the phases of phases.hpp follow each other; in the third, B is evaluated at each
// predictor and A d = F solved by GMRES in the form of conjugate residuals, in the norm of the
// error test. Broyden's updates (broyden.hpp) are made where A is old.
//
// Tests of convergence, with r the rate |d_m| / |d_(m-1)|:
//
//   dassl    s |d| <= 0.33, s = r / (1 - r) with r = (|d_m| / |d_0|)^(1/m), (3.16) of report 003;
//            100 at first after each change of alpha; r > 0.9 fails; four iterations
//   modern   the same with a rate that outlives the step, as in CVODE; a stale matrix fails from
//            r > 0.6 on

#include "engine/integrators/bdf/broyden.hpp"
#include "engine/integrators/bdf/dropped_lu.hpp"
#include "engine/integrators/bdf/iteration_matrix.hpp"
#include "engine/integrators/bdf/jacobians.hpp"
#include "engine/integrators/bdf/phases.hpp"

namespace mbs {

// Counts since the integrator was made. Refreshes by reason.
struct BdfCounts {
  long iterations = 0;
  long updates = 0;                                             // (23)-(26) instead
  long after_failure = 0, after_slowness = 0, after_alpha = 0;  // why
  long cycle_steps = 0;                                         // steps in cycles that have ended
  double contraction = 0.0;                                     // (3.16) of the last step
  long dropped_solves = 0, krylov_steps = 0, broyden_updates = 0;
  double factors = 0.0;          // multiplications of factorisations,
  double triangular = 0.0;       // of triangular solves,
  double triangular_full = 0.0;  // and what these were without dropping
};

class BdfCorrectorLoop {
 public:
  enum class Result { converged, diverged, singular, not_finite };

  BdfCorrectorLoop(BdfSystem& system, const BdfOptions& options, Statistics& statistics);

  void start();  // forget the matrix
  // From the predictor (y, y') to the solution; e = y - predictor.
  Result solve(double t, double h, double alpha, const BdfNorm& norm, Vector& y, Vector& y_dot,
               Vector& e);
  void accepted() { ++steps_in_cycle_; }
  const Vector& last_correction() const { return d_; }
  // d := A^-1 d with the present factors, for projections.
  void apply(double alpha, Vector& d) { solve_linear(alpha, d); }

  const BdfCounts& counts() const { return counts_; }
  const SaddleStatistics& linear_statistics() const { return linear_; }
  long difference_residuals() const { return source_.residuals(); }
  const BdfJacobianSource& source() const { return source_; }
  const IterationMatrix& matrix() const { return matrix_; }

  void save(ByteWriter&) const;
  void restore(ByteReader&);

 private:
  enum class Reason { none, failure, slowness, alpha };
  enum class Phase : int { dropped, simplified, krylov };
  Reason wish(double alpha) const;
  // An estimated pattern shows its gaps where refreshes do not help: it needs them.
  bool knows_pattern() const { return options_.jacobians != BdfJacobians::groups; }
  bool matches() const { return options_.matching && score_ >= 0; }
  Result refresh(Reason reason, double t, double h, double alpha, const Vector& y,
                 const Vector& y_dot, const BdfNorm& norm);
  Result iterate(double t, double alpha, const BdfNorm& norm, Vector& y, Vector& y_dot, Vector& e);
  void solve_linear(double alpha, Vector& d);
  void solve_triangular(Vector& d);
  bool begin_krylov(double t, double h, double alpha, const Vector& y, const Vector& y_dot,
                    const BdfNorm& norm);
  void solve_krylov(double alpha, const BdfNorm& norm, Vector& d);
  void prepare_phases();
  void count_linear(double operations) {
    operations_ += operations;
    linear_operations_ += operations;
  }
  void end_cycle();
  double evaluation_operations() const;
  bool evaluate(double t, double h, const Vector& y, const Vector& y_dot, const BdfNorm& norm,
                Vector& B, Vector& E);
  void find_by_excitation(double t, double h, const Vector& y, const Vector& y_dot,
                          const BdfNorm& norm);
  bool excitation_changed(double t);
  void analyse();
  void residual(double t, const Vector& y, const Vector& y_dot);

  BdfSystem& system_;
  BdfOptions options_;
  Statistics& statistics_;
  BdfJacobianSource source_;
  IterationMatrix matrix_;
  Matrix B_by_u_;      // dB/du_i at the first evaluation after a start, (26)
  Vector u_, u_of_B_;  // now; of the last evaluation or update
  bool have_B_by_u_ = false;
  Vector B_, E_, A_, F_, d_, y0_, y0_dot_, z_, r_;

  bool have_B_ = false, have_A_ = false;
  bool fresh_ = false;    // A was made in this step
  bool exact_B_ = false;  // with B of this step
  bool slow_ = false;     // the last step converged too slowly
  double alpha_A_ = 0.0, alpha_B_ = 0.0, alpha_last_ = 0.0;
  double s_ = 100.0, rate_ = 1.0;
  int score_ = 0;  // of matching
  long steps_in_cycle_ = 0, steps_with_B_ = 0;
  BdfCounts counts_;
  SaddleStatistics linear_;

  PhasePolicy policy_;
  Phase phase_ = Phase::simplified;
  DroppedLu dropped_;
  long counted_factorisation_ = -1;  // full factorisations when operations were counted
  double operations_ = 0.0;          // of this cycle,
  double linear_operations_ = 0.0;   // and those of factorisations and solves among them
  double factor_operations_ = 0.0, solve_operations_ = 0.0, residual_operations_ = 0.0;
  Vector B_now_, E_now_;
  Matrix directions_, images_;
  Broyden broyden_;
};

}  // namespace mbs
