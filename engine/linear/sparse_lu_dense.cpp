// SparseLu by a dense one, for matrices so small that to skip zeros costs more than to compute with
// them. It has no refactoring: each factorisation is a full one.

#include <algorithm>

#include "engine/linear/dense_lu.hpp"
#include "engine/linear/sparse_lu.hpp"

namespace mbs {
namespace {

class DenseInside final : public SparseLu {
 public:
  std::string name() const override { return "dense"; }

 protected:
  void analyse_pattern(const ColumnSparse& A) override {
    lu_.resize(static_cast<int>(A.cols()));
    four_.setZero(4, A.cols());
  }

  bool factor_fully(const ColumnSparse& A) override {
    lu_.matrix().setZero();
    for (Eigen::Index j = 0; j < A.cols(); ++j)
      for (ColumnSparse::InnerIterator entry(A, j); entry; ++entry)
        lu_.matrix()(entry.row(), j) = entry.value();
    return lu_.factor();
  }
  bool refactor(const ColumnSparse&) override { return false; }
  double pivot_ratio() override { return lu_.pivot_ratio(); }

  void solve_in_place(Vector& x) override { lu_.solve(x); }
  void solve_columns_in_place(Matrix& X) override {
    // Four at once, the last ones with columns of zeros: what stands in other columns changes no
    // bit.
    for (Eigen::Index j = 0; j < X.cols(); j += 4) {
      const Eigen::Index count = std::min<Eigen::Index>(4, X.cols() - j);
      four_.setZero();
      four_.topRows(count) = X.middleCols(j, count).transpose();
      lu_.solve_four(four_);
      X.middleCols(j, count) = four_.topRows(count).transpose();
    }
  }
  void solve_transposed_in_place(Vector& x) override { lu_.solve_transposed(x); }

 private:
  DenseLu lu_;
  DenseLu::FourRows four_;
};

}  // namespace

std::unique_ptr<SparseLu> make_dense_inside_lu() {
  return std::make_unique<DenseInside>();
}

bool better_dense(const ColumnSparse& pattern) {
  // A dense factorisation takes n^3 / 3 multiplications and as many additions, some of them at
  // once; a sparse one that chooses its pivots hundreds of operations for each entry.
  const double n = static_cast<double>(pattern.cols()), entries = double(pattern.nonZeros());
  return n * n * n <= 100.0 * entries;
}

std::unique_ptr<SparseLu> make_lu_for(const ColumnSparse& pattern) {
  return better_dense(pattern) ? make_dense_inside_lu() : make_sparse_lu();
}

}  // namespace mbs
