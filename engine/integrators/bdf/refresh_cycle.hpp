#pragma once

// The linear systems A d = F of a refresh cycle, with the factors of its beginning, and their cost
// in counted operations (multiplications).
//
// A was made for alpha_A. For another alpha, sigma = alpha / alpha_A:
//
//   factor     d := 2 / (1 + sigma) A^-1 F                  Arnold et al. (2006), eq. (18), DASSL
//   matching   d := D2 A^-1 D1 F with D1 = diag(1, 1/sigma, 1/sigma, 1, sigma; 1, sigma),
//              D2 = diag(1/sigma, 1, 1, 1, 1/sigma; sigma, 1)     Nijhuis (2013), eqs. (5.6),
//                                                                 (5.9)-(5.12)
//
// for rows and columns of (p, v, r, w, s; lambda, eta). Nijhuis scales rows alone and finds the
// factors by the place of alpha in them; with columns as well the matched matrix is exact for
//
//   ( alpha   -1            G^T )
//   (      alpha M   G^T        )    which is all but derivatives of forces, of G and of G v.
//   (         G                 )
//   (  G                        )
//
// The cycle goes through the phases of cycle_policy.hpp. The error by dropped entries is measured
// with the first right-hand side of the cycle: where the corrector is slow for another reason, the
// second phase would not help and is skipped. In every eighth cycle the error by the columns of eta
// that the iteration matrix leaves out is measured in the same way: where it is noticeable, the
// first iteration of a step solves twice (iteration_matrix.hpp). Near singular positions, where a
// step is longer than the way to them, the iteration diverges because of it: then the whole matrix
// is taken, for as many cycles. In the third phase the present A is given at each predictor and
// A d = F solved by GMRES in the form of conjugate residuals, in the norm of the error test, until
// a tenth of the residual is left or the number of steps is reached.

#include "engine/base/error_norm.hpp"
#include "engine/integrators/base/statistics.hpp"
#include "engine/integrators/bdf/iteration_matrix.hpp"
#include "engine/integrators/bdf/options.hpp"
#include "engine/integrators/bdf/threshold_lu.hpp"

namespace mbs::bdf {

// Counts since the integrator was made, in addition to those in Statistics.
struct Counts {
  long iterations = 0;
  long dropped_solves = 0, krylov_steps = 0, krylov_directions = 0, broyden_updates = 0;
  double factors = 0.0;          // operations of factorisations
  double triangular = 0.0;       // operations of triangular solves
  double triangular_full = 0.0;  // the same without dropping
};

class RefreshCycle {
 public:
  enum class Phase : int { dropped, simplified, krylov };

  RefreshCycle(System& system, const Options& options, Statistics& statistics);

  void analyse(bool knows_pattern);  // for another pattern of the system
  void start();                      // forgets factors and measurements
  // Begins a cycle with A in the system's pattern; false when it is singular. `evaluation` is the
  // cost of A's evaluation in operations.
  bool begin(const Vector& A, double alpha, double evaluation);
  void end(long steps);
  // Leaves nothing out of the iteration matrix for some cycles, A first; false: it is singular.
  bool take_whole(const Vector& A, double alpha);

  double alpha() const { return alpha_; }
  Phase phase() const { return phase_; }
  // Goes to the next phase; false: there is none, or it would not help. steps: in the cycle so far;
  // contraction: that of the step which was too slow, 0 where alpha was the reason; krylov:
  // operations of a step in the third phase.
  bool next_phase(long steps, double contraction, double krylov);
  // Goes from the first phase to the second where dropping causes the slow convergence.
  bool leave_dropped(double contraction);
  // False when the last step of the third phase has cost more than it is worth.
  bool worth_continuing() const {
    return phase_ != Phase::krylov || policy_.krylov(step_operations_);
  }

  // d := A^-1 d, matched or with the factor; with all entries where dropping is too coarse.
  void solve(double alpha, bool matched, Vector& d);
  // Solves like solve() for the `first` or a later iteration of the corrector, but in the third
  // phase with the present matrix A.
  void correct(double alpha, bool matched, bool first, const ErrorNorm& norm, const Vector& A,
               Vector& d);

  void step_begins() { step_operations_ = 0.0; }
  void count(double operations);  // adds those of evaluations
  double solve_operations() const { return solve_operations_; }

  const IterationMatrix& matrix() const { return whole_cycles_ > 0 ? whole_.matrix : lean_.matrix; }
  Counts& counts() { return counts_; }
  const Counts& counts() const { return counts_; }
  const SaddleStatistics& linear() const { return linear_; }

  void save(ByteWriter&) const;
  void restore(ByteReader&);

 private:
  void forget_factors();
  void make_room(const Vector& A);
  void scale(double alpha, bool matched, bool before, Vector& d) const;
  void solve_reduced(bool dropped, Eigen::Ref<Vector> x);
  void solve_as(bool dropped, bool twice, double alpha, bool matched, Vector& d);
  void measure(const ErrorNorm& norm, double alpha, bool matched, Vector& d);
  void solve_krylov(double alpha, bool matched, const ErrorNorm& norm, const Vector& A, Vector& d);

  System& system_;
  Statistics& statistics_;
  int most_directions_;
  double enough_;  // of a residual, left by GMRES
  bool eliminate_, uses_phases_;
  struct Factors {
    IterationMatrix matrix;
    ThresholdLu dropped;
  };
  Factors lean_, whole_;   // lean_ leaves out the columns of eta where that is possible
  bool has_room_ = false;  // for factors of the whole matrix
  int whole_cycles_ = 0;   // still with the whole matrix
  Factors& used() { return whole_cycles_ > 0 ? whole_ : lean_; }
  CyclePolicy policy_;
  Phase phase_ = Phase::simplified;
  double alpha_ = 0.0;
  double dropping_ = -1.0;           // relative error of a solve in the first phase; < 0: unknown
  double leaving_out_ = 0.0;         // the same without the columns of eta
  int until_measured_ = 0;           // cycles
  bool measures_left_out_ = false;   // by the next right-hand side
  long counted_factorisation_ = -1;  // full factorisations when operations were counted
  double factor_operations_ = 0.0, solve_operations_ = 0.0;
  CyclePolicy::Cycle now_;  // the present cycle so far, but for its number of steps
  double step_operations_ = 0.0;
  Counts counts_;
  SaddleStatistics linear_;
  Vector z_, r_, F_, b_;
  Matrix directions_, images_;
};

}  // namespace mbs::bdf
