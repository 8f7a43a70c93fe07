#include "engine/multibody/tree/joint_saddle.hpp"

#include "engine/linear/spare_solver.hpp"
#include "engine/multibody/fill.hpp"
#include "engine/multibody/tree/recursions.hpp"
#include "engine/multibody/tree/tree_equations.hpp"

namespace mbs {

template <class Space>
JointSaddle<Space>::JointSaddle(const Tree<Space>& tree, const SaddleStructure& structure,
                                const std::vector<int>& M_places, std::string general,
                                bool articulated)
    : tree_(tree),
      structure_(structure),
      M_places_(M_places),
      general_keyword_(std::move(general)),
      articulated_(articulated),
      F_(structure.F),
      bodies_(tree),
      X_(Matrix::Zero(structure.M.cols(), articulated ? structure.G.rows() : 0)),
      closure_(structure.G) {
  if (F_.size() == 0) F_.resize(structure.M.cols(), structure.G.rows());
  F_.makeCompressed();
  if (!articulated) general_ = make_saddle_solver(general_keyword_, structure_);
}

template <class Space>
std::string JointSaddle<Space>::title() const {
  if (!articulated_) return general_->name();
  std::string text = "articulated bodies of " + std::to_string(tree_.nodes.size()) + " links";
  if (closure_.rows() > 0) text += ", rows closing loops: " + std::to_string(closure_.rows());
  return text;
}

template <class Space>
bool JointSaddle<Space>::do_factor(const SaddleMatrix& matrix) {
  const auto& ws = static_cast<const TreeWorkspace<Space>&>(*matrix.workspace);
  closure_.set(matrix.G.valuePtr(), matrix.D);
  with_F_ = matrix.F != nullptr;
  if (with_F_) F_.coeffs() = matrix.F->coeffs();
  if (articulated_ && bodies_.factor(ws.links.data()) && close_loops()) {
    holds_ = Holds::articulated;
    return true;
  }
  if (articulated_) ++statistics_.fall_backs;
  const bool regular = factor_general(ws.links.data());
  holds_ = regular ? Holds::general : Holds::nothing;
  return regular;
}

template <class Space>
bool JointSaddle<Space>::close_loops() {
  const int n = static_cast<int>(closure_.acting().size());
  if (n == 0) return true;
  closure_.right_sides(X_);
  for (int j = 0; with_F_ && j < n; ++j) {
    const int row = closure_.acting()[static_cast<std::size_t>(j)];
    for (ColumnSparse::InnerIterator f(F_, row); f; ++f) X_(f.row(), j) -= f.value();
  }
  bodies_.solve(X_.data(), n, X_.rows());
  return closure_.factor(X_);
}

template <class Space>
bool JointSaddle<Space>::factor_general(const Link<Space>* links) {
  if (M_places_.empty() && structure_.M.cols() > 0) return false;
  if (!general_) general_ = make_saddle_solver(general_keyword_, structure_);
  if (M_.size() == 0) {
    M_ = structure_.M;
    M_.makeCompressed();
    composites_.resize(tree_.nodes.size());
  }
  M_.coeffs().setZero();
  Fill fill(M_places_, M_.valuePtr());
  for_mass_entries(tree_, links, composites_.data(),
                   [&](int row, int column, double x) { fill.add(row, column, x); });
  ++statistics_.analyses;
  return general_->factor({M_, closure_.G(), closure_.D(), with_F_ ? &F_ : nullptr});
}

template <class Space>
void JointSaddle<Space>::do_solve(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) {
  if (holds_ == Holds::general) return general_->solve(x, y);
  bodies_.solve(x.data());
  close(x, y);
}

template <class Space>
void JointSaddle<Space>::solve_columns(Eigen::Ref<Matrix> X, Eigen::Ref<Matrix> Y) {
  statistics_.solves += X.cols();
  if (holds_ == Holds::articulated && X.cols() > 0) {
    bodies_.solve(X.data(), static_cast<int>(X.cols()), X.outerStride());
  }
  for (Eigen::Index j = 0; j < X.cols(); ++j) {
    if (holds_ == Holds::general) {
      general_->solve(X.col(j), Y.col(j));
    } else {
      close(X.col(j), Y.col(j));
    }
  }
}

// From M^-1 b to x, and y.
template <class Space>
void JointSaddle<Space>::close(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) {
  if (closure_.rows() == 0) return;
  y = closure_.multipliers(x, y);
  closure_.subtract(X_, x);
}

// By the pivots: of M by those of the recursion, of the closures squared.
template <class Space>
double JointSaddle<Space>::reciprocal_condition() const {
  if (holds_ == Holds::nothing) return 0.0;
  if (holds_ == Holds::general) return general_->reciprocal_condition();
  return bodies_.smallest_pivot() * closure_.pivot_ratio();
}

template <class Space>
void JointSaddle<Space>::do_save(ByteWriter& out) const {
  out.put(holds_);
  save_spare(out, general_);
  if (holds_ == Holds::nothing) return;
  bodies_.save(out);
  closure_.save(out);
  out.put<std::uint8_t>(with_F_);
  if (with_F_) out.raw(F_.valuePtr(), sizeof(double) * static_cast<std::size_t>(F_.nonZeros()));
}

template <class Space>
void JointSaddle<Space>::do_restore(ByteReader& in) {
  in.get(holds_);
  restore_spare(in, general_, holds_ == Holds::general || !articulated_,
                [&] { return make_saddle_solver(general_keyword_, structure_); });
  if (holds_ == Holds::nothing) return;
  bodies_.restore(in);
  closure_.restore(in);
  std::uint8_t flag = 0;
  in.get(flag);
  with_F_ = flag != 0;
  if (with_F_) in.raw(F_.valuePtr(), sizeof(double) * static_cast<std::size_t>(F_.nonZeros()));
  if (holds_ == Holds::articulated && !close_loops()) {
    throw std::runtime_error("the stored factorisation cannot be repeated");
  }
}

template class JointSaddle<Planar>;
template class JointSaddle<Spatial>;

}  // namespace mbs
