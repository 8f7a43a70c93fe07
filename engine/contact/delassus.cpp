#include "engine/contact/delassus.hpp"

#include <Eigen/Cholesky>
#include <stdexcept>
#include <utility>

namespace mbs {

DelassusOperator::DelassusOperator(RowSparse J, std::vector<Matrix> masses)
    : J_(std::move(J)), masses_(std::move(masses)) {
  std::vector<Eigen::Triplet<double>> entries;
  Eigen::Index begin = 0;
  for (const Matrix& M : masses_) {
    if (M.rows() != M.cols()) throw std::invalid_argument("a mass matrix is not square");
    const Eigen::LLT<Matrix> factors(M);
    if (!M.allFinite() || M != M.transpose() || factors.info() != Eigen::Success)
      throw std::invalid_argument("a mass matrix is not symmetric and positive definite");
    const Matrix inverse = factors.solve(Matrix::Identity(M.rows(), M.cols()));
    for (Eigen::Index i = 0; i < M.rows(); ++i) {
      for (Eigen::Index k = 0; k < M.cols(); ++k)
        entries.emplace_back(begin + i, begin + k, inverse(i, k));
    }
    begin += M.rows();
  }
  if (begin != J_.cols())
    throw std::invalid_argument("mass matrices and rows of contacts differ in size");
  inverse_mass_.resize(begin, begin);
  inverse_mass_.setFromTriplets(entries.begin(), entries.end());
  J_.makeCompressed();
}

Vector DelassusOperator::diagonal() const {
  const RowSparse Y = J_ * inverse_mass_;
  Vector diagonal(size());
  for (Eigen::Index i = 0; i < size(); ++i) diagonal[i] = Y.row(i).dot(J_.row(i));
  return diagonal;
}

Matrix DelassusOperator::matrix() const {
  const RowSparse W = J_ * inverse_mass_ * RowSparse(J_.transpose());
  return W;
}

}  // namespace mbs
