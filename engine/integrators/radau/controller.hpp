#pragma once

// Step sizes, Newton's stopping rule and the reuse of matrices as in RADAU5 (Hairer and Wanner
// (1996), sections IV.8 and V.8), which Steinbrecher (2007) adopts:
//
//   tolerances     rtol' = 0.1 rtol^(2/3), atol' = rtol' atol / rtol: the estimate is of order 3,
//                  the solution of order 5
//   norm           sqrt(mean of (d_i / (atol' + rtol' |x_i|))^2)                            (19)
//   Newton         eta |change| <= kappa with eta = theta / (1 - theta), theta the observed rate,
//                  and kappa = max(10 eps / rtol', min(0.03, c sqrt(rtol'))), c = 1
//   classical      h_new = h fac err^(-1/4), fac = 0.9 (2 k_max + 1) / (2 k_max + k)
//   predictive     h_new = h 0.9 err^(-1/4) (h / h_old) (err_old / err)^(1/4) where that is less
//   reuse          the Jacobian when theta <= jacobian_reuse; h as well when h_new / h is in
//                  [keep_step_from, keep_step_to]
//
// For small models c = 0.1: the error that Newton's method leaves has the same sign in every step,
// so that it adds up, and the pendulum of Example 4.1 loses four times as much energy in 500
// periods at c = 1, for a tenth fewer right-hand sides.

#include "engine/base/bytes.hpp"
#include "engine/base/error_norm.hpp"
#include "engine/integrators/base/options.hpp"

namespace mbs::radau {

struct Options;

// The norm (19) of (p, v, r) with the tolerances rtol', atol'.
ErrorNorm make_norm(const Tolerances& tolerances, const Sizes& sizes);
// Newton's stopping rule; `norm` has rtol'.
double newton_tolerance(const ErrorNorm& norm, double c);

class Controller {
 public:
  explicit Controller(const Options& options) : options_(options) {}

  void start(double h);
  void resume(double h) { h_ = h; }

  double step() const { return h_; }
  // The step of size h has the error `error` after `iterations` of Newton.
  bool acceptable(double error) const { return error < 1.0; }
  void accepted(double h, double error, int iterations, double theta);
  void rejected(double h, double error, int iterations);
  void failed(double h, double factor);  // for another reason: h times factor
  bool first_or_rejected() const { return first_ || rejected_; }
  bool keep_jacobian() const { return keep_jacobian_; }

  void save(ByteWriter&) const;
  void restore(ByteReader&);

 private:
  double optimal(double h, double error, int iterations) const;

  const Options& options_;
  double h_ = 0.0;
  bool first_ = true, rejected_ = false, keep_jacobian_ = false;
  long accepted_ = 0;
  double h_accepted_ = 0.0, error_accepted_ = 1.0;
};

}  // namespace mbs::radau
