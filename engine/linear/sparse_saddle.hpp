#pragma once

// The whole saddle matrix by sparse LU.

#include "engine/linear/saddle_matrix.hpp"
#include "engine/linear/sparse_lu.hpp"

namespace mbs {

class SparseSaddle final : public SaddleSolver {
 public:
  explicit SparseSaddle(std::unique_ptr<SparseLu> lu) : lu_(std::move(lu)) {}

  std::string name() const override { return "sparse (" + lu_->name() + ")"; }
  void analyse(const SaddleStructure& structure) override;
  bool factor(const SaddleMatrix& matrix) override;
  void solve(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) override;
  double reciprocal_condition() const override { return lu_->reciprocal_condition(); }
  void save(ByteWriter&) const override;
  void restore(ByteReader&) override;

 private:
  WholeSaddle whole_;
  std::unique_ptr<SparseLu> lu_;
  Vector x_;  // both halves
};

}  // namespace mbs
