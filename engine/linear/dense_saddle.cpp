// R A C = P^-1 L U, x = C (R A C)^-1 R b.

#include "engine/linear/dense_saddle.hpp"

#include <algorithm>
#include <cmath>

#include "engine/linear/condition.hpp"
#include "engine/linear/equilibrate.hpp"
#include "engine/linear/sparse_lu.hpp"

namespace mbs {

void DenseSaddle::do_analyse(const SaddleStructure& structure) {
  whole_.analyse(structure);
  const int n = whole_.size();
  lu_.resize(n);
  for (Vector* x : {&R_, &C_, &x_, &z_}) x->setZero(n);
  factored_ = false;
}

bool DenseSaddle::do_factor(const SaddleMatrix& matrix) {
  whole_.fill(matrix);
  ++statistics_.analyses;
  return factor_whole();
}

bool DenseSaddle::factor_whole() {
  const ColumnSparse& A = whole_.matrix();
  factored_ = false;
  if (!equilibrate(A, R_, C_, x_)) return false;
  lu_.matrix().setZero();
  norm_ = 0.0;
  for (Eigen::Index j = 0; j < A.cols(); ++j) {
    double sum = 0.0;
    for (ColumnSparse::InnerIterator entry(A, j); entry; ++entry) {
      const double scaled = entry.value() * R_[entry.row()] * C_[j];
      lu_.matrix()(entry.row(), j) = scaled;
      sum += std::abs(scaled);
    }
    norm_ = std::max(norm_, sum);
  }
  factored_ = lu_.factor() && lu_.pivot_ratio() > singular_pivot_ratio(whole_.size());
  return factored_;
}

void DenseSaddle::do_solve(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) {
  x_.head(x.size()) = x;
  x_.tail(y.size()) = y;
  x_.array() *= R_.array();
  lu_.solve(x_);
  x_.array() *= C_.array();
  x = x_.head(x.size());
  y = x_.tail(y.size());
}

double DenseSaddle::reciprocal_condition() const {
  if (!factored_) return 0.0;
  if (whole_.size() == 0) return 1.0;
  return 1.0 / (norm_ * inverse_norm1(
                            x_, z_, [this](Vector& x) { lu_.solve(x); },
                            [this](Vector& x) { lu_.solve_transposed(x); }));
}

void DenseSaddle::do_save(ByteWriter& out) const {
  out.put<std::uint8_t>(factored_);
  if (!factored_) return;
  const ColumnSparse& A = whole_.matrix();
  out.raw(A.valuePtr(), sizeof(double) * static_cast<std::size_t>(A.nonZeros()));
}

void DenseSaddle::do_restore(ByteReader& in) {
  factored_ = false;
  std::uint8_t factored = 0;
  in.get(factored);
  if (factored == 0) return;
  ColumnSparse& A = whole_.matrix();
  in.raw(A.valuePtr(), sizeof(double) * static_cast<std::size_t>(A.nonZeros()));
  if (!factor_whole()) throw std::runtime_error("the stored factorisation cannot be repeated");
}

}  // namespace mbs
