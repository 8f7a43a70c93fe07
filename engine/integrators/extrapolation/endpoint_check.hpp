#pragma once

// Kinks and jumps of forces next to the ends of a step, where no evaluation of the step is made.
//
// The rows of the tableau take forces at multiples of h_j = H / n_j within a step. What happens to
// a force between the last of these points and the end is in none of them, and what happens between
// the beginning and the first of them is known to the force at t0 alone, whose weights h_j c_j sum
// to zero. No row therefore differs from another: the table converges to the solution without the
// kink. But the points nearest to the ends have expansions in h (with odd powers, in either rule),
// which lead to the forces at the ends,
//
//   f(t0)     ~  sum c_j f_j(t0 + h_j)        sum c_j q(h_j) = q(0) for polynomials q
//   f(t0 + H) ~  sum c_j f_j(t0 + H - h_j)    of degree kappa - 1
//
// and these forces are known, since the neighbouring steps begin with them. A kink at a distance
// s < h_kappa from an end makes d = J s of difference between both and the step wrong by
// J s^2 / 2 <= d h_kappa / 2 in v, a jump of d makes it wrong by d s <= d h_kappa:
//
//   error = | h_kappa d / 2 |_TOL      in v and r
//
// More than one tolerance is too much, unless smooth forces are extrapolated no better. kappa
// points near an end say less of a long step than what is integrated over all of it: about a
// tolerance with the half-explicit Euler method but some hundred with the long steps of the
// midpoint rule. The change by the last row, e at the end and b at the beginning, shows how far the
// extrapolation is from converged. Both are about the derivative of order kappa - 1 there, and
// their difference is that of order kappa, which is what is left to extrapolate:
//
//   uncertainty = min(| h_kappa e / 2 |_TOL, 2 | h_kappa (e - (-1)^(kappa-1) b) / 2 |_TOL)   at the
//                                                                                           end
//
// With smooth forces the error is a tenth of that, as a rule. The step is rejected where error > 1
// and error > margin * uncertainty; the margin rises after a false alarm (false_alarm()): a kink
// that the uncertainty hides is no larger than that. With three rows of the first rule an error of
// ten tolerances is certain.
//
// (The midpoint rule takes v from every second of the points alone, with h_j from the end the last
// of them; forces are then accelerations. In joint coordinates the first rule takes forces at the
// end as well, in every row, and a kink there has no effect, by the same sum of zero.)

#include "engine/base/error_norm.hpp"
#include "engine/integrators/extrapolation/discretisation.hpp"

namespace mbs::extrapolation {

struct EndpointResult {
  bool rejects = false;
  bool at_end = false;  // or at the beginning
  double error = 0.0;   // in tolerances
  double ratio = 0.0;   // of the error to its uncertainty
  int worst = -1;       // component of (p, v, r)
};

class EndpointDiscontinuityCheck {
 public:
  EndpointDiscontinuityCheck(const Expansion& expansion, const Sizes& sizes, int max_rows);

  // Takes row j of the step under way, j = 1, 2, ...
  void add_row(int j, const Nearest& nearest);
  // Judges the step of that many rows and length H between two points; norm has its scale, and the
  // solver factors of the matrix at the end.
  EndpointResult judge(int rows, double H, const StepPoint& begin, const StepPoint& end,
                       Discretisation& rule, const ErrorNorm& norm);

  // A step was rejected without cause: at the bound of stability forces have errors that no two
  // rows agree upon. The margin rises beyond the ratio, and falls again over some hundred steps.
  void false_alarm(double ratio);
  void stepped();
  double margin() const { return margin_; }
  void set_margin(double margin) { margin_ = margin; }

 private:
  double size(Discretisation& rule, const ErrorNorm& norm, double half_h);
  double uncertainty(int rows, double half_h, bool at_end, Discretisation& rule,
                     const ErrorNorm& norm);

  Expansion expansion_;
  int power_, p_, v_, r_;
  double margin_ = 1.0;
  Matrix first_, last_;  // column j - 1: of row j
  Vector begin_, end_;   // d
  Vector error_;         // (p, v, r)
};

// Finds where a step is to end that was rejected for a discontinuity at its ends.
//
// A kink near the end, at t_b, shows d proportional to t - t_b at ends t > t_b. First the interval
// in which no force was evaluated is halved; if d is then what a kink leaves of it, half or less,
// t_b follows from two such d. A step that ends there, or nearly, contains no kink, and neither
// does the one that begins there. Where the uncertainty is not far below the error, the next step
// first ends at the last point where forces were evaluated: an error that remains there is neither
// a kink nor a jump, and the step is as good as the table says.
//
// A kink near the beginning is met by shorter steps until the table sees it or it does not matter.
class DiscontinuityLocator {
 public:
  void begin(double t);  // of another step
  void forget();
  // The next end to try after the step to t_end, of n steps in its last row, was rejected.
  double next(double t_end, int n, const EndpointResult& result);
  // The step that `next` has asked for shows that there is no discontinuity.
  bool refuted_by(const EndpointResult& result) const;
  const EndpointResult& first() const { return first_; }

 private:
  double begin_ = 0.0;
  int attempts_ = 0;  // rejected for their ends
  EndpointResult first_;
  bool probes_ = false;       // the step to the last point with forces is under way
  double t_ = 0.0, d_ = 0.0;  // of the attempt before, when that was rejected for its end
};

}  // namespace mbs::extrapolation
