#pragma once

// Conjugate gradients preconditioned by a neighbouring matrix, Lubich et al. (1992), eqs.
// (3.18)-(3.20). For positive definite block diagonal M, over the reactions:
//
//   (G M^-1 G^T + D) y = G M^-1 b - c               (3.18a), D being our inactive rows
//   x = M^-1 (b - G^T y)                            (3.18b), where the report forgets M^-1
//
// The preconditioner G0 M0^-1 G0^T + D0 is never formed: what it makes of r comes from
//
//   ( M0  G0^T ) ( w )   (  0 )
//   ( G0  -D0  ) ( z ) = ( -r )                     (3.19), where the report exchanges G0, G0^T
//
// which another solver (`auto`) has factored earlier. With joint coordinates, whose columns of M
// are empty, over the joint accelerations (joint_form.hpp, also for loops):
//
//   J^T K^-T M K^-1 J z = b                         (3.4)
//
// preconditioned by the same matrix with the right-hand side (0, r, 0) (3.20). Matrices with F, and
// those of neither form, go to that other solver in each factorisation.
//
// Stopping rule: r^T z, the square of the error in the norm of the matrix as the preconditioner
// sees it, has fallen by the square of some units of rounding. The preconditioner is made anew,
// from the matrix then at hand, when the last solution took too many iterations, when the matrix is
// no neighbour any more by its scaled entries (iterations would not show that it is singular), and
// at once when iterations do not converge (NaN is the solution when the matrix turns out to be
// singular then). Counts decide, never a clock.
//
// A limit: nothing is gained if factoring is as cheap as by tree recursion; the report announces
// this method for expensive preconditioners.

#include "engine/linear/block_cholesky.hpp"
#include "engine/linear/joint_form.hpp"
#include "engine/linear/structured_saddle.hpp"

namespace mbs {

class CgSaddle final : public StructuredSaddle {
 public:
  CgSaddle() : StructuredSaddle("auto") {}
  double reciprocal_condition() const override { return fallback_condition(); }

 protected:
  std::string title() const override { return by_joints_ ? "cg in joint coordinates" : "cg"; }
  void analyse_structured(const SaddleStructure&) override;
  bool needs_fallback(const SaddleMatrix&) const override;
  bool factor_structured(const SaddleMatrix&) override;
  void solve_structured(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) override;
  void factored_by_fallback(const SaddleMatrix&, bool regular) override;
  void save_history(ByteWriter&) const override;
  void restore_history(ByteReader&) override;

 private:
  bool solve_by_reactions(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y);
  bool solve_by_joints(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y);
  bool iterate(Vector& y, double tolerance);
  void apply(const Vector& p, Vector& Ap);
  void precondition(const Vector& r, Vector& z);

  bool by_joints_ = false;
  JointForm joints_;
  BlockCholesky L_;
  RowSparse G_;  // of the matrix factored
  Vector D_;
  bool has_neighbour_ = false, refresh_ = false;
  Vector M0_, G0_, D0_, R0_;  // the neighbour's values and its scaling
  Vector w_, b_, y_, r_, z_, p_, Ap_;
};

}  // namespace mbs
