#pragma once

// The whole saddle matrix, equilibrated, by dense LU with partial pivoting. For small systems; the
// reference of all others.

#include "engine/linear/dense_lu.hpp"
#include "engine/linear/saddle_matrix.hpp"

namespace mbs {

class DenseSaddle final : public SaddleSolver {
 public:
  double reciprocal_condition() const override;

 protected:
  std::string title() const override { return "dense"; }
  void do_analyse(const SaddleStructure& structure) override;
  bool do_factor(const SaddleMatrix& matrix) override;
  void do_solve(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) override;
  void do_save(ByteWriter&) const override;
  void do_restore(ByteReader&) override;

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
