#include "engine/linear/complex_sparse_lu.hpp"

#include <cmath>
#include <stdexcept>

#include "engine/linear/equilibrate.hpp"
#include "engine/linear/sparse_lu.hpp"

namespace mbs {
namespace {

constexpr double pivot_loss = 1e-5;  // as in sparse_lu.cpp

void put(ByteWriter& out, const ComplexVector& x) {
  out.raw(x.data(), sizeof(std::complex<double>) * static_cast<std::size_t>(x.size()));
}
void get(ByteReader& in, ComplexVector& x) {
  in.raw(x.data(), sizeof(std::complex<double>) * static_cast<std::size_t>(x.size()));
}

}  // namespace

void ComplexSparseLu::analyse(const ComplexColumnSparse& pattern) {
  scaled_ = pattern;
  scaled_.makeCompressed();
  magnitude_ = scaled_.cwiseAbs();
  magnitude_.makeCompressed();
  for (ComplexVector* x : {&base_, &current_}) x->setZero(scaled_.nonZeros());
  for (Vector* x : {&R_, &C_, &scratch_}) x->setZero(scaled_.cols());
  x_.setZero(scaled_.cols());
  has_base_ = repeated_ = false;
  analyse_pattern(scaled_);
}

bool ComplexSparseLu::factor(const ComplexColumnSparse& A) {
  if (A.nonZeros() != scaled_.nonZeros() || !A.isCompressed()) {
    throw std::logic_error("a matrix differs from the pattern given to its factorisation");
  }
  repeated_ = has_base_ && repeat(A);
  return repeated_ || full(A);
}

bool ComplexSparseLu::full(const ComplexColumnSparse& A) {
  has_base_ = false;
  for (Eigen::Index k = 0; k < A.nonZeros(); ++k) {
    magnitude_.valuePtr()[k] = std::abs(A.valuePtr()[k]);
  }
  if (!equilibrate(magnitude_, R_, C_, scratch_) || !scale(A) || !factor_fully(scaled_)) {
    return false;
  }
  base_ratio_ = pivot_ratio();
  if (!(base_ratio_ > singular_pivot_ratio(static_cast<int>(A.cols())))) return false;
  has_base_ = true;
  base_ = Eigen::Map<const ComplexVector>(A.valuePtr(), A.nonZeros());
  return true;
}

bool ComplexSparseLu::repeat(const ComplexColumnSparse& A) {
  if (!scale(A) || !refactor(scaled_)) return false;
  const double ratio = pivot_ratio();
  if (!(ratio > singular_pivot_ratio(static_cast<int>(A.cols()))) ||
      ratio < pivot_loss * base_ratio_) {
    return false;
  }
  current_ = Eigen::Map<const ComplexVector>(A.valuePtr(), A.nonZeros());
  return true;
}

bool ComplexSparseLu::scale(const ComplexColumnSparse& A) {
  double sum = 0.0;  // a NaN or an infinity stays
  std::complex<double>* out = scaled_.valuePtr();
  for (Eigen::Index j = 0; j < A.cols(); ++j) {
    for (ComplexColumnSparse::InnerIterator entry(A, j); entry; ++entry, ++out) {
      *out = entry.value() * (R_[entry.row()] * C_[j]);
      sum += std::abs(out->real()) + std::abs(out->imag());
    }
  }
  return std::isfinite(sum);
}

void ComplexSparseLu::solve(ComplexVector& x) {
  x_ = x.cwiseProduct(R_.cast<std::complex<double>>());
  solve_in_place(x_);
  x = x_.cwiseProduct(C_.cast<std::complex<double>>());
}

void ComplexSparseLu::save(ByteWriter& out) const {
  for (const bool flag : {has_base_, repeated_}) out.put<std::uint8_t>(flag);
  if (has_base_) put(out, base_);
  if (repeated_) put(out, current_);
}

void ComplexSparseLu::restore(ByteReader& in) {
  std::uint8_t has_base = 0, was_repeated = 0;
  for (std::uint8_t* flag : {&has_base, &was_repeated}) in.get(*flag);
  has_base_ = repeated_ = false;
  ComplexColumnSparse A = scaled_;
  const auto read_into = [&](ComplexVector& values) {
    get(in, values);
    Eigen::Map<ComplexVector>(A.valuePtr(), A.nonZeros()) = values;
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
  if (!repeatable) throw std::runtime_error("the stored factorisation cannot be repeated");
  repeated_ = was_repeated != 0;
}

}  // namespace mbs
