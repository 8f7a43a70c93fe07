#include "engine/multibody/tree/joint_saddle.hpp"

#include "engine/multibody/fill.hpp"
#include "engine/multibody/tree/recursions.hpp"

namespace mbs {

template <class Space>
JointSaddle<Space>::JointSaddle(const Tree<Space>& tree, const SaddleStructure& structure,
                                const std::vector<int>& M_places, std::string fallback,
                                bool articulated)
    : Base(tree, structure, structure.G, structure.M.cols(), std::move(fallback), articulated),
      M_places_(M_places),
      F_(structure.F) {
  if (F_.size() == 0) F_.resize(structure.M.cols(), structure.G.rows());
  F_.makeCompressed();
}

template <class Space>
void JointSaddle<Space>::set_rows(const SaddleMatrix& matrix) {
  closure_.set(matrix.G.valuePtr(), matrix.D);
  with_F_ = matrix.F != nullptr;
  if (with_F_) F_.coeffs() = matrix.F->coeffs();
}

template <class Space>
bool JointSaddle<Space>::factor_articulated(const SaddleMatrix& matrix) {
  set_rows(matrix);
  return bodies_.factor(this->unassembled(matrix).links.data()) && close_loops();
}

template <class Space>
bool JointSaddle<Space>::close_loops() {
  const int n = static_cast<int>(closure_.active().size());
  if (n == 0) return true;
  closure_.right_sides(X_);
  for (int j = 0; with_F_ && j < n; ++j) {
    const int row = closure_.active()[static_cast<std::size_t>(j)];
    for (ColumnSparse::InnerIterator f(F_, row); f; ++f) X_(f.row(), j) -= f.value();
  }
  bodies_.solve(X_.data(), n, X_.rows());
  return closure_.factor(X_);
}

template <class Space>
bool JointSaddle<Space>::factor_by_fallback(const SaddleMatrix& matrix) {
  set_rows(matrix);
  if (M_places_.empty() && structure_.M.cols() > 0) return false;
  if (M_.size() == 0) {
    M_ = structure_.M;
    M_.makeCompressed();
    composites_.resize(tree_.nodes.size());
  }
  M_.coeffs().setZero();
  Fill fill(M_places_, M_.valuePtr());
  for_mass_entries(tree_, this->unassembled(matrix).links.data(), composites_.data(),
                   [&](int row, int column, double x) { fill.add(row, column, x); });
  ++this->statistics_.analyses;
  return this->fallback().factor({M_, closure_.G(), closure_.D(), with_F_ ? &F_ : nullptr});
}

template <class Space>
void JointSaddle<Space>::do_solve(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) {
  if (holds_ == Holds::fallback) return this->fallback().solve(x, y);
  bodies_.solve(x.data());
  close(x, y);
}

template <class Space>
void JointSaddle<Space>::solve_columns(Eigen::Ref<Matrix> X, Eigen::Ref<Matrix> Y) {
  if (holds_ == Holds::fallback) return Base::solve_columns(X, Y);
  this->statistics_.solves += X.cols();
  if (X.cols() > 0) bodies_.solve(X.data(), static_cast<int>(X.cols()), X.outerStride());
  for (Eigen::Index j = 0; j < X.cols(); ++j) close(X.col(j), Y.col(j));
}

// Turns x = M^-1 b into the solution, and finds the multipliers y of the loops.
template <class Space>
void JointSaddle<Space>::close(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) {
  if (closure_.rows() == 0) return;
  y = closure_.multipliers(x, y);
  closure_.subtract(X_, x);
}

template <class Space>
void JointSaddle<Space>::save_matrix(ByteWriter& out) const {
  out.put<std::uint8_t>(with_F_);
  if (with_F_) out.raw(F_.valuePtr(), sizeof(double) * static_cast<std::size_t>(F_.nonZeros()));
}

template <class Space>
void JointSaddle<Space>::restore_matrix(ByteReader& in) {
  std::uint8_t flag = 0;
  in.get(flag);
  with_F_ = flag != 0;
  if (with_F_) in.raw(F_.valuePtr(), sizeof(double) * static_cast<std::size_t>(F_.nonZeros()));
}

template class JointSaddle<Planar>;
template class JointSaddle<Spatial>;

}  // namespace mbs
