#pragma once

// The half-explicit Euler methods (2.1) and (2.2) of Lubich et al. (1992), one row of the tableau:
// n steps of size h = H / n from x_0,
//
//   p_{n+1} = p_n + h p'_n                                                    (2.1a)
//   ( M_{n+1} G_{n+1}^T ) ( a_{n+1}      )   ( f_n                          )
//   ( G_{n+1}     0     ) ( lambda_{n+1} ) = ( -(G_{n+1} v_n + gI_{n+1}) / h )   (2.1b,c)
//   v_{n+1} = v_n + h a_{n+1}
//   r_{n+1} = r_n + h b(t_{n+1}, p_{n+1}, v_{n+1}, lambda_{n+1}, r_n)         (2.1d)
//
// and where f depends much on lambda, with F_0 = df/dlambda at the beginning of the step,
//
//   ( M_{n+1} G_{n+1}^T - F_0 ) ( a_{n+1}      )   ( f_n - F_0 lambda_n           )
//   ( G_{n+1}        0        ) ( lambda_{n+1} ) = ( -(G_{n+1} v_n + gI_{n+1}) / h )   (2.2)
//
// The report solves for (v_{n+1}, h lambda_{n+1}) with M_{n+1} v_n + h f_n on the right and takes
// a_{n+1} from (2.1c); this is the same with (M_{n+1} v_n, G_{n+1} v_n) subtracted: the two
// products with M per step go away and a is no longer a difference of velocities. Auxiliary
// unknowns w are solved for at each point where f or b is taken, contact variables s at each new p.
//
// If M depends much on p (joint coordinates), f_n is taken at p_{n+1}, as
// f(t_{n+1}, p_{n+1}, v_n, r_n, lambda_n), for one evaluation more in each row. M and f of
// different positions would be forces that do not exist: in free fall light limbs would turn by h g
// / l, and a humanoid took 1487 steps where now it takes as many as in absolute coordinates, where
// M is constant. The expansion in h is that of a one-step method in either case.
//
// The choice between both: with (2.1) the multipliers are iterated, lambda_{n+1} depends on
// lambda_n by
//
//   R = (G M^-1 G^T)^-1 G M^-1 F
//
// and the expansion of the error has perturbations like rho(R)^n (2.5). The report asks for small
// |F|; rho(R) is the number that decides and has no unit. It is estimated in every step by the
// power method with the factors at hand, and above `most_friction` (2.2) is taken.

#include <vector>

#include "engine/integrators/extrapolation/discretisation.hpp"
#include "engine/integrators/extrapolation/options.hpp"
#include "engine/integrators/extrapolation/stick_refinement.hpp"

namespace mbs::extrapolation {

class HalfExplicitEuler final : public Discretisation {
 public:
  HalfExplicitEuler(const DiscretisationContext& context, Scheme scheme);

  const Expansion& expansion() const override { return h_expansion; }
  int saved() const override { return 0; }
  std::string choice() const override;
  bool needs_factors() const override { return false; }
  StepResult arrive(StepPoint& point, bool factored) override;
  StepResult prepare(const StepPoint& point, bool factored) override;
  // Column i of slopes: (p'_i, a_{i+1}, r'_i, lambda_{i+1}, w_{i+1}, s_{i+1}), i = 0 ... n - 1,
  // with r'_i = (r_{i+1} - r_i) / h.
  StepResult run(const StepPoint& begin, double t_end, int n, Eigen::Ref<Vector> end,
                 Matrix& slopes) override;
  const Nearest& nearest() const override { return nearest_; }
  void pack_nearest(const StepPoint& point, Vector& out) const override;
  void to_accelerations(Eigen::Ref<Vector> difference) override;
  void save(ByteWriter&) const override;
  void restore(ByteReader&) override;

 private:
  bool solve_auxiliary(State& x);
  void evaluate(unsigned want, StepPoint& point);
  double size_of_F(const State& x);  // F of the workspace

  DiscretisationContext in_;
  const Sizes& sizes_;
  StateLayout layout_;
  Scheme scheme_;
  bool f_goes_with_M_;
  bool modified_ = false;  // in the next step
  double largest_ = 0.0;   // the largest size of F so far
  ColumnSparse F0_;
  StepPoint at_;
  Vector a_, lambda_, direction_;
  Nearest nearest_;
  StickRefinement sticking_;
};

}  // namespace mbs::extrapolation
