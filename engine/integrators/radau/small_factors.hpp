#pragma once

// Factors of the small dense matrices of the differential part, real or complex, in storage of
// their own and in a fixed order of operations: P A = L U, or Householder's A = Q R, of R A C with
// powers of two R, C that make the largest of each row and column about 1, so that neither pivots
// nor the test of singularity depend on units (pressures and openings of valves). A row that is
// rounding alone becomes about 1 as well: a matrix that is singular by such a row is not detected.

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "engine/base/types.hpp"

namespace mbs::radau {

template <class Scalar>
class SmallFactors {
 public:
  using Square = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;

  void resize(int n, bool qr) {
    qr_ = qr;
    A_.setZero(n, n);
    swap_.assign(static_cast<std::size_t>(n), 0);
    diagonal_.setZero(n);
    row_.setOnes(n);
    column_.setOnes(n);
  }
  Square& matrix() { return A_; }  // to be filled before factor()

  // False when the matrix is singular to working precision, or not finite.
  bool factor() {
    if (!A_.allFinite()) return false;
    equilibrate();
    return qr_ ? factor_qr() : factor_lu();
  }

  // In place.
  void solve(Scalar* x) const {
    const int n = static_cast<int>(A_.cols());
    for (int k = 0; k < n; ++k) x[k] *= row_[k];
    if (qr_) {
      for (int k = 0; k < n; ++k) reflect(k, x);
    } else {
      for (int k = 0; k < n; ++k) {
        std::swap(x[k], x[swap_[static_cast<std::size_t>(k)]]);
        const Scalar* column = &A_(0, k);
        for (int i = k + 1; i < n; ++i) x[i] -= column[i] * x[k];
      }
    }
    for (int k = n - 1; k >= 0; --k) {
      const Scalar* column = &A_(0, k);
      x[k] /= qr_ ? diagonal_[k] : column[k];
      for (int i = 0; i < k; ++i) x[i] -= column[i] * x[k];
    }
    for (int k = 0; k < n; ++k) x[k] *= column_[k];
  }

 private:
  static double magnitude(const Scalar& x) {
    if constexpr (std::is_same_v<Scalar, double>) {
      return std::abs(x);
    } else {
      return std::abs(x.real()) + std::abs(x.imag());
    }
  }

  // 2^-e with size in [2^(e-1), 2^e).
  static double to_one(double size) {
    int exponent = 0;
    std::frexp(size, &exponent);
    return size > 1e-290 ? std::ldexp(1.0, -exponent) : 1.0;
  }

  void equilibrate() {
    const int n = static_cast<int>(A_.cols());
    row_.setZero();
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) row_[i] = std::max(row_[i], magnitude(A_(i, j)));
    }
    for (double& x : row_) x = to_one(x);
    for (int j = 0; j < n; ++j) {
      double largest = 0.0;
      for (int i = 0; i < n; ++i) {
        A_(i, j) *= row_[i];
        largest = std::max(largest, magnitude(A_(i, j)));
      }
      column_[j] = to_one(largest);
      for (int i = 0; i < n; ++i) A_(i, j) *= column_[j];
    }
  }

  bool factor_lu() {
    const int n = static_cast<int>(A_.cols());
    for (int k = 0; k < n; ++k) {
      Scalar* pivots = &A_(0, k);
      int best = k;
      for (int i = k + 1; i < n; ++i) {
        if (magnitude(pivots[i]) > magnitude(pivots[best])) best = i;
      }
      swap_[static_cast<std::size_t>(k)] = best;
      if (!(magnitude(pivots[best]) > smallest)) return false;
      if (best != k) {
        for (int j = 0; j < n; ++j) std::swap(A_(k, j), A_(best, j));
      }
      const Scalar inverse = 1.0 / pivots[k];
      for (int i = k + 1; i < n; ++i) pivots[i] *= inverse;
      for (int j = k + 1; j < n; ++j) {
        Scalar* column = &A_(0, j);
        const Scalar factor = column[k];
        if (factor == Scalar(0.0)) continue;
        for (int i = k + 1; i < n; ++i) column[i] -= pivots[i] * factor;
      }
    }
    // L's rows were swapped as a whole, but solve() swaps step by step: the swaps are undone.
    for (int k = n - 1; k >= 0; --k) {
      const int other = swap_[static_cast<std::size_t>(k)];
      if (other == k) continue;
      for (int j = 0; j < k; ++j) std::swap(A_(k, j), A_(other, j));
    }
    return true;
  }

  // Column k below the diagonal keeps v_k (and on it v_kk), R's diagonal stands apart.
  bool factor_qr() {
    const int n = static_cast<int>(A_.cols());
    for (int k = 0; k < n; ++k) {
      const double norm = A_.col(k).tail(n - k).norm();
      if (!(norm > smallest)) return false;
      const Scalar pivot = A_(k, k);
      const double length = std::abs(pivot);
      const Scalar direction = length > 0.0 ? pivot / length : Scalar(1.0);
      diagonal_[k] = -direction * norm;
      A_(k, k) -= diagonal_[k];
      for (int j = k + 1; j < n; ++j) reflect(k, &A_(0, j));
    }
    return true;
  }

  void reflect(int k, Scalar* x) const {
    const int n = static_cast<int>(A_.cols());
    const auto v = A_.col(k).tail(n - k);
    Eigen::Map<Eigen::Matrix<Scalar, Eigen::Dynamic, 1>> y(x + k, n - k);
    const Scalar scale = 2.0 * v.dot(y) / v.squaredNorm();
    y -= scale * v;
  }

  static constexpr double smallest = 10.0 * std::numeric_limits<double>::epsilon();
  bool qr_ = false;
  Square A_;
  std::vector<int> swap_;
  Vector row_, column_;  // R and C
  Eigen::Matrix<Scalar, Eigen::Dynamic, 1> diagonal_;
};

}  // namespace mbs::radau
