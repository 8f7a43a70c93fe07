#include "engine/contact/newton/newton_system.hpp"

#include <Eigen/LU>

#include "engine/linear/sparse_lu.hpp"

namespace mbs {
namespace {

constexpr int refinements = 2;
constexpr Eigen::Index dense_up_to = 90;
constexpr double dense_from = 0.4;  // part of the entries that are not zero

int sign_of(double x) {
  return x < 0.0 ? -1 : 1;
}

int parity(const std::vector<int>& permutation) {
  std::vector<char> seen(permutation.size(), 0);
  int sign = 1;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (seen[i] != 0) continue;
    seen[i] = 1;
    for (std::size_t k = static_cast<std::size_t>(permutation[i]); k != i;
         k = static_cast<std::size_t>(permutation[k])) {
      seen[k] = 1;
      sign = -sign;
    }
  }
  return sign;
}

// B = I - A + epsilon A D of one cone.
ConeMatrix diagonal_block(const ConeMatrix& A, double compliance) {
  return ConeMatrix::Identity(A.rows(), A.cols()) - A + compliance * A;
}

class DenseNewtonSystem final : public NewtonSystem {
 public:
  explicit DenseNewtonSystem(const ScaledProblem& problem)
      : problem_(problem),
        W_(problem.S().asDiagonal() * problem.problem().W * problem.S().asDiagonal()) {}

  bool factor(const std::vector<ConeMatrix>& A, double epsilon) override {
    Matrix K = Matrix::Identity(W_.rows(), W_.cols());
    for (std::size_t c = 0; c < A.size(); ++c) {
      const ConeEntries& cone = problem_.cones()[c];
      const ConeMatrix B = diagonal_block(A[c], epsilon * problem_.D()[cone.index[0]]);
      for (int i = 0; i < cone.size; ++i) {
        const int row = cone.index[static_cast<std::size_t>(i)];
        K.row(row).setZero();
        for (int k = 0; k < cone.size; ++k) {
          const int column = cone.index[static_cast<std::size_t>(k)];
          if (A[c](i, k) != 0.0) K.row(row) += A[c](i, k) * W_.row(column);
        }
        for (int k = 0; k < cone.size; ++k)
          K(row, cone.index[static_cast<std::size_t>(k)]) += B(i, k);
      }
    }
    lu_.compute(K);
    return true;
  }
  Vector solve(const Vector& r) override { return lu_.solve(r); }
  int determinant_sign() const override {
    int sign = static_cast<int>(lu_.permutationP().determinant());
    for (Eigen::Index i = 0; i < W_.rows(); ++i) sign *= sign_of(lu_.matrixLU()(i, i));
    return sign;
  }

 private:
  const ScaledProblem& problem_;
  Matrix W_;
  Eigen::PartialPivLU<Matrix> lu_;
};

int determinant_sign_of(const SparseLu& lu) {
  LuFactors factors;
  if (!lu.factors(factors)) return 0;
  int sign = parity(factors.row) * parity(factors.column);
  for (int k = 0; k < factors.n; ++k)
    sign *= sign_of(factors.U.value[static_cast<std::size_t>(factors.U.begin[k + 1] - 1)]);
  return sign;
}

// The blocks of all cones as one matrix; blocks are full also where they are zero.
RowSparse block_diagonal(const ScaledProblem& problem, const std::vector<ConeMatrix>& blocks) {
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t c = 0; c < blocks.size(); ++c) {
    const ConeEntries& cone = problem.cones()[c];
    for (int i = 0; i < cone.size; ++i) {
      for (int k = 0; k < cone.size; ++k)
        entries.emplace_back(cone.index[static_cast<std::size_t>(i)],
                             cone.index[static_cast<std::size_t>(k)], blocks[c](i, k));
    }
  }
  RowSparse result(problem.size(), problem.size());
  result.setFromTriplets(entries.begin(), entries.end());
  return result;
}

class SparseNewtonSystem final : public NewtonSystem {
 public:
  explicit SparseNewtonSystem(const ScaledProblem& problem)
      : problem_(problem),
        W_((problem.S().asDiagonal() * problem.problem().W * problem.S().asDiagonal())
               .eval()
               .sparseView(0.0, 0.0)),
        lu_(make_sparse_lu()) {}

