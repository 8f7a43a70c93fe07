#include "engine/linear/range_space_saddle.hpp"

#include <cmath>

#include "engine/linear/sparse_lu.hpp"

namespace mbs {

void RangeSpaceSaddle::analyse_structured(const SaddleStructure& structure) {
  L_.analyse(structure.M, structure.mass_blocks);
  G_ = structure.G;
  G_.makeCompressed();
  W_.setZero(structure.M.cols() + G_.rows(), G_.rows());
  x_.setZero(structure.M.cols());
}

bool RangeSpaceSaddle::factor_structured(const SaddleMatrix& matrix) {
  if (!L_.factor(matrix.M)) return false;
  G_.coeffs() = matrix.G.coeffs();
  W_.setZero();
  int rows = static_cast<int>(G_.cols());
  for (int j = 0; j < G_.rows(); ++j) {
    for (RowSparse::InnerIterator g(G_, j); g; ++g) W_(g.col(), j) = g.value();
    L_.solve_L(W_.col(j).data());
    if (matrix.D[j] < 0.0) return false;
    if (matrix.D[j] > 0.0) W_(rows++, j) = std::sqrt(matrix.D[j]);
  }
  ++statistics_.analyses;
  return reduce_to_R(rows);
}

// Householder's reflections, one a column. A column that the ones before nearly span, by its own
// length, means dependent constraints.
bool RangeSpaceSaddle::reduce_to_R(int rows) {
  const int n = static_cast<int>(W_.cols());
  if (n > rows) return false;
  const double tolerance = singular_pivot_ratio(rows);
  for (int k = 0; k < n; ++k) {
    double* v = W_.col(k).data();
    double above = 0.0, below = 0.0;
    for (int i = 0; i < k; ++i) above += v[i] * v[i];
    for (int i = k; i < rows; ++i) below += v[i] * v[i];
    const double length = std::sqrt(below);
    if (!(length > tolerance * std::sqrt(above + below)) || !std::isfinite(length)) return false;
    const double diagonal = v[k] > 0.0 ? -length : length;
    v[k] -= diagonal;
    const double factor = -1.0 / (diagonal * v[k]);  // 2 / v^T v
    for (int j = k + 1; j < n; ++j) {
      double* w = W_.col(j).data();
      double sum = 0.0;
      for (int i = k; i < rows; ++i) sum += v[i] * w[i];
      sum *= factor;
      for (int i = k; i < rows; ++i) w[i] -= sum * v[i];
    }
    v[k] = diagonal;
  }
  return true;
}

void RangeSpaceSaddle::solve_structured(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) {
  const int n = static_cast<int>(W_.cols());
  const auto divide_by_M = [this](double* z) {
    L_.solve_L(z);
    L_.solve_L_transposed(z);
  };
  x_ = x;
  divide_by_M(x_.data());
  for (int i = 0; i < n; ++i) {
    double sum = -y[i];
    for (RowSparse::InnerIterator g(G_, i); g; ++g) sum += g.value() * x_[g.col()];
    y[i] = sum;
  }
  for (int i = 0; i < n; ++i) {  // R^-T
    double sum = y[i];
    for (int k = 0; k < i; ++k) sum -= W_(k, i) * y[k];
    y[i] = sum / W_(i, i);
  }
  for (int i = n - 1; i >= 0; --i) {  // R^-1
    y[i] /= W_(i, i);
    for (int k = 0; k < i; ++k) y[k] -= W_(k, i) * y[i];
  }
  for (int i = 0; i < n; ++i) {
    for (RowSparse::InnerIterator g(G_, i); g; ++g) x[g.col()] -= g.value() * y[i];
  }
  divide_by_M(x.data());
}

}  // namespace mbs
