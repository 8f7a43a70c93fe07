#include "engine/linear/dense_ldlt.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mbs {

namespace {

// (1 + sqrt(17)) / 8: a block of size 2 lets entries grow as much as two of size 1 do.
constexpr double alpha = 0.6403882032022076;

void subtract(double* __restrict y, const double* __restrict l, double u, int count) {
  for (int i = 0; i < count; ++i) y[i] -= l[i] * u;
}

}  // namespace

void DenseLdlt::resize(int n) {
  A_.resize(n, n);
  off_diagonal_.resize(n);
  exchange_.resize(static_cast<std::size_t>(n));
}

// The largest entry off the diagonal in row i of what is left at step k.
double DenseLdlt::largest_off_diagonal(int k, int i, int& place) const {
  const int n = static_cast<int>(A_.rows());
  double largest = 0.0;
  for (int j = k; j < n; ++j) {
    if (j == i) continue;
    const double size = std::abs(j < i ? A_(i, j) : A_(j, i));
    if (size > largest) largest = size, place = j;
  }
  return largest;
}

// Goes from row to row until a diagonal entry is large by its row, or an entry is the largest of
// both its rows: then it makes a block of size 2.
DenseLdlt::Pivot DenseLdlt::search(int k) const {
  int row = k, next = k;
  double largest = largest_off_diagonal(k, row, next);
  if (std::abs(A_(row, row)) >= alpha * largest) return {row, -1};
  while (true) {
    const int last = row;
    row = next;
    if (row == last) return {row, -1};  // not a number: factor() refuses it
    const double here = largest_off_diagonal(k, row, next);
    if (std::abs(A_(row, row)) >= alpha * here) return {row, -1};
    if (!(here > largest)) return {last, row};
    largest = here;
  }
}

void DenseLdlt::exchange(int k, int with) {
  exchange_[static_cast<std::size_t>(k)] = with;
  if (k == with) return;
  const int n = static_cast<int>(A_.rows());
  std::swap(A_(k, k), A_(with, with));
  for (int j = 0; j < k; ++j) std::swap(A_(k, j), A_(with, j));
  for (int j = k + 1; j < with; ++j) std::swap(A_(j, k), A_(with, j));
  for (int i = with + 1; i < n; ++i) std::swap(A_(i, k), A_(i, with));
}

void DenseLdlt::eliminate_one(int k) {
  const int n = static_cast<int>(A_.rows());
  double* column = A_.data() + static_cast<std::ptrdiff_t>(k) * n;
  const double inverse = 1.0 / column[k];
  for (int j = k + 1; j < n; ++j) {
    const double u = column[j];
    if (u == 0.0) continue;
    const double l = u * inverse;
    subtract(A_.data() + static_cast<std::ptrdiff_t>(j) * n + j, column + j, l, n - j);
    column[j] = l;
  }
}

// With D = (a b; b c) the rows of L are (u0, u1) D^-1, written with b as the unit against overflow.
void DenseLdlt::eliminate_two(int k) {
  const int n = static_cast<int>(A_.rows());
  double* first = A_.data() + static_cast<std::ptrdiff_t>(k) * n;
  double* second = first + n;
  const double b = first[k + 1], a = first[k] / b, c = second[k + 1] / b;
  const double inverse = 1.0 / (a * c - 1.0) / b;
  for (int j = k + 2; j < n; ++j) {
    const double u0 = first[j], u1 = second[j];
    if (u0 == 0.0 && u1 == 0.0) continue;
    const double l0 = (c * u0 - u1) * inverse, l1 = (a * u1 - u0) * inverse;
    double* target = A_.data() + static_cast<std::ptrdiff_t>(j) * n + j;
    subtract(target, first + j, l0, n - j);
    subtract(target, second + j, l1, n - j);
    first[j] = l0;
    second[j] = l1;
  }
}

bool DenseLdlt::factor() {
  const int n = static_cast<int>(A_.rows());
  double smallest = 0.0, largest = 0.0;
  const auto judge = [&](int k, double low, double high) {
    smallest = k == 0 ? low : std::min(smallest, low);
    largest = std::max(largest, high);
    return low > 0.0;
  };
  for (int k = 0; k < n;) {
    const Pivot pivot = search(k);
    exchange(k, pivot.second < 0 ? pivot.first : std::min(pivot.first, pivot.second));
    off_diagonal_[k] = 0.0;
    if (pivot.second < 0) {
      const double size = std::abs(A_(k, k));
      if (!judge(k, size, size)) return false;
      eliminate_one(k);
      k += 1;
    } else {
      exchange(k + 1, std::max(pivot.first, pivot.second));
      // b is larger than a and c, so that |ac - b^2| / 2b is about the smaller eigenvalue.
      const double a = A_(k, k), b = A_(k + 1, k), c = A_(k + 1, k + 1);
      off_diagonal_[k] = b;
      off_diagonal_[k + 1] = 0.0;
      if (!judge(k, 0.5 * std::abs(a / b * c - b), std::abs(b))) return false;
      eliminate_two(k);
      A_(k + 1, k) = 0.0;
      k += 2;
    }
  }
  pivot_ratio_ = n == 0 ? 1.0 : smallest / largest;
  return true;
}

void DenseLdlt::solve(Eigen::Ref<Vector> x) const {
  const int n = static_cast<int>(A_.rows());
  for (int k = 0; k < n; ++k) std::swap(x[k], x[exchange_[static_cast<std::size_t>(k)]]);
  for (int k = 0; k < n; ++k) {
    const double* L = A_.data() + static_cast<std::ptrdiff_t>(k) * n;
    subtract(x.data() + k + 1, L + k + 1, x[k], n - k - 1);
  }
  for (int k = 0; k < n; ++k) {
    if (off_diagonal_[k] == 0.0) {
      x[k] /= A_(k, k);
      continue;
    }
    const double b = off_diagonal_[k], a = A_(k, k) / b, c = A_(k + 1, k + 1) / b;
    const double inverse = 1.0 / (a * c - 1.0) / b, x0 = x[k], x1 = x[k + 1];
    x[k] = (c * x0 - x1) * inverse;
    x[k + 1] = (a * x1 - x0) * inverse;
    ++k;
  }
  for (int k = n - 1; k >= 0; --k) {
    const double* L = A_.data() + static_cast<std::ptrdiff_t>(k) * n;
    double sum = x[k];
    for (int i = k + 1; i < n; ++i) sum -= L[i] * x[i];
    x[k] = sum;
  }
  for (int k = n - 1; k >= 0; --k) std::swap(x[k], x[exchange_[static_cast<std::size_t>(k)]]);
}

}  // namespace mbs
