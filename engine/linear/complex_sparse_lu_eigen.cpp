// ComplexSparseLu by Eigen's supernodal LU with COLAMD ordering.

#include "engine/linear/complex_sparse_lu.hpp"
#include "engine/linear/eigen_lu_factors.hpp"

namespace mbs {
namespace {

class ComplexEigenLu final : public ComplexSparseLu {
 protected:
  void analyse_pattern(const ComplexColumnSparse& A) override {
    if (A.cols() > 0) lu_.analyzePattern(A);
  }
  bool factor_fully(const ComplexColumnSparse& A) override { return lu_.factor(A); }
  bool refactor(const ComplexColumnSparse&) override { return false; }
  double pivot_ratio() override { return lu_.pivot_ratio(); }
  void solve_in_place(ComplexVector& x) override {
    if (x.size() > 0) x = lu_.solve(x);
  }

 private:
  EigenLuFactors<ComplexColumnSparse> lu_;
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
