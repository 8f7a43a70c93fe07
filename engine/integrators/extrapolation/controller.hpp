#pragma once

// Order and step size after ODEX (Hairer, Norsett, Wanner, Solving Ordinary Differential Equations
// I, section II.9), as report 000 says of its own control, for an h-expansion:
//
//   err_j = |T_{j,j} - T_{j,j-1}|_TOL = O(H^j)
//   H_j   = H 0.94 (0.65 / err_j)^(1/j)          the step size that row j would have liked
//   W_j   = A_j / H_j                            work per unit step, A_j = n_1 + ... + n_j (+1)
//
// A step aims at row k and is looked at in the rows k-1, k, k+1. There it is accepted when
// err_j <= 1, and given up early when even row k+1 is not expected to get there: from row j to row
// j + 1 the error shrinks by n_1 / n_{j+1}. The next k minimises W_j in the neighbourhood of the
// row that was accepted. The first step, and steps that a stop time has cut, have no row to aim at
// yet: each row from 2 on may accept.

#include <array>

#include "engine/integrators/extrapolation/tableau.hpp"
#include "engine/linear/bytes.hpp"

namespace mbs {

class OrderControl {
 public:
  explicit OrderControl(int max_rows);

  // Forgets everything; aims at a row that suits the tolerance.
  void start(double rtol, double H);

  void begin_step(double H, bool any_row);
  enum class Verdict { go_on, accept, reject };
  // The error of row j = 2, 3, ... in the order of rows.
  Verdict judge(int j, double error);

  void accepted(int j);  // sets the next step size and row
  void rejected();       // by judge
  void failed();         // for another reason: halves the step
  void resume(double H, int row);

  double step() const { return H_; }
  int row() const { return k_; }

  void save(ByteWriter&) const;
  void restore(ByteReader&);

 private:
  double work(int j) const { return work_[static_cast<std::size_t>(j)]; }
  double wish(int j) const { return wish_[static_cast<std::size_t>(j)]; }

  int max_rows_;
  int k_ = 2;       // the row aimed at
  double H_ = 0.0;  // the step under way, then the next one
  bool any_row_ = true;
  bool after_rejection_ = false;
  bool diverging_ = false;
  int last_row_ = 0;  // judged
  double bound_ = 0.0;
  std::array<double, most_rows + 1> cost_{}, work_{}, wish_{};  // index j
};

}  // namespace mbs
