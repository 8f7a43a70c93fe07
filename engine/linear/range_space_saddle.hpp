#pragma once

// Lubich et al. (1992), eq. (3.2) for positive definite M, block diagonal where it is:
//
//   M = L L^T,   L^-1 G^T = Q ( R ; 0 ),   so that G M^-1 G^T = R^T R
//
//   R^T R y = G M^-1 b - c,   x = M^-1 (b - G^T y)
//
// The rows D^1/2 are put below L^-1 G^T, which makes R^T R = G M^-1 G^T + D: inactive rows and
// softened ones (0 <= D) are taken as they are. It pays where there are few constraints in many
// full coordinates. M that is singular or indefinite, and F: dense LU.

#include "engine/linear/block_cholesky.hpp"
#include "engine/linear/structured_saddle.hpp"

namespace mbs {

class RangeSpaceSaddle final : public StructuredSaddle {
 public:
  RangeSpaceSaddle() : StructuredSaddle("dense") {}

 protected:
  std::string title() const override { return "range_space"; }
  void analyse_structured(const SaddleStructure&) override;
  bool factor_structured(const SaddleMatrix&) override;
  void solve_structured(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) override;

 private:
  bool reduce_to_R(int rows);

  BlockCholesky L_;
  Matrix W_;     // ( L^-1 G^T ; D^1/2 ), then R above its diagonal and on it
  RowSparse G_;  // of the matrix factored
  Vector x_;
};

}  // namespace mbs
