#pragma once

// The whole saddle matrix, equilibrated, by dense LU with partial pivoting. For small systems; the
// reference of all others.

#include "engine/linear/dense_lu.hpp"
#include "engine/linear/saddle_matrix.hpp"

namespace mbs {

class DenseSaddle final : public SaddleSolver {
 public:
  std::string name() const override { return "dense"; }
  void analyse(const SaddleStructure& structure) override;
  bool factor(const SaddleMatrix& matrix) override;
  void solve(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) override;
  double reciprocal_condition() const override;
  void save(ByteWriter&) const override;
  void restore(ByteReader&) override;

 private:
  bool factor_whole();

  WholeSaddle whole_;
  DenseLu lu_;
  Vector R_, C_;
  mutable Vector x_, z_;  // scratch
  double norm_ = 0.0;     // 1-norm of the equilibrated matrix
  bool factored_ = false;
};

}  // namespace mbs
