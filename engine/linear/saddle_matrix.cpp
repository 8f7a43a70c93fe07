#include "engine/linear/saddle_matrix.hpp"

#include <algorithm>
#include <stdexcept>

namespace mbs {

namespace {

int place(const ColumnSparse& A, Eigen::Index row, Eigen::Index col) {
  const int* rows = A.innerIndexPtr();
  const int* begin = rows + A.outerIndexPtr()[col];
  const int* end = rows + A.outerIndexPtr()[col + 1];
  return static_cast<int>(std::lower_bound(begin, end, static_cast<int>(row)) - rows);
}

}  // namespace

void WholeSaddle::analyse(const SaddleStructure& structure) {
  n_v_ = static_cast<int>(structure.M.cols());
  n_lambda_ = static_cast<int>(structure.G.rows());
  std::vector<Eigen::Triplet<double>> entries;
  // Calls use(row, col, where to store the entry's place).
  const auto visit = [&](auto&& use) {
    for (int j = 0; j < structure.M.outerSize(); ++j) {
      for (ColumnSparse::InnerIterator m(structure.M, j); m; ++m) use(m.row(), m.col(), at_M_);
    }
    for (int i = 0; i < structure.G.outerSize(); ++i) {
      for (RowSparse::InnerIterator g(structure.G, i); g; ++g) {
        use(n_v_ + g.row(), g.col(), at_G_);
        use(g.col(), n_v_ + g.row(), at_Gt_);
      }
    }
    for (int j = 0; j < structure.F.outerSize(); ++j) {
      for (ColumnSparse::InnerIterator f(structure.F, j); f; ++f) {
        use(f.row(), n_v_ + f.col(), at_F_);
      }
    }
    for (int i = 0; i < n_lambda_; ++i) use(n_v_ + i, n_v_ + i, at_D_);
  };
  visit([&](auto row, auto col, std::vector<int>&) {
    entries.emplace_back(static_cast<int>(row), static_cast<int>(col), 0.0);
  });
  A_.resize(size(), size());
  A_.setFromTriplets(entries.begin(), entries.end());
  A_.makeCompressed();
  for (std::vector<int>* at : {&at_M_, &at_G_, &at_Gt_, &at_F_, &at_D_}) at->clear();
  visit([&](auto row, auto col, std::vector<int>& at) { at.push_back(place(A_, row, col)); });
}

void WholeSaddle::fill(const SaddleMatrix& matrix) {
  const auto same = [](const auto& part, const std::vector<int>& at) {
    return part.isCompressed() && part.nonZeros() == static_cast<Eigen::Index>(at.size());
  };
  if (!same(matrix.M, at_M_) || !same(matrix.G, at_G_) ||
      matrix.D.size() != static_cast<Eigen::Index>(at_D_.size()) ||
      (matrix.F != nullptr && !same(*matrix.F, at_F_))) {
    throw std::logic_error("a saddle matrix differs from the structure given to its solver");
  }
  double* A = A_.valuePtr();
  A_.coeffs().setZero();
  const double* M = matrix.M.valuePtr();
  for (std::size_t k = 0; k < at_M_.size(); ++k) A[at_M_[k]] = M[k];
  const double* G = matrix.G.valuePtr();
  for (std::size_t k = 0; k < at_G_.size(); ++k) {
    A[at_G_[k]] = G[k];
    A[at_Gt_[k]] = G[k];
  }
  if (matrix.F != nullptr) {
    const double* F = matrix.F->valuePtr();
    for (std::size_t k = 0; k < at_F_.size(); ++k) A[at_F_[k]] -= F[k];
  }
  for (std::size_t k = 0; k < at_D_.size(); ++k) A[at_D_[k]] = -matrix.D[static_cast<int>(k)];
}

}  // namespace mbs
