#pragma once

// Conjugate gradients preconditioned by a neighbouring matrix, (3.18)-(3.20) of report 000, for
// positive definite block diagonal M:
//
//   (G M^-1 G^T + D) y = G M^-1 b - c               (3.18a), D being our inactive rows
//   x = M^-1 (b - G^T y)                            (3.18b), where the report forgets M^-1
//
// The preconditioner G0 M0^-1 G0^T + D0 is never formed: what it makes of r comes from
//
//   ( M0  G0^T ) ( w )   (  0 )
//   ( G0  -D0  ) ( z ) = ( -r )                     (3.19), where the report exchanges G0, G0^T
//
// which another solver (`auto`) has factored earlier. In joint coordinates (1.15) M is singular and
// (3.20) takes the place of (3.19); here such systems, and any with singular M or with F, go to
// that other solver in each factorisation.
//
// Stopping rule: r^T z, the square of the error in the norm of G M^-1 G^T as the preconditioner
// sees it, has fallen by the square of some units of rounding.
// The preconditioner is made anew, from the matrix then at hand, when the last solution took too
// many iterations, when the matrix is no neighbour any more by its scaled entries (iterations
// would not tell that it is singular), and at once when iterations do not converge (NaN is the
// solution when the matrix turns out to be singular then). Counts decide, never a clock.
//
// What differs: where factoring is as cheap as by tree recursion nothing is gained; the report
// announces this method for preconditioners that are dear.

#include "engine/linear/block_cholesky.hpp"
#include "engine/linear/special_saddle.hpp"

namespace mbs {

class CgSaddle final : public SpecialSaddle {
 public:
  CgSaddle() : SpecialSaddle("auto") {}
  double reciprocal_condition() const override { return general_condition(); }

 protected:
  std::string title() const override { return "cg"; }
  void analyse_special(const SaddleStructure&) override;
  bool leaves(const SaddleMatrix&) const override;
  bool factor_special(const SaddleMatrix&) override;
  void solve_special(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) override;
  void factored_generally(const SaddleMatrix&, bool regular) override;
  void save_history(ByteWriter&) const override;
  void restore_history(ByteReader&) override;

 private:
  bool iterate(Eigen::Ref<Vector> y);
  void apply(const Vector& p, Vector& Ap);
  void precondition(const Vector& r, Vector& z);

  BlockCholesky L_;
  RowSparse G_;  // of the matrix factored
  Vector D_;
  bool has_neighbour_ = false, refresh_ = false;
  Vector M0_, G0_, D0_, R0_;  // the neighbour's values and its scaling
  Vector w_, b_, r_, z_, p_, Ap_, c_;
};

}  // namespace mbs
