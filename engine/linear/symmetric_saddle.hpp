#pragma once

// The whole saddle matrix, equilibrated, by symmetric indefinite LDL^T: half the operations of LU.
// With F the matrix is not symmetric: dense LU.

#include "engine/linear/dense_ldlt.hpp"
#include "engine/linear/special_saddle.hpp"

namespace mbs {

class SymmetricSaddle final : public SpecialSaddle {
 public:
  SymmetricSaddle() : SpecialSaddle("dense") {}

 protected:
  std::string title() const override { return "symmetric"; }
  void analyse_special(const SaddleStructure&) override;
  bool factor_special(const SaddleMatrix&) override;
  void solve_special(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) override;

 private:
  DenseLdlt ldlt_;
  Vector R_, b_;
};

}  // namespace mbs
