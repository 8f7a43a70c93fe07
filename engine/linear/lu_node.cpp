#include "engine/linear/lu_node.hpp"

namespace mbs {

void LuNode::resize(const NodeSize& size) {
  size_ = size;
  const int p = size.n + size.m;
  lu_.resize(p);
  Y_.setZero(p, size.s);
  L_.setZero(size.s, p);
  x_.setZero(p);
}

void LuNode::fill(const double* M, const double* T, const double* D) {
  const auto [n, m, s] = size_;
  Matrix& P = lu_.matrix();
  P.setZero();
  Y_.setZero();
  L_.setZero();
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) P(i, j) = M[i * n + j];
  }
  for (int i = 0; i < m; ++i) {
    const double* row = T + i * (n + s);
    for (int j = 0; j < n; ++j) P(n + i, j) = P(j, n + i) = row[j];
    for (int j = 0; j < s; ++j) Y_(n + i, j) = L_(j, n + i) = row[n + j];
    P(n + i, n + i) = -D[i];
  }
}

bool LuNode::eliminate(double* into, int stride) {
  if (!lu_.factor() || !(lu_.pivot_ratio() > smallest_node_pivot * smallest_node_pivot)) {
    return false;
  }
  const int p = size_.n + size_.m;
  for (int j = 0; j < size_.s; ++j) {
    x_ = Y_.col(j);
    lu_.solve(x_);
    Y_.col(j) = x_;
  }
  for (int i = 0; i < size_.s; ++i) {
    for (int j = 0; j < size_.s; ++j) {
      double sum = 0.0;
      for (int k = size_.n; k < p; ++k) sum += L_(i, k) * Y_(k, j);
      into[i * stride + j] -= sum;
    }
  }
  return true;
}

template <bool transposed>
void LuNode::forward(double* x, double* parent) {
  Eigen::Map<Vector> b(x, x_.size());
  if (!transposed) {
    x_ = b;
    lu_.solve(x_);
    b = x_;
  }
  for (Eigen::Index k = 0; k < x_.size(); ++k) {
    for (int i = 0; i < size_.s; ++i) parent[i] -= (transposed ? Y_(k, i) : L_(i, k)) * b[k];
  }
}

template <bool transposed>
void LuNode::backward(double* x, const double* parent) {
  Eigen::Map<Vector> b(x, x_.size());
  for (Eigen::Index k = 0; k < x_.size(); ++k) {
    for (int i = 0; i < size_.s; ++i) b[k] -= (transposed ? L_(i, k) : Y_(k, i)) * parent[i];
  }
  if (!transposed) return;
  x_ = b;
  lu_.solve_transposed(x_);
  b = x_;
}

template void LuNode::forward<false>(double*, double*);
template void LuNode::forward<true>(double*, double*);
template void LuNode::backward<false>(double*, const double*);
template void LuNode::backward<true>(double*, const double*);

}  // namespace mbs
