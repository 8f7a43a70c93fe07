#include "engine/integrators/bdf/threshold_lu.hpp"

#include <algorithm>
#include <cmath>

namespace mbs::bdf {

bool ThresholdLu::make(const SparseLu& lu, double delta) {
  if (!lu.factors(factors_)) return false;
  const int n = factors_.n;
  pivot_.resize(n);
  largest_.resize(n);
  x_.resize(n);
  left_ = n;
  all_ = static_cast<long>(factors_.L.index.size() + factors_.U.index.size() +
                           factors_.F.index.size()) -
         n;
  drop(factors_.L, delta, true, L_);
  // the rows of U continue in F
  largest_.setZero();
  for (const LuFactors::Columns* part : {&factors_.U, &factors_.F}) {
    for (std::size_t k = 0; k < part->index.size(); ++k) {
      double& most = largest_[part->index[k]];
      most = std::max(most, std::abs(part->value[k]));
    }
  }
  drop(factors_.U, delta, false, U_);
  drop(factors_.F, delta, false, F_);
  left_ += static_cast<long>(L_.index.size() + U_.index.size() + F_.index.size());
  factorisation_ = 0;
  for (int j = 0; j < n; ++j) {
    for (int k = factors_.U.begin[j]; k < factors_.U.begin[j + 1]; ++k) {
      const int i = factors_.U.index[static_cast<std::size_t>(k)];
      factorisation_ += factors_.L.begin[i + 1] - factors_.L.begin[i];
    }
  }
  return true;
}

void ThresholdLu::make_room(const SparseLu& lu) {
  if (!make(lu, 0.0)) return;
  constexpr std::size_t most = 2;
  const auto reserve = [](auto& part) {
    part.index.reserve(most * part.index.size());
    part.value.reserve(most * part.value.size());
  };
  for (LuFactors::Columns* part : {&factors_.L, &factors_.U, &factors_.F}) reserve(*part);
  for (Triangle* part : {&L_, &U_, &F_}) reserve(*part);
}

// Diagonals are kept apart: ones in L, pivots in U.
void ThresholdLu::drop(const LuFactors::Columns& from, double delta, bool lower, Triangle& to) {
  const int n = factors_.n;
  if (lower) {
    largest_.setOnes();
    for (std::size_t k = 0; k < from.index.size(); ++k) {
      double& most = largest_[from.index[k]];
      most = std::max(most, std::abs(from.value[k]));
    }
  }
  to.begin.assign(1, 0);
  to.index.clear();
  to.value.clear();
  const bool diagonal = &from != &factors_.F;
  for (int j = 0; j < n; ++j) {
    for (int k = from.begin[static_cast<std::size_t>(j)];
         k < from.begin[static_cast<std::size_t>(j) + 1]; ++k) {
      const int i = from.index[static_cast<std::size_t>(k)];
      const double value = from.value[static_cast<std::size_t>(k)];
      if (diagonal && i == j) {
        if (!lower) pivot_[j] = value;
      } else if (std::abs(value) >= delta * largest_[i]) {
        to.index.push_back(i);
        to.value.push_back(value);
      }
    }
    to.begin.push_back(static_cast<int>(to.index.size()));
  }
}

void ThresholdLu::solve(Eigen::Ref<Vector> x) {
  const int n = factors_.n;
  for (int k = 0; k < n; ++k) {
    const int i = factors_.row[static_cast<std::size_t>(k)];
    x_[k] = x[i] * factors_.R[i];
  }
  const auto subtract = [this](const Triangle& part, int j) {
    const double value = x_[j];
    if (value == 0.0) return;
    for (int k = part.begin[static_cast<std::size_t>(j)];
         k < part.begin[static_cast<std::size_t>(j) + 1]; ++k) {
      x_[part.index[static_cast<std::size_t>(k)]] -=
          part.value[static_cast<std::size_t>(k)] * value;
    }
  };
  for (std::size_t b = factors_.block.size() - 1; b-- > 0;) {
    const int begin = factors_.block[b], end = factors_.block[b + 1];
    for (int j = begin; j < end; ++j) subtract(L_, j);
    for (int j = end; j-- > begin;) {
      x_[j] /= pivot_[j];
      subtract(U_, j);
    }
    for (int j = begin; j < end; ++j) subtract(F_, j);
  }
  for (int k = 0; k < n; ++k) {
    const int j = factors_.column[static_cast<std::size_t>(k)];
    x[j] = x_[k] * factors_.C[j];
  }
}

}  // namespace mbs::bdf
