#pragma once

// Bends and jumps of forces that no evaluation of a step has seen.
//
// The rows of the tableau take forces at multiples of h_j = H / n_j within a step. What happens to
// one between the last of these points and the end is in none of them, and what happens between the
// beginning and the first of them only the force at t0 knows, whose weights h_j c_j add up to zero.
// So no row differs from another for it: the table converges, to the solution without the bend. But
// the points nearest to the ends say what forces would be there: they have expansions in h (with
// odd powers, in either rule), which lead to the ends,
//
//   f(t0)     ~  sum c_j f_j(t0 + h_j)        sum c_j q(h_j) = q(0) for polynomials q
//   f(t0 + H) ~  sum c_j f_j(t0 + H - h_j)    of degree kappa - 1
//
// and the forces there are known, since the steps beside begin with them. A bend at a distance s <
// h_kappa from an end makes d = J s of difference between both and the step wrong by J s^2 / 2 <= d
// h_kappa / 2 in v, a jump of d makes it wrong by d s <= d h_kappa:
//
//   error = | h_kappa d / 2 |_TOL      in v and r
//
// More than a tolerance is more than the step may have, unless smooth forces are extrapolated no
// better. kappa points near an end say less of a long step than what is integrated over all of it:
// about a tolerance with the half-explicit Euler method but some hundred with the long steps of the
// midpoint rule. How far they can be trusted is seen by what the last row changes, e at the end and
// b at the beginning. Both are about the derivative of order kappa - 1 there, and their difference
// is that of order kappa, which is what is left to extrapolate:
//
//   doubt = min(| h_kappa e / 2 |_TOL, 2 | h_kappa (e - (-1)^(kappa-1) b) / 2 |_TOL)    at the end
//
// With smooth forces the error is a tenth of that, as a rule. The step is refused where error > 1
// and error > doubt, which counts several times after false alarms (mistaken()): a bend that the
// doubt hides is no larger than that. Three rows of the first rule have no right to doubt an error
// of ten tolerances.
//
// (The midpoint rule takes v from every second of the points alone, with h_j from the end the last
// of them; forces are then accelerations. In joint coordinates the first rule takes forces at the
// end as well, in every row, and what they bend there has no effect, by the same sum of zero.)

#include "engine/base/error_norm.hpp"
#include "engine/integrators/extrapolation/discretisation.hpp"

namespace mbs::extrapolation {

// What the ends of a step say of it.
struct EndpointResult {
  bool refuses = false;
  bool at_end = false;  // or at the beginning
  double error = 0.0;   // in tolerances
  double doubts = 0.0;  // as often as doubt
  int worst = -1;       // of (p, v, r)
};

class EndpointDiscontinuityCheck {
 public:
  EndpointDiscontinuityCheck(const Expansion& expansion, const Sizes& sizes, int max_rows);

  // Row j of the step under way, j = 1, 2, ...
  void add_row(int j, const Nearest& nearest);
  // The step of that many rows and length H between two points; norm has its scale, and the
  // solver factors of the matrix at the end.
  EndpointResult judge(int rows, double H, const StepPoint& begin, const StepPoint& end,
                       Discretisation& rule, const ErrorNorm& norm);

  // A step was refused for nothing: at the bound of stability forces have errors that no row
  // agrees upon. Then that often the doubt, and for some hundred steps more than once.
  void mistaken(double doubts);
  void stepped();
  double caution() const { return caution_; }
  void set_caution(double caution) { caution_ = caution; }

 private:
  double size(Discretisation& rule, const ErrorNorm& norm, double half_h);
  double doubt(int rows, double half_h, bool at_end, Discretisation& rule, const ErrorNorm& norm);

  Expansion expansion_;
  int power_, p_, v_, r_;
  double caution_ = 1.0;
  Matrix first_, last_;  // column j - 1: of row j
  Vector begin_, end_;   // d
  Vector error_;         // (p, v, r)
};

// Where a step is to end that has been refused for its ends.
//
// A bend near the end, t_b, shows d proportional to t - t_b at ends t > t_b. First the interval
// that nothing has been seen of is halved; if d is then what a bend leaves of it, half or less, t_b
// is found by two such d. A step that ends there, or nearly, has nothing in it that bends, and so
// has the one that begins there. Where the doubt is not far below the error, the next step ends
// where forces have still been seen: what is left there too is neither a bend nor a jump, and the
// step is as good as the table says.
//
// What bends near the beginning is met by shorter steps until the table sees it or it does not
// matter.
class DiscontinuityLocator {
 public:
  void begin(double t);  // of another step
  void forget();
  // The next end to try after the step to t_end, of n steps in its last row, was refused.
  double next(double t_end, int n, const EndpointResult& unseen);
  // Of the step that `next` has asked for: there is none.
  bool mistaken(const EndpointResult& unseen) const;
  const EndpointResult& first() const { return first_; }

 private:
  double begin_ = 0.0;
  int attempts_ = 0;  // refused for their ends
  EndpointResult first_;
  bool probes_ = false;       // the step that ends where forces were seen is under way
  double t_ = 0.0, d_ = 0.0;  // of the attempt before, when that was refused for its end
};

}  // namespace mbs::extrapolation
