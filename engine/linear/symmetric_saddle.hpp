#pragma once

// The whole saddle matrix, equilibrated, by symmetric indefinite LDL^T: half the operations of LU.
// With F the matrix is not symmetric: dense LU.

#include "engine/linear/dense_ldlt.hpp"
#include "engine/linear/structured_saddle.hpp"

namespace mbs {

class SymmetricSaddle final : public StructuredSaddle {
 public:
  SymmetricSaddle() : StructuredSaddle("dense") {}

 protected:
  std::string title() const override { return "symmetric"; }
  void analyse_structured(const SaddleStructure&) override;
  bool factor_structured(const SaddleMatrix&) override;
  void solve_structured(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) override;

 private:
  DenseLdlt ldlt_;
  Vector R_, b_;
};

}  // namespace mbs
