#include "engine/linear/equilibrate.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace mbs {

namespace {

constexpr int passes = 5;  // each one halves the exponents' spread

// The power of two next to 1/sqrt(x), by the bits of its exponent.
double inverse_root(double x) {
  constexpr int bias = 1023, digits = 52;
  static_assert(std::numeric_limits<double>::is_iec559);
  int exponent = static_cast<int>(std::bit_cast<std::uint64_t>(x) >> digits) - bias + 1;
  if (exponent == 1 - bias) std::frexp(x, &exponent);  // subnormal
  return std::bit_cast<double>(static_cast<std::uint64_t>(bias - exponent / 2) << digits);
}

}  // namespace

bool equilibrate(const ColumnSparse& A, Vector& R, Vector& C, Vector& scratch) {
  const auto n = A.cols();
  R.setOnes();
  C.setOnes();
  for (int pass = 0; pass < passes; ++pass) {
    bool changed = false;
    scratch.setZero();
    for (Eigen::Index j = 0; j < n; ++j) {
      double largest = 0.0;
      for (ColumnSparse::InnerIterator entry(A, j); entry; ++entry) {
        const double size = std::abs(entry.value()) * R[entry.row()] * C[j];
        if (!(size <= std::numeric_limits<double>::max())) return false;
        largest = std::max(largest, size);
        scratch[entry.row()] = std::max(scratch[entry.row()], size);
      }
      if (largest == 0.0) return false;
      // Column j is done with in this pass: all rows are measured with the C before it.
      const double factor = inverse_root(largest);
      changed = changed || factor != 1.0;
      C[j] *= factor;
    }
    for (Eigen::Index i = 0; i < n; ++i) {
      if (scratch[i] == 0.0) return false;
      const double factor = inverse_root(scratch[i]);
      changed = changed || factor != 1.0;
      R[i] *= factor;
    }
    if (!changed) break;
  }
  return true;
}

}  // namespace mbs
