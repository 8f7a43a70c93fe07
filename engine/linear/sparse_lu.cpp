#include "engine/linear/sparse_lu.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "engine/linear/condition.hpp"
#include "engine/linear/equilibrate.hpp"

namespace mbs {

namespace {

// Pivots that were good for another matrix are given up when they are this much smaller, by the
// largest one, than they were there.
constexpr double pivot_loss = 1e-5;

}  // namespace

double singular_pivot_ratio(int n) {
  return std::max(10, n) * std::numeric_limits<double>::epsilon();
}

void SparseLu::analyse(const ColumnSparse& pattern) {
  scaled_ = pattern;
  scaled_.makeCompressed();
  for (Vector* x : {&base_, &current_}) x->setZero(scaled_.nonZeros());
  for (Vector* x : {&R_, &C_, &x_, &z_}) x->setZero(scaled_.cols());
  has_base_ = factored_ = repeated_ = false;
  analyse_pattern(scaled_);
}

bool SparseLu::factor(const ColumnSparse& A) {
  if (A.nonZeros() != scaled_.nonZeros() || !A.isCompressed()) {
    throw std::logic_error("a matrix differs from the pattern given to its factorisation");
  }
  repeated_ = has_base_ && repeat(A);
  factored_ = repeated_ || full(A);
  return factored_;
}

bool SparseLu::full(const ColumnSparse& A) {
  ++full_;
  has_base_ = false;
  if (!equilibrate(A, R_, C_, x_)) return false;
  scale(A);
  if (!factor_fully(scaled_)) return false;
  base_ratio_ = pivot_ratio();
  if (!(base_ratio_ > singular_pivot_ratio(static_cast<int>(A.cols())))) return false;
  has_base_ = true;
  base_ = Eigen::Map<const Vector>(A.valuePtr(), A.nonZeros());
  return true;
}

bool SparseLu::repeat(const ColumnSparse& A) {
  scale(A);
  if (!std::isfinite(norm_) || !refactor(scaled_)) return false;
  const double ratio = pivot_ratio();
  if (!(ratio > singular_pivot_ratio(static_cast<int>(A.cols()))) ||
      ratio < pivot_loss * base_ratio_) {
    return false;
  }
  current_ = Eigen::Map<const Vector>(A.valuePtr(), A.nonZeros());
  return true;
}

void SparseLu::scale(const ColumnSparse& A) {
  norm_ = 0.0;
  double* out = scaled_.valuePtr();
  for (Eigen::Index j = 0; j < A.cols(); ++j) {
    double sum = 0.0;
    for (ColumnSparse::InnerIterator entry(A, j); entry; ++entry, ++out) {
      *out = entry.value() * R_[entry.row()] * C_[j];
      sum += std::abs(*out);
    }
    norm_ = sum <= norm_ ? norm_ : sum;  // a NaN stays
  }
}

void SparseLu::solve(Eigen::Ref<Vector> x) {
  x_ = x.cwiseProduct(R_);
  solve_in_place(x_);
  x = x_.cwiseProduct(C_);
}

void SparseLu::solve_columns(Matrix& X) {
  for (Eigen::Index j = 0; j < X.cols(); ++j) X.col(j).array() *= R_.array();
  solve_columns_in_place(X);
  for (Eigen::Index j = 0; j < X.cols(); ++j) X.col(j).array() *= C_.array();
}

double SparseLu::reciprocal_condition() {
  if (!factored_) return 0.0;
  if (x_.size() == 0) return 1.0;
  return 1.0 / (norm_ * inverse_norm1(
                            x_, z_, [this](Vector& x) { solve_in_place(x); },
                            [this](Vector& x) { solve_transposed_in_place(x); }));
}

bool SparseLu::factors(LuFactors& copy) const {
  if (!factored_ || !extract(copy)) return false;
  copy.R = R_;
  copy.C = C_;
  return true;
}

void SparseLu::save(ByteWriter& out) const {
  out.put(full_);
  for (const bool flag : {has_base_, factored_, repeated_}) out.put<std::uint8_t>(flag);
  if (has_base_) out.put(base_);
  if (repeated_) out.put(current_);
}

void SparseLu::restore(ByteReader& in) {
  long stored_full = 0;
  std::uint8_t has_base = 0, was_factored = 0, was_repeated = 0;
  has_base_ = factored_ = repeated_ = false;
  in.get(stored_full);
  for (std::uint8_t* flag : {&has_base, &was_factored, &was_repeated}) in.get(*flag);
  ColumnSparse A = scaled_;
  const auto read_into = [&](Vector& values) {
    in.get(values);
    A.coeffs() = values.array();
  };
  bool repeatable = true;
  if (has_base != 0) {
    read_into(base_);
    repeatable = full(A);
  }
  if (was_repeated != 0) {
    read_into(current_);
    repeatable = repeatable && has_base_ && repeat(A);
  }
  if (!repeatable || (was_factored != 0 && !has_base_))
    throw std::runtime_error("the stored factorisation cannot be repeated");
  factored_ = was_factored != 0;
  repeated_ = was_repeated != 0;
  full_ = stored_full;
}

}  // namespace mbs