  bool factor(const std::vector<ConeMatrix>& A, double epsilon) override {
    blocks_.resize(A.size());
    for (std::size_t c = 0; c < A.size(); ++c)
      blocks_[c] = diagonal_block(A[c], epsilon * problem_.D()[problem_.cones()[c].index[0]]);
    const RowSparse AW = block_diagonal(problem_, A) * W_;
    const bool first = K_.size() == 0;
    K_ = AW + block_diagonal(problem_, blocks_);
    if (first) lu_->analyse(K_);
    return lu_->factor(K_);
  }
  Vector solve(const Vector& r) override {
    Vector x = r;
    lu_->solve(x);
    Vector rest = r - K_ * x;
    lu_->solve(rest);
    return x + rest;
  }
  int determinant_sign() const override { return determinant_sign_of(*lu_); }

 private:
  const ScaledProblem& problem_;
  RowSparse W_;
  ColumnSparse K_;
  std::vector<ConeMatrix> blocks_;
  std::unique_ptr<SparseLu> lu_;
};

class FactorsNewtonSystem final : public NewtonSystem {
 public:
  explicit FactorsNewtonSystem(const ScaledProblem& problem)
      : problem_(problem),
        J_(problem.S().asDiagonal() * problem.problem().factors->J()),
        JT_(J_.transpose()) {
    const std::vector<Matrix>& masses = problem.problem().factors->masses();
    std::vector<Eigen::Triplet<double>> entries;
    Eigen::Index begin = 0;
    for (const Matrix& M : masses) {
      for (Eigen::Index i = 0; i < M.rows(); ++i) {
        for (Eigen::Index k = 0; k < M.cols(); ++k)
          entries.emplace_back(begin + i, begin + k, M(i, k));
      }
      begin += M.rows();
    }
    M_.resize(begin, begin);
    M_.setFromTriplets(entries.begin(), entries.end());
    lu_ = make_sparse_lu();
  }

  bool factor(const std::vector<ConeMatrix>& A, double epsilon) override {
    A_ = A;
    epsilon_ = epsilon;
    inverse_.resize(A.size());
    std::vector<ConeMatrix> C(A.size());
    for (std::size_t c = 0; c < A.size(); ++c) {
      const double compliance = epsilon * problem_.D()[problem_.cones()[c].index[0]];
      inverse_[c] = diagonal_block(A[c], compliance).inverse();
      C[c] = inverse_[c] * A[c];
    }
    const ColumnSparse H = M_ + ColumnSparse(JT_ * RowSparse(block_diagonal(problem_, C) * J_));
    if (!analysed_) lu_->analyse(H);
    analysed_ = true;
    return lu_->factor(H);
  }

  Vector solve(const Vector& r) override {
    Vector x = approximate(r);
    for (int k = 0; k < refinements; ++k) x += approximate(r - product(x));
    return x;
  }

  // det K = det B det(M + J^T C J)/det M, where det B and det M are positive.
  int determinant_sign() const override { return determinant_sign_of(*lu_); }

 private:
  Vector blockwise(const std::vector<ConeMatrix>& blocks, const Vector& x) const {
    Vector result(x.size());
    for (std::size_t c = 0; c < blocks.size(); ++c)
      put(blocks[c] * part_of(x, problem_.cones()[c]), problem_.cones()[c], result);
    return result;
  }
  Vector product(const Vector& x) const {
    const Vector u = problem_.product(x) + epsilon_ * problem_.D().cwiseProduct(x);
    return x - blockwise(A_, x - u);
  }
  Vector approximate(const Vector& r) const {
    Vector dv = JT_ * blockwise(inverse_, r);
    lu_->solve(dv);
    return blockwise(inverse_, r - blockwise(A_, J_ * dv));
  }

  const ScaledProblem& problem_;
  RowSparse J_, JT_;
  ColumnSparse M_;
  std::unique_ptr<SparseLu> lu_;
  bool analysed_ = false;
  std::vector<ConeMatrix> A_, inverse_;
  double epsilon_ = 0.0;
};

}  // namespace

std::unique_ptr<NewtonSystem> make_newton_system(const ScaledProblem& problem) {
  if (problem.problem().factors) return std::make_unique<FactorsNewtonSystem>(problem);
  const Matrix& W = problem.problem().W;
  const auto entries = static_cast<double>((W.array() != 0.0).count());
  if (W.rows() > dense_up_to && entries < dense_from * static_cast<double>(W.size()))
    return std::make_unique<SparseNewtonSystem>(problem);
  return std::make_unique<DenseNewtonSystem>(problem);
}

}  // namespace mbs
