// R A R = P^T L D L^T P, x = R (R A R)^-1 R b.

#include "engine/linear/symmetric_saddle.hpp"

#include "engine/linear/sparse_lu.hpp"

namespace mbs {

void SymmetricSaddle::analyse_structured(const SaddleStructure& structure) {
  const Eigen::Index n = structure.M.cols() + structure.G.rows();
  ldlt_.resize(static_cast<int>(n));
  R_.setZero(n);
  b_.setZero(n);
}

bool SymmetricSaddle::factor_structured(const SaddleMatrix&) {
  if (!scale_symmetrically()) return false;
  ++statistics_.analyses;
  R_ = scale();
  ldlt_.matrix().setZero();
  for (Eigen::Index j = 0; j < whole().cols(); ++j) {
    for (ColumnSparse::InnerIterator entry(whole(), j); entry; ++entry) {
      ldlt_.matrix()(entry.row(), j) = entry.value() * R_[entry.row()] * R_[j];
    }
  }
  return ldlt_.factor() && ldlt_.pivot_ratio() > singular_pivot_ratio(static_cast<int>(R_.size()));
}

void SymmetricSaddle::solve_structured(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) {
  b_.head(x.size()) = x;
  b_.tail(y.size()) = y;
  b_.array() *= R_.array();
  ldlt_.solve(b_);
  b_.array() *= R_.array();
  x = b_.head(x.size());
  y = b_.tail(y.size());
}

}  // namespace mbs
