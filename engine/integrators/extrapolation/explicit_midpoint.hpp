#pragma once

// Gragg's explicit midpoint rule on the index-1 form, one row of the tableau: n steps (n even) of
// size h = H / n from x_0,
//
//   y_1     = y_0     +   h y'_0                  y = (p, v, r)
//   y_{i+1} = y_{i-1} + 2 h y'_i                  i = 1 ... n - 1
//
// where y'_i = (Z v_i, a_i, b_i) and
//
//   ( M_i  G_i^T ) (   a_i    )   (   f_i    )
//   ( G_i    0   ) ( lambda_i ) = ( -gamma_i )
//
// with f depending on lambda exactly (Newton with F). The error has an h^2 expansion. The slopes at
// the beginning of the step are shared by all rows, and there is no smoothing step at the end: n -
// 1 evaluations a row.
//
// Lubich (1991) proposes the half-explicit form, with 0 = G_{i+1} v_{i+1} + gI_{i+1} in the place
// of the last row, to do without gamma. Here gamma is exact and cheap, the matrices stay symmetric
// and belong to one point, and the half-explicit form needs one factorisation more in every row.

#include "engine/integrators/extrapolation/discretisation.hpp"
#include "engine/integrators/extrapolation/stick_refinement.hpp"

namespace mbs::extrapolation {

class ExplicitMidpoint final : public Discretisation {
 public:
  // dense: takes the step numbers that the dense output needs.
  ExplicitMidpoint(const DiscretisationContext& context, bool dense);

  const Expansion& expansion() const override { return expansion_; }
  int saved() const override { return 1; }
  bool needs_factors() const override { return true; }
  StepResult arrive(StepPoint& point, bool factored) override;
  // Column i of slopes: (p'_i, a_i, r'_i, lambda_i, w_i, s_i), i = 0 ... n - 1; column n begins
  // with y_{n/2}. Two columns alone hold those of i = 0 and of the last i.
  StepResult run(const StepPoint& begin, double t_end, int n, Eigen::Ref<Vector> end,
                 Matrix& slopes) override;
  const Vector* vanishing() const override { return &vanishing_; }
  const Nearest& nearest() const override { return nearest_; }
  void pack_nearest(const StepPoint& point, Vector& out) const override;

 private:
  StepResult accelerations(State& x);
  void slopes_of_states(const State& x);
  void add_vanishing(const State& begin, double theta, double two_h, double H);
  void leap(double two_h);

  DiscretisationContext in_;
  const Expansion& expansion_;
  const Sizes& sizes_;
  StateLayout layout_;
  State x_;        // y_i
  Vector before_;  // y_{i-1}
  Vector vanishing_;
  StickRefinement sticking_;
  Nearest nearest_;
};

}  // namespace mbs::extrapolation
