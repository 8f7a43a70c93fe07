#pragma once

// The half-explicit Euler method (2.1) of report 000, one row of the tableau: n steps of size
// h = H / n from x_0,
//
//   p_{n+1} = p_n + h p'_n                                                    (2.1a)
//   ( M_{n+1} G_{n+1}^T ) ( a_{n+1}      )   ( f_n                          )
//   ( G_{n+1}     0     ) ( lambda_{n+1} ) = ( -(G_{n+1} v_n + gI_{n+1}) / h )   (2.1b,c)
//   v_{n+1} = v_n + h a_{n+1}
//   r_{n+1} = r_n + h b(t_{n+1}, p_{n+1}, v_{n+1}, lambda_{n+1}, r_n)         (2.1d)
//
// The report solves for (v_{n+1}, h lambda_{n+1}) with M_{n+1} v_n + h f_n on the right and takes
// a_{n+1} from (2.1c); this is the same with (M_{n+1} v_n, G_{n+1} v_n) subtracted: the two
// products with M per step go away and a is no longer a difference of velocities. Auxiliary
// unknowns w are solved for at each point where f or b is taken, contact variables s at each new p.

#include <vector>

#include "engine/integrators/common/integrator.hpp"
#include "engine/integrators/common/stack.hpp"

namespace mbs {

// A point with what is evaluated there.
struct StepPoint {
  State x;
  Vector p_dot, f, r_dot;

  StepPoint() = default;
  explicit StepPoint(const Sizes& n)
      : x(n), p_dot(Vector::Zero(n.p)), f(Vector::Zero(n.v)), r_dot(Vector::Zero(n.r)) {}
};

enum class StepResult { done, singular, not_finite, auxiliary };

class HalfExplicitEuler {
 public:
  HalfExplicitEuler(const Equations& equations, Given given, Workspace& ws, SaddleSolver& solver,
                    Statistics& statistics);

  // n steps from `begin` to t_end. Fills `end` (a Stack) and the columns 0 ... n-1 of `slopes`
  // (p'_i, a_{i+1}, r'_i, lambda_{i+1}, w_{i+1}, s_{i+1}), with r'_i = (r_{i+1} - r_i) / h.
  StepResult run(const StepPoint& begin, double t_end, int n, Eigen::Ref<Vector> end,
                 Matrix& slopes);

  // p', f, r' at point.x, with w solved for, after its position stage. False when that fails.
  bool evaluate(StepPoint& point);

 private:
  bool solve_auxiliary(State& x);
  void evaluate(unsigned want, StepPoint& point);

  const Equations& equations_;
  Given given_;
  const Sizes& sizes_;
  Stack stack_;
  Workspace& ws_;
  SaddleSolver& solver_;
  Statistics& statistics_;
  StepPoint at_;
  Vector a_, lambda_;
};

}  // namespace mbs
