#pragma once

// Order and step size of the Adams methods. With err_m = |error of order m|_TOL the optimal step
// size of order m is
//
//   h_m = h (0.2 / err_m)^(1/(m+1))
//
// and the next order is that of k - 1, k, k + 1 with the largest h_m; order k + 1 is considered
// only when k + 1 steps have been made with order k. The step size grows by 2 at most, and not at
// all by less than a tenth. At first, as in Shampine and Gordon (1975), each step raises the order
// and may double the step size, until either no longer helps. After a third rejection in a row the
// method starts again with order 1.

#include "engine/base/bytes.hpp"

namespace mbs::reduction {

class Controller {
 public:
  explicit Controller(int most_order) : most_order_(most_order) {}

  void start(double h);

  double step() const { return h_; }
  int order() const { return k_; }
  bool starting() const { return starting_; }  // from order 1 upwards
  // Whether accepted() considers the error of order k + 1.
  bool may_rise() const { return !starting_ && k_ < most_order_ && steps_at_order_ >= k_; }

  // Errors of orders k - 1, k, k + 1 of a step of size h, below 0 where they are not known; `nodes`
  // is their number in the next step.
  void accepted(double h, double below, double own, double above, int nodes);
  void rejected(double h, double below, double own);
  void failed(double h);  // for another reason
  // Continues as if the last step had not been cut short.
  void resume(double h, int order);

  void save(ByteWriter&) const;
  void restore(ByteReader&);

 private:
  static double optimal(double error, int m);
  void set_order(int k);

  int most_order_;
  double h_ = 0.0;
  int k_ = 1;
  int steps_at_order_ = 0;
  int rejections_ = 0;  // in a row
  bool starting_ = true;
};

}  // namespace mbs::reduction
