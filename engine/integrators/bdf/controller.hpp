#pragma once

// Error test, order and step size of DASSL (Brenan et al. (1996), section 5.2). With the estimates
// sigma_{i+1} |i-th difference|, the error of order i up to a factor:
//
//   test    C_k |y - y0| <= 1, C_k = max(alpha_{k+1}, |alpha_{k+1} + alpha_s - alpha_0|)
//   order   the one whose estimated derivative terms are smallest, among k - 1, k, k + 1
//   step    r = (2 est + 1e-4)^(-1/(k+1)): doubled for r >= 2, shortened to 0.5 ... 0.9 for r <= 1
//
// At first order and step size rise in each step, until that no longer helps.

#include "engine/base/error_norm.hpp"
#include "engine/integrators/bdf/history.hpp"

namespace mbs::bdf {

class Controller {
 public:
  Controller(int max_order, int size) : max_order_(max_order), d_(Vector::Zero(size)) {}

  void start(double h, int order);
  // Steps of size h and of this order, whatever their error.
  void fix(double h, int order);
  void begin_step() { error_failures_ = 0; }

  double step() const { return h_; }
  int order() const { return k_; }
  int max_order() const { return max_order_; }
  bool fixed() const { return fixed_; }
  void resume(double h) { h_ = h; }

  // The error test of a step of size h with y = predictor + e; on failure the next order and step
  // size are set.
  bool accepts(double h, const History& history, const ErrorNorm& norm, const Vector& e);
  double error() const { return error_; }
  void failed(double h);  // for another reason
  // Sets the next order and step size and moves the history on.
  void accepted(double h, History& history, const ErrorNorm& norm, const Vector& e);

  void save(ByteWriter&) const;
  void restore(ByteReader&);

 private:
  int next_order(const History& history, const ErrorNorm& norm, const Vector& e);

  int max_order_;
  double h_ = 0.0;
  int k_ = 1;
  int order_change_ = 0;  // of the last step's order against the one before
  bool raising_ = false;  // order and step size rise with each step (DASSL's phase 0)
  bool fixed_ = false;

  // The step under way: estimated terms of orders k and k - 1, and the estimate for the next order.
  double error_ = 0.0, est_ = 0.0, term_ = 0.0, term_lower_ = 0.0;
  int k_new_ = 1;
  int error_failures_ = 0;
  Vector d_;
};

}  // namespace mbs::bdf
