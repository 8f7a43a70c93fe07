#pragma once

// The whole saddle matrix by sparse LU.

#include "engine/linear/saddle_matrix.hpp"
#include "engine/linear/sparse_lu.hpp"

namespace mbs {

class SparseSaddle final : public SaddleSolver {
 public:
  explicit SparseSaddle(std::unique_ptr<SparseLu> lu) : lu_(std::move(lu)) {}

  double reciprocal_condition() const override { return lu_->reciprocal_condition(); }

 protected:
  std::string title() const override { return "sparse (" + lu_->name() + ")"; }
  void do_analyse(const SaddleStructure& structure) override;
  bool do_factor(const SaddleMatrix& matrix) override;
  void do_solve(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) override;
  void do_save(ByteWriter&) const override;
  void do_restore(ByteReader&) override;

 private:
  WholeSaddle whole_;
  std::unique_ptr<SparseLu> lu_;
  Vector x_;  // both halves
};

}  // namespace mbs
