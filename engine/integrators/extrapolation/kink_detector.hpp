#pragma once

// Detects kinks and jumps of forces within a step of the midpoint rule.
//
// A kink at s leaves row j with an error of about J h_j^2 that oscillates with the place of s
// between two of its points. No column of the tableau removes it, and |T_{k,k} - T_{k,k-1}|,
// which is |T_{k,k} - T_{k-1,k-1}| / (n_k / n_1)^2, underestimates it by that factor: up to 170
// times with 7 rows, and altogether where the errors of two neighbouring rows happen to be equal.
//
// The detector therefore takes a second value of the same order, from points that the first has not
// taken its slopes from. y_n is made of y' at odd points, and y at odd points of y' at even ones.
// With theta = (t - t0) / H,
//
//   W_j = sum 2 h_j ( (theta_i - 1) y'_i + (y_i - y_0) / H )         i = 1, 3, ... n_j - 1
//
// is the composite midpoint rule for the integral of d/dt ((theta - 1)(y - y_0)), which vanishes:
// W_j has an expansion in h^2 without a constant term, and its extrapolated value has the order of
// the error of T_{k,k}. A kink at s leaves
//
//   d_k = |W_{k,k}|_TOL ~ (1 - theta_s) | e_even - e_odd |
//
// of it, with e the errors that a kink leaves in sums over even and over odd points. They are the
// same function of the place of s, half a period apart, and most of it changes its sign there: as a
// rule d is twice the error. Of steps with errors above ten tolerances that the tableau accepts one
// in ten passes here too, where both happen to be equal. (Kinks next to the ends, which no point
// sees: endpoint_check.hpp.)
//
// With smooth forces d_k falls from row to row as errors do, down to a tenth and less of
//
//   m_k = max(d_{k-1}, |T_{k,k} - T_{k-1,k-1}|_TOL),
//
// the errors of the row before, and at a kink it stays what it was. A step that the tableau accepts
// is examined again where d_k > 1 and
//
//   d_k > m_k / k      smooth forces: one step in a hundred, of those with d_k > 1 one in ten
//   or d_k > 10        whatever the rows say
//
// One more row then shows whether d falls. If it does not, and d is still more than 3 or m / k, the
// step is rejected; after a rejection for kinks every d > 1 is one.
//
// (The half-explicit Euler method does not need this: its estimate is too small by n_k / n_1
// alone.)

#include "engine/base/error_norm.hpp"
#include "engine/integrators/extrapolation/tableau.hpp"

namespace mbs::extrapolation {

class KinkDetector {
 public:
  KinkDetector(const Expansion& expansion, int ny, int max_rows)
      : expansion_(expansion), tableau_(expansion, ny, max_rows) {}

  // Takes W_j, j = 1, 2, ...; norm has the scale of row j.
  void add_row(int j, const Vector& W, const ErrorNorm& norm);

  // The confidence in the error estimate of the tableau: that of smooth forces, less when the step
  // was suspect and has taken one more row, none after a rejection for kinks.
  enum class Confidence { smooth, after_another_row, none };
  // Whether row j, which the tableau gives the error `error`, shows a kink.
  bool detects(int j, double error, Confidence confidence) const;
  double size(int j) const { return d_[static_cast<std::size_t>(j)]; }  // d_j
  int worst(int j, const ErrorNorm& norm) const { return norm.largest(tableau_.value(j)); }

 private:
  Expansion expansion_;
  Tableau tableau_;                        // of W
  std::array<double, most_rows + 1> d_{};  // index j
};

}  // namespace mbs::extrapolation
