#include "engine/integrators/radau/acceleration_factors.hpp"

#include <algorithm>
#include <cmath>

namespace mbs::radau {

namespace {

constexpr double least_mass = 1e-10;  // relative to the largest: below it M is not inverted

}  // namespace

void AccelerationFactors::resize(int v, int r, int w, Mass mass) {
  v_ = v;
  r_ = r;
  mass_ = w > 0 ? Mass::general : mass;
  whole_.resize(v + r + w, false);
  values_.resize(0);
  if (mass_ == Mass::general) return;
  small_.resize(r, false);
  L_.setZero(v, mass_ == Mass::diagonal ? 1 : v);
  G_.setZero(r, v);
  W_.setZero(v, r);
  x_.setZero(v);
  y_.setZero(r);
}

bool AccelerationFactors::factor(const ColumnSparse& M) {
  by_mass_ = mass_ != Mass::general && factor_mass(M);
  if (!by_mass_) {
    for (int j = 0; j < v_; ++j) {
      for (ColumnSparse::InnerIterator entry(M, j); entry; ++entry) {
        whole_.matrix()(entry.row(), j) = entry.value();
      }
    }
    return whole_.factor();
  }
  const Matrix& Q = whole_.matrix();
  G_ = Q.block(v_, 0, r_, v_);
  W_ = -Q.block(0, v_, v_, r_);
  for (int k = 0; k < r_; ++k) solve_mass(W_.col(k).data());
  small_.matrix().noalias() = G_ * W_;
  return small_.factor();
}

// False when M is not positive definite enough.
bool AccelerationFactors::factor_mass(const ColumnSparse& M) {
  const Eigen::Map<const Vector> values(M.valuePtr(), M.nonZeros());
  if (values_.size() == values.size() && values_ == values) return definite_;
  values_ = values;
  definite_ = false;
  L_.setZero();
  double largest = 0.0;
  for (int j = 0; j < v_; ++j) {
    for (ColumnSparse::InnerIterator entry(M, j); entry; ++entry) {
      if (entry.row() == j) largest = std::max(largest, entry.value());
      if (mass_ == Mass::diagonal) {
        L_(j, 0) = 1.0 / entry.value();
      } else {
        L_(entry.row(), j) = entry.value();
      }
    }
  }
  for (int j = 0; j < v_; ++j) {
    if (mass_ == Mass::diagonal) {
      if (!(L_(j, 0) > 0.0 && L_(j, 0) * least_mass * largest < 1.0)) return false;
      continue;
    }
    for (int k = 0; k < j; ++k) L_.col(j).tail(v_ - j) -= L_(j, k) * L_.col(k).tail(v_ - j);
    if (!(L_(j, j) > least_mass * largest)) return false;
    L_.col(j).tail(v_ - j) /= std::sqrt(L_(j, j));
  }
  return definite_ = true;
}

void AccelerationFactors::solve_mass(double* x) const {
  Eigen::Map<Vector> y(x, v_);
  if (mass_ == Mass::diagonal) {
    y.array() *= L_.col(0).array();
    return;
  }
  for (int k = 0; k < v_; ++k) {
    y[k] /= L_(k, k);
    y.tail(v_ - k - 1) -= y[k] * L_.col(k).tail(v_ - k - 1);
  }
  for (int k = v_ - 1; k >= 0; --k) {
    y[k] -= L_.col(k).tail(v_ - k - 1).dot(y.tail(v_ - k - 1));
    y[k] /= L_(k, k);
  }
}

// M a - X l = b, G a = c: a = M^-1 b + W l, G W l = c - G M^-1 b.
void AccelerationFactors::solve(double* x) {
  if (!by_mass_) {
    whole_.solve(x);
    return;
  }
  Eigen::Map<Vector> a(x, v_), l(x + v_, r_);
  solve_mass(x);
  l.noalias() -= G_ * a;
  small_.solve(l.data());
  a.noalias() += W_ * l;
}

}  // namespace mbs::radau
