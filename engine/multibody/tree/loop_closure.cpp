#include "engine/multibody/tree/loop_closure.hpp"

#include <algorithm>
#include <cmath>

namespace mbs {

namespace {

constexpr double smallest_ratio = 1e-11;  // of pivots: Sigma squares the condition of G

}  // namespace

LoopClosure::LoopClosure(RowSparse rows) : G_(std::move(rows)) {
  G_.makeCompressed();
  for (Vector* x : {&D_, &scale_, &y_}) x->setZero(G_.rows());
  Sigma_.resize(static_cast<int>(G_.rows()));
}

void LoopClosure::set(const double* G, const Eigen::Ref<const Vector>& D) {
  std::copy_n(G, G_.nonZeros(), G_.valuePtr());
  D_ = D;
}

void LoopClosure::right_sides(Matrix& X) const {
  X.setZero();
  for (int j = 0; j < rows(); ++j) {
    for (RowSparse::InnerIterator g(G_, j); g; ++g) X(g.col(), j) = g.value();
  }
}

bool LoopClosure::factor(const Matrix& X) {
  const int n = rows();
  if (n == 0) return true;
  Matrix& Sigma = Sigma_.matrix();
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      double sum = i == j ? D_[j] : 0.0;
      for (RowSparse::InnerIterator g(G_, i); g; ++g) sum += g.value() * X(g.col(), j);
      Sigma(i, j) = sum;
    }
  }
  for (int i = 0; i < n; ++i) {
    const double size = std::abs(Sigma(i, i));
    if (!(size > 0.0) || !std::isfinite(size)) return false;
    scale_[i] = 1.0 / std::sqrt(size);
  }
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) Sigma(i, j) *= scale_[i] * scale_[j];
  }
  return Sigma_.factor() && Sigma_.pivot_ratio() > smallest_ratio;
}

const Vector& LoopClosure::multipliers(const Eigen::Ref<const Vector>& x,
                                       const Eigen::Ref<const Vector>& c) {
  for (int i = 0; i < rows(); ++i) {
    double sum = -c[i];
    for (RowSparse::InnerIterator g(G_, i); g; ++g) sum += g.value() * x[g.col()];
    y_[i] = scale_[i] * sum;
  }
  Sigma_.solve(y_);
  y_ = y_.cwiseProduct(scale_);
  return y_;
}

void LoopClosure::save(ByteWriter& out) const {
  out.raw(G_.valuePtr(), sizeof(double) * static_cast<std::size_t>(G_.nonZeros()));
  out.put(D_);
}

void LoopClosure::restore(ByteReader& in) {
  in.raw(G_.valuePtr(), sizeof(double) * static_cast<std::size_t>(G_.nonZeros()));
  in.get(D_);
}

}  // namespace mbs
