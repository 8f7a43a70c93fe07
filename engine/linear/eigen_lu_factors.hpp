#pragma once

// Eigen's supernodal LU with COLAMD ordering, of real and complex matrices.

#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>

namespace mbs {

template <class Sparse>
class EigenLuFactors : public Eigen::SparseLU<Sparse, Eigen::COLAMDOrdering<int>> {
  using Base = Eigen::SparseLU<Sparse, Eigen::COLAMDOrdering<int>>;

 public:
  bool factor(const Sparse& A) {
    if (A.cols() == 0) return true;
    this->factorize(A);
    return this->info() == Eigen::Success;
  }
  // Smallest by largest pivot. The diagonal of U stands with L in the supernodes.
  double pivot_ratio() const {
    double smallest = 0.0, largest = 0.0;
    for (Eigen::Index j = 0; j < this->cols(); ++j) {
      for (typename Base::SCMatrix::InnerIterator entry(this->m_Lstore, j); entry; ++entry) {
        if (entry.index() != j) continue;
        const double size = std::abs(entry.value());
        smallest = j == 0 ? size : std::min(smallest, size);
        largest = std::max(largest, size);
        break;
      }
    }
    return this->cols() == 0 ? 1.0 : smallest / largest;
  }
};

}  // namespace mbs
