#include "engine/linear/dense_lu.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mbs {

namespace {

// y -= L u for four columns of L.
void subtract4(double* __restrict y, const double* __restrict l0, const double* __restrict l1,
               const double* __restrict l2, const double* __restrict l3, const double* u,
               int count) {
  const double u0 = u[0], u1 = u[1], u2 = u[2], u3 = u[3];
  for (int i = 0; i < count; ++i) {
    y[i] -= ((l0[i] * u0 + l1[i] * u1) + (l2[i] * u2 + l3[i] * u3));
  }
}

void subtract(double* __restrict y, const double* __restrict l, double u, int count) {
  for (int i = 0; i < count; ++i) y[i] -= l[i] * u;
}

}  // namespace

void DenseLu::resize(int n) {
  A_.resize(n, n);
  n_ = n;
  swap_.resize(static_cast<std::size_t>(n));
}

// column becomes L^-1 column in its first j entries, and the rest minus what they eliminate.
void DenseLu::eliminate_above(double* column, int j) const {
  const int n = n_;
  const Eigen::Index stride = A_.rows();
  int k = 0;
  for (; k + 4 <= j; k += 4) {
    for (int m = k; m < k + 3; ++m) {
      for (int i = m + 1; i < k + 4; ++i) column[i] -= A_(i, m) * column[m];
    }
    const double* L = A_.data() + k * stride + k + 4;
    subtract4(column + k + 4, L, L + stride, L + 2 * stride, L + 3 * stride, column + k, n - k - 4);
  }
  for (; k < j; ++k) {
    const double* L = A_.data() + k * stride + k + 1;
    subtract(column + k + 1, L, column[k], n - k - 1);
  }
}

bool DenseLu::factor() {
  const int n = n_;
  double smallest = 0.0, largest = 0.0;
  for (int j = 0; j < n; ++j) {
    double* column = A_.data() + j * A_.rows();
    for (int k = 0; k < j; ++k) std::swap(column[k], column[swap_[static_cast<std::size_t>(k)]]);
    eliminate_above(column, j);
    int pivot = j;
    for (int i = j + 1; i < n; ++i) {
      if (std::abs(column[i]) > std::abs(column[pivot])) pivot = i;
    }
    swap_[static_cast<std::size_t>(j)] = pivot;
    if (pivot != j) {
      for (int k = 0; k <= j; ++k) std::swap(A_(j, k), A_(pivot, k));
    }
    const double size = std::abs(column[j]);
    if (!(size > 0.0)) return false;
    smallest = j == 0 ? size : std::min(smallest, size);
    largest = std::max(largest, size);
    const double inverse = 1.0 / column[j];
    for (int i = j + 1; i < n; ++i) column[i] *= inverse;
  }
  pivot_ratio_ = n == 0 ? 1.0 : smallest / largest;
  return true;
}

void DenseLu::solve(Eigen::Ref<Vector> x) const {
  const int n = n_;
  for (int k = 0; k < n; ++k) std::swap(x[k], x[swap_[static_cast<std::size_t>(k)]]);
  eliminate_above(x.data(), n);
  for (int k = n - 1; k >= 0; --k) {
    const double* U = A_.data() + k * A_.rows();
    x[k] /= U[k];
    subtract(x.data(), U, x[k], k);
  }
}

void DenseLu::solve_four(FourRows& x) const {
  const int n = n_;
  for (int k = 0; k < n; ++k) {
    const int other = swap_[static_cast<std::size_t>(k)];
    if (other != k) x.col(k).swap(x.col(other));
  }
  for (int k = 0; k < n; ++k) {
    const double* L = A_.data() + k * A_.rows();
    const Eigen::Vector4d known = x.col(k);
    for (int i = k + 1; i < n; ++i) x.col(i) -= L[i] * known;
  }
  for (int k = n - 1; k >= 0; --k) {
    const double* U = A_.data() + k * A_.rows();
    const Eigen::Vector4d known = x.col(k) / U[k];
    x.col(k) = known;
    for (int i = 0; i < k; ++i) x.col(i) -= U[i] * known;
  }
}

void DenseLu::solve_transposed(Vector& x) const {
  const int n = n_;
  for (int k = 0; k < n; ++k) {
    double sum = x[k];
    for (int i = 0; i < k; ++i) sum -= A_(i, k) * x[i];
    x[k] = sum / A_(k, k);
  }
  for (int k = n - 1; k >= 0; --k) {
    double sum = x[k];
    for (int i = k + 1; i < n; ++i) sum -= A_(i, k) * x[i];
    x[k] = sum;
  }
  for (int k = n - 1; k >= 0; --k) std::swap(x[k], x[swap_[static_cast<std::size_t>(k)]]);
}

}  // namespace mbs
