// ComplexSparseLu by Eigen's supernodal LU with COLAMD ordering.

#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>

#include "engine/linear/complex_sparse_lu.hpp"

namespace mbs {
namespace {

class Factors : public Eigen::SparseLU<ComplexColumnSparse, Eigen::COLAMDOrdering<int>> {
 public:
  // The diagonal of U stands with L in the supernodes.
  double pivot_ratio() const {
    double smallest = 0.0, largest = 0.0;
    for (Eigen::Index j = 0; j < cols(); ++j) {
      for (SCMatrix::InnerIterator entry(m_Lstore, j); entry; ++entry) {
        if (entry.index() != j) continue;
        const double size = std::abs(entry.value());
        smallest = j == 0 ? size : std::min(smallest, size);
        largest = std::max(largest, size);
        break;
      }
    }
    return cols() == 0 ? 1.0 : smallest / largest;
  }
};

class ComplexEigenLu final : public ComplexSparseLu {
 protected:
  void analyse_pattern(const ComplexColumnSparse& A) override {
    if (A.cols() > 0) lu_.analyzePattern(A);
  }
  bool factor_fully(const ComplexColumnSparse& A) override {
    if (A.cols() == 0) return true;
    lu_.factorize(A);
    return lu_.info() == Eigen::Success;
  }
  bool refactor(const ComplexColumnSparse&) override { return false; }
  double pivot_ratio() override { return lu_.pivot_ratio(); }
  void solve_in_place(ComplexVector& x) override {
    if (x.size() > 0) x = lu_.solve(x);
  }

 private:
  Factors lu_;
};

}  // namespace

std::unique_ptr<ComplexSparseLu> make_complex_eigen_lu() {
  return std::make_unique<ComplexEigenLu>();
}
#ifndef MBS_WITH_KLU
std::unique_ptr<ComplexSparseLu> make_complex_sparse_lu() {
  return make_complex_eigen_lu();
}
#endif

}  // namespace mbs
