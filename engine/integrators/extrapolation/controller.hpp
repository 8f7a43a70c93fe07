#pragma once

// Order and step size after ODEX (Hairer et al. (1993), section II.9), as in MEXX (Lubich et al.
// (1992)):
//
//   err_j = |T_{j,j} - T_{j,j-1}|_TOL = O(H^m),  m = q (j - 1) + 1 for an expansion in h^q
//   H_j   = H 0.94 (0.65 / err_j)^(1/m)          the optimal step size of row j
//   W_j   = A_j / H_j                            work per unit step; A_j counts the evaluations of
//                                                (M, G, gI) in rows 1 ... j and the projections
//
// A step aims at row k and is judged in the rows k - 1, k, k + 1. There it is accepted when
// err_j <= 1, and rejected when even row k + 1 is not expected to get there. ODEX expects the error
// to shrink by (n_1 / n_{j+1})^q from row j to j + 1; with q = 1 the bounds are those of SEULEX, an
// h-extrapolation as well (with the others a tenth more is spent on Andrews' mechanism):
//
//   err_{k-1} > 4 n_k n_{k+1}           or  err_k > 2 n_{k+1}             q = 1
//   err_{k-1} > (n_k n_{k+1} / n_1^2)^2 or  err_k > (n_{k+1} / n_1)^2     q = 2
//
// Two rules differ from both codes; on Andrews' mechanism, where every fifth step is rejected,
// they save about 5 and 2 per cent (tests/bench/README.md):
//
//   - After a rejection each row from 2 on may accept, since the shorter step seldom needs row k.
//   - Rows before k - 1 are judged too. By (2.4) err_i / err_{i-1} is about theta / n_i^q, and the
//     last two rows give theta; a step is rejected when this predicts
//
//         err_{k+1} = err_j prod_{i=j+1}^{k+1} theta / n_i^q > 100,        3 <= j <= k - 2
//
//     and the size of its successor follows from the err_k so predicted.
//
// When stability bounds the steps, and not accuracy, errors beyond the bound do not grow as H^m but
// jump, and every third step would be tried too long (the truck in joint coordinates at 1e-7: 194
// of 464). When three steps of about the same size are rejected at most 6 steps apart, the
// following ones stay below 0.7 of that size, with 1.02 times more in each step, until another
// rejection shows how far they may go, or steps of half that size are optimal, or 40 steps have
// succeeded, twice as many as lead back to the size that was rejected.
//
// The next k minimises W_j in the neighbourhood of the row that was accepted. The first step, steps
// that a stop time has cut and the third attempt at a step have no row to aim at: each row from 2
// on may accept.

#include <array>

#include "engine/base/bytes.hpp"
#include "engine/integrators/extrapolation/tableau.hpp"

namespace mbs::extrapolation {

class Controller {
 public:
  // Row j evaluates (M, G, gI) n_j - saved times.
  Controller(const Expansion& expansion, int max_rows, int saved = 0);

  // Forgets everything; aims at a row that suits the tolerance.
  void start(double rtol, double H);

  void begin_step(double H, bool any_row);
  enum class Verdict { go_on, accept, reject };
  // The error of row j = 2, 3, ... in the order of rows.
  Verdict judge(int j, double error);

  void accepted(int j);      // sets the next step size and row
  void rejected();           // by judge
  void failed();             // for another reason: halves the step
  void rejected_for_kink();  // halves the step and counts as a rejection
  void shortened(double H);  // for a discontinuity at an end: tries this step next
  void resume(double H, int row);

  double step() const { return H_; }
  int row() const { return k_; }

  void save(ByteWriter&) const;
  void restore(ByteReader&);

 private:
  void choose(int j);
  void remember_rejection();
  void set_optimal(int j, double error);
  bool predicts_rejection(int j, double error);
  double n(int j) const { return expansion_.steps(j); }
  double work(int j) const { return work_[static_cast<std::size_t>(j)]; }
  double optimal(int j) const { return optimal_[static_cast<std::size_t>(j)]; }

  Expansion expansion_;
  int max_rows_, saved_;
  int k_ = 2;       // the row aimed at
  double H_ = 0.0;  // the step under way, then the next one
  bool any_row_ = true;
  bool after_rejection_ = false;
  bool diverging_ = false;
  double rejected_size_ = 0.0;         // of the last step that was rejected
  int since_ = 0;                      // steps accepted since
  int repeated_ = 0;                   // rejections soon after one of about the same size
  double most_ = 0.0;                  // bound of H; 0: none
  int last_row_ = 0;                   // judged
  double bound_ = 0.0, before_ = 0.0;  // by the previous row
  std::array<double, most_rows + 1> cost_{}, work_{}, optimal_{};  // index j
};

}  // namespace mbs::extrapolation
