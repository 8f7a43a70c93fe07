#pragma once

// Tests of convergence of the corrector, with r the rate |d_m| / |d_(m-1)|:
//
//   dassl    s |d| <= 0.33, s = r / (1 - r) with r = (|d_m| / |d_0|)^(1/m), Nijhuis (2013),
//            eq. (3.16); 100 at first after each change of alpha; r > 0.9 fails; four iterations
//   modern   the same with a rate that is kept from step to step, as in CVODE; a stale matrix fails
//            from r > 0.6 on; five iterations

#include "engine/base/bytes.hpp"
#include "engine/integrators/bdf/options.hpp"

namespace mbs::bdf {

class ConvergenceTest {
 public:
  explicit ConvergenceTest(CorrectorKind kind) : dassl_(kind == CorrectorKind::dassl) {}

  void start();                                            // a new matrix: the rate is not known
  void change_alpha();                                     // another alpha with the same matrix
  void begin(bool exact_B, bool krylov, double rounding);  // of a step
  enum class Verdict { go_on, converged, diverged, not_finite };
  // Called after iteration m = 0, 1, ... with the size of its correction.
  Verdict judge(int m, double size);
  double contraction() const { return contraction_; }  // the mean rate of the step
  bool slow() const { return slow_; }                  // it converged, but slowly

  void save(ByteWriter& out) const;
  void restore(ByteReader& in);

 private:
  bool dassl_;
  double s_ = 100.0, rate_ = 1.0;
  bool exact_B_ = false, krylov_ = false, slow_ = false;
  double rounding_ = 0.0, first_ = 0.0, before_ = 0.0, contraction_ = 0.0;
};

}  // namespace mbs::bdf
