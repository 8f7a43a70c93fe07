// SparseLu by Eigen's supernodal LU with COLAMD ordering.

#include "engine/linear/eigen_lu_factors.hpp"
#include "engine/linear/sparse_lu.hpp"

namespace mbs {

namespace {

class EigenLu final : public SparseLu {
 public:
  std::string name() const override { return "Eigen"; }

 protected:
  void analyse_pattern(const ColumnSparse& A) override {
    if (A.cols() > 0) lu_.analyzePattern(A);
  }
  bool factor_fully(const ColumnSparse& A) override { return lu_.factor(A); }
  bool refactor(const ColumnSparse&) override { return false; }
  double pivot_ratio() override { return lu_.pivot_ratio(); }
  void solve_in_place(Vector& x) override {
    if (x.size() > 0) x = lu_.solve(x);
  }
  void solve_columns_in_place(Matrix& X) override {
    // One by one: each to the bits that it has alone.
    for (Eigen::Index j = 0; j < X.cols() && X.rows() > 0; ++j) {
      const Vector x = lu_.solve(X.col(j));
      X.col(j) = x;
    }
  }
  void solve_transposed_in_place(Vector& x) override { x = lu_.transpose().solve(x); }

 private:
  EigenLuFactors<ColumnSparse> lu_;
};

}  // namespace

std::unique_ptr<SparseLu> make_eigen_lu() {
  return std::make_unique<EigenLu>();
}
#ifndef MBS_WITH_KLU
std::unique_ptr<SparseLu> make_sparse_lu() {
  return make_eigen_lu();
}
#endif

}  // namespace mbs
