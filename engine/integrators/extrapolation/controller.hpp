#pragma once

// Order and step size after ODEX (Hairer, Norsett, Wanner, Solving Ordinary Differential Equations
// I, section II.9), as report 000 says of its own control:
//
//   err_j = |T_{j,j} - T_{j,j-1}|_TOL = O(H^m),  m = q (j - 1) + 1 for an expansion in h^q
//   H_j   = H 0.94 (0.65 / err_j)^(1/m)          the step size that row j would have liked
//   W_j   = A_j / H_j                            work per unit step, A_j = evaluations of (M, G,
//   gI)
//
// in the rows 1 ... j and the projections. A step aims at row k and is looked at in the rows k-1,
// k, k+1. There it is accepted when err_j <= 1, and given up when even row k+1 is not expected to
// get there. ODEX expects the error to shrink by (n_1 / n_{j+1})^q from row j to j + 1; with q = 1
// the bounds are those of SEULEX, an h-extrapolation as well (with the others a tenth more is spent
// on Andrews' mechanism):
//
//   err_{k-1} > 4 n_k n_{k+1}           or  err_k > 2 n_{k+1}             q = 1
//   err_{k-1} > (n_k n_{k+1} / n_1^2)^2 or  err_k > (n_{k+1} / n_1)^2     q = 2
//
// Two things differ from both codes; on Andrews' mechanism, where every fifth step is rejected,
// they save about 5 and 2 per cent (tests/bench/README.md):
//
//   - After a rejection each row from 2 on may accept, and is not held up to row k, which the
//     shorter step seldom needs.
//   - Rows before k - 1 are looked at too. By (2.4) err_i / err_{i-1} is about theta / n_i^q, and
//     theta is known from the last two rows; a step is given up when this leads to
//
//         err_{k+1} = err_j prod_{i=j+1}^{k+1} theta / n_i^q > 100,        3 <= j <= k - 2
//
//     and its successor's size is that for the err_k so predicted.
//
// Where stability bounds the steps, and not accuracy, errors beyond the bound do not go as H^m but
// jump, and every third step would be tried too long (the truck in joint coordinates at 1e-7: 194
// of 464). When three steps of about the same size are rejected at most 6 steps apart, what follows
// stays below 0.7 of that, and 1.02 times more with each step, until another rejection says how
// far, steps of half that size are wanted, or 40 steps have gone well, twice as many as lead back
// to the size that was refused.
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
  void bent();               // for what bends within: likewise, and remembered
  void shortened(double H);  // for what no row has seen: this step is tried next
  void resume(double H, int row);

  double step() const { return H_; }
  int row() const { return k_; }

  void save(ByteWriter&) const;
  void restore(ByteReader&);

 private:
  void choose(int j);
  void remember_refusal();
  void set_wish(int j, double error);
  bool hopeless(int j, double error);
  double n(int j) const { return expansion_.steps(j); }
  double work(int j) const { return work_[static_cast<std::size_t>(j)]; }
  double wish(int j) const { return wish_[static_cast<std::size_t>(j)]; }

  Expansion expansion_;
  int max_rows_, saved_;
  int k_ = 2;       // the row aimed at
  double H_ = 0.0;  // the step under way, then the next one
  bool any_row_ = true;
  bool after_rejection_ = false;
  bool diverging_ = false;
  double refused_ = 0.0;               // size of the last step that was rejected
  int since_ = 0;                      // steps accepted since
  int repeated_ = 0;                   // rejections soon after one of about the same size
  double most_ = 0.0;                  // bound of H; 0: none
  int last_row_ = 0;                   // judged
  double bound_ = 0.0, before_ = 0.0;  // by the row before
  std::array<double, most_rows + 1> cost_{}, work_{}, wish_{};  // index j
};

}  // namespace mbs::extrapolation
