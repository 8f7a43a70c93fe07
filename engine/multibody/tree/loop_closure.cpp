#include "engine/multibody/tree/loop_closure.hpp"

#include <algorithm>
#include <cmath>

namespace mbs {

namespace {

constexpr double smallest_ratio = 1e-11;  // of pivots: Sigma squares the condition of G

}  // namespace

LoopClosure::LoopClosure(RowSparse rows) : G_(std::move(rows)) {
  G_.makeCompressed();
  for (Vector* x : {&D_, &scale_, &y_, &part_}) x->setZero(G_.rows());
  active_.reserve(static_cast<std::size_t>(G_.rows()));
  Sigma_.resize(static_cast<int>(G_.rows()));
}

void LoopClosure::set(const double* G, const Eigen::Ref<const Vector>& D) {
  std::copy_n(G, G_.nonZeros(), G_.valuePtr());
  D_ = D;
  find_active();
}

void LoopClosure::find_active() {
  active_.clear();
  for (int i = 0; i < rows(); ++i) {
    bool acts = D_[i] == 0.0;
    for (RowSparse::InnerIterator g(G_, i); g && !acts; ++g) acts = g.value() != 0.0;
    if (acts) active_.push_back(i);
  }
}

void LoopClosure::right_sides(Matrix& X) const {
  for (std::size_t j = 0; j < active_.size(); ++j) {
    auto x = X.col(static_cast<Eigen::Index>(j));
    x.setZero();
    for (RowSparse::InnerIterator g(G_, active_[j]); g; ++g) x[g.col()] = g.value();
  }
}

bool LoopClosure::factor(const Matrix& X) {
  const int n = static_cast<int>(active_.size());
  if (n == 0) return true;
  Sigma_.use(n);
  Matrix& Sigma = Sigma_.matrix();
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      const int row = active_[static_cast<std::size_t>(i)];
      double sum = i == j ? D_[row] : 0.0;
      for (RowSparse::InnerIterator g(G_, row); g; ++g) sum += g.value() * X(g.col(), j);
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
  const auto n = static_cast<Eigen::Index>(active_.size());
  for (int i = 0; i < rows(); ++i) {
    if (D_[i] != 0.0) y_[i] = -c[i] / D_[i];
  }
  for (Eigen::Index k = 0; k < n; ++k) {
    const int row = active_[static_cast<std::size_t>(k)];
    double sum = -c[row];
    for (RowSparse::InnerIterator g(G_, row); g; ++g) sum += g.value() * x[g.col()];
    part_[k] = scale_[k] * sum;
  }
  if (n > 0) Sigma_.solve(part_.head(n));
  for (Eigen::Index k = 0; k < n; ++k) {
    part_[k] *= scale_[k];
    y_[active_[static_cast<std::size_t>(k)]] = part_[k];
  }
  return y_;
}

void LoopClosure::subtract(const Eigen::Ref<const Matrix>& X, Eigen::Ref<Vector> x) const {
  const auto n = static_cast<Eigen::Index>(active_.size());
  x.noalias() -= X.leftCols(n) * part_.head(n);
}

void LoopClosure::save(ByteWriter& out) const {
  out.raw(G_.valuePtr(), sizeof(double) * static_cast<std::size_t>(G_.nonZeros()));
  out.put(D_);
}

void LoopClosure::restore(ByteReader& in) {
  in.raw(G_.valuePtr(), sizeof(double) * static_cast<std::size_t>(G_.nonZeros()));
  in.get(D_);
  find_active();
}

}  // namespace mbs
