#pragma once

// The linear systems A d = F of a refresh cycle, with the factors of its beginning, and what they
// cost, in counted operations (multiplications).
//
// A was made for alpha_A. For another alpha, sigma = alpha / alpha_A:
//
//   factor     d := 2 / (1 + sigma) A^-1 F                                    (18) of 002, DASSL's
//   matching   d := D2 A^-1 D1 F with D1 = diag(1, 1/sigma, 1/sigma, 1, sigma; 1, sigma),
//              D2 = diag(1/sigma, 1, 1, 1, 1/sigma; sigma, 1)           (5.6), (5.9)-(5.12) of 003
//
// for rows and columns of (p, v, r, w, s; lambda, eta). The report scales rows alone and finds the
// factors by the place of alpha in them; with columns as well the matched matrix is exact for
//
//   ( alpha   -1            G^T )
//   (      alpha M   G^T        )    that is but for derivatives of forces, of G and of G v.
//   (         G                 )
//   (  G                        )
//
// The cycle goes through the phases of phases.hpp. What dropping does is measured by the first
// right-hand side of the cycle: where the corrector is slow for another reason, the second phase
// would not help and is passed over. Likewise, in every eighth cycle, what the columns of eta do
// that the iteration matrix leaves out: where it is noticeable, the first iteration of a step
// solves twice (iteration_matrix.hpp). Near singular positions, where a step is longer than the way
// to them, the iteration diverges for it: then the whole matrix is taken, for as many cycles.
// In the third phase the present A is given at each predictor and A d = F solved by GMRES in the
// form of conjugate residuals, in the norm of the error test, until a tenth of the residual is left
// or the number of steps is reached.

#include "engine/integrators/bdf/iteration_matrix.hpp"
#include "engine/integrators/bdf/norm.hpp"
#include "engine/integrators/bdf/threshold_lu.hpp"

namespace mbs::bdf {

// Counts since the integrator was made, beside those in Statistics.
struct Counts {
  long iterations = 0;
  long dropped_solves = 0, krylov_steps = 0, krylov_directions = 0, broyden_updates = 0;
  double factors = 0.0;          // operations of factorisations,
  double triangular = 0.0;       // of triangular solves,
  double triangular_full = 0.0;  // and what these were without dropping
};

class RefreshCycle {
 public:
  enum class Phase : int { dropped, simplified, krylov };

  RefreshCycle(System& system, const Options& options, Statistics& statistics);

  void analyse(bool knows_pattern);  // the system has got another pattern
  void start();                      // forget factors and what was learnt
  // A new cycle with A in the system's pattern: false when it is singular. `evaluation`: what A has
  // cost beside, in operations.
  bool begin(const Vector& A, double alpha, double evaluation);
  void end(long steps);
  // For a while nothing is left out of the iteration matrix, A at first; false: it is singular.
  bool take_whole(const Vector& A, double alpha);

  double alpha() const { return alpha_; }
  Phase phase() const { return phase_; }
  // To the next phase; false: there is none, or it would not help. steps: in the cycle so far;
  // contraction: that of the step which was too slow, 0 where it was alpha; krylov: operations of a
  // step in the third phase.
  bool next_phase(long steps, double contraction, double krylov);
  // In the first one, where dropping is what is slow: to the second.
  bool leave_dropped(double contraction);
  // Whether the third phase is still worth what the last step cost.
  bool goes_on() const { return phase_ != Phase::krylov || policy_.krylov(step_operations_); }

  // d := A^-1 d, matched or with the factor; with all entries where dropping is coarse.
  void solve(double alpha, bool matched, Vector& d);
  // The same as a part of the iteration, its `first` or a later one: in the third phase with the
  // present matrix.
  void correct(double alpha, bool matched, bool first, const Norm& norm, const Vector& A,
               Vector& d);

  void step_begins() { step_operations_ = 0.0; }
  void count(double operations);  // of evaluations
  double solve_operations() const { return solve_operations_; }

  const IterationMatrix& matrix() const { return whole_cycles_ > 0 ? whole_.matrix : lean_.matrix; }
  Counts& counts() { return counts_; }
  const Counts& counts() const { return counts_; }
  SaddleStatistics& linear() { return linear_; }
  const SaddleStatistics& linear() const { return linear_; }

  void save(ByteWriter&) const;
  void restore(ByteReader&);

 private:
  void forget_factors();
  void make_room(const Vector& A);
  void scale(double alpha, bool matched, bool before, Vector& d) const;
  void solve_reduced(bool dropped, Eigen::Ref<Vector> x);
  void solve_as(bool dropped, bool twice, double alpha, bool matched, Vector& d);
  void measure(const Norm& norm, double alpha, bool matched, Vector& d);
  void solve_krylov(double alpha, bool matched, const Norm& norm, const Vector& A, Vector& d);

  System& system_;
  Statistics& statistics_;
  int most_directions_;
  double enough_;  // of a residual, left by GMRES
  bool eliminate_, uses_phases_;
  struct Factors {
    IterationMatrix matrix;
    ThresholdLu dropped;
  };
  Factors lean_, whole_;   // without the columns of eta, where they are left out, and with them
  bool has_room_ = false;  // for factors of the whole matrix
  int whole_cycles_ = 0;   // still with the whole matrix
  Factors& used() { return whole_cycles_ > 0 ? whole_ : lean_; }
  CyclePolicy policy_;
  Phase phase_ = Phase::simplified;
  double alpha_ = 0.0;
  double dropping_ = -1.0;           // relative error of a solve in the first phase; < 0: unknown
  double leaving_out_ = 0.0;         // of one without the columns of eta
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
