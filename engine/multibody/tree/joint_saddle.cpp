#include "engine/multibody/tree/joint_saddle.hpp"

#include <cmath>

#include "engine/linear/condition.hpp"
#include "engine/linear/spare_solver.hpp"
#include "engine/multibody/fill.hpp"
#include "engine/multibody/tree/recursions.hpp"
#include "engine/multibody/tree/tree_equations.hpp"

namespace mbs {

namespace {

// Sigma is equilibrated; G M^-1 G^T squares the condition of G.
constexpr double smallest_closure_ratio = 1e-11;

}  // namespace

template <class Space>
JointSaddle<Space>::JointSaddle(const Tree<Space>& tree, const SaddleStructure& structure,
                                const std::vector<int>& M_places, std::string general,
                                bool articulated)
    : tree_(tree),
      structure_(structure),
      M_places_(M_places),
      general_word_(std::move(general)),
      articulated_(articulated),
      G_(structure.G),
      F_(structure.F),
      D_(Vector::Zero(structure.G.rows())),
      bodies_(tree),
      X_(Matrix::Zero(structure.M.cols(), articulated ? structure.G.rows() : 0)),
      scale_(Vector::Zero(structure.G.rows())),
      c_(Vector::Zero(structure.G.rows())) {
  if (F_.size() == 0) F_.resize(structure.M.cols(), structure.G.rows());
  G_.makeCompressed();
  F_.makeCompressed();
  if (articulated) {
    Sigma_.resize(static_cast<int>(D_.size()));
  } else {
    general_ = make_saddle_solver(general_word_, structure_);
  }
}

template <class Space>
std::string JointSaddle<Space>::title() const {
  if (!articulated_) return general_->name();
  std::string text = "articulated bodies of " + std::to_string(tree_.nodes.size()) + " links";
  if (D_.size() > 0) text += ", rows closing loops: " + std::to_string(D_.size());
  return text;
}

template <class Space>
bool JointSaddle<Space>::do_factor(const SaddleMatrix& matrix) {
  const auto& ws = static_cast<const TreeWorkspace<Space>&>(*matrix.workspace);
  G_.coeffs() = matrix.G.coeffs();
  D_ = matrix.D;
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
  const int n = static_cast<int>(D_.size());
  if (n == 0) return true;
  Matrix& Sigma = Sigma_.matrix();
  X_.setZero();
  for (int j = 0; j < n; ++j) {
    for (RowSparse::InnerIterator g(G_, j); g; ++g) X_(g.col(), j) = g.value();
    if (with_F_) {
      for (ColumnSparse::InnerIterator f(F_, j); f; ++f) X_(f.row(), j) -= f.value();
    }
  }
  bodies_.solve(X_.data(), n, X_.rows());
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      double sum = i == j ? D_[j] : 0.0;
      for (RowSparse::InnerIterator g(G_, i); g; ++g) sum += g.value() * X_(g.col(), j);
      Sigma(i, j) = sum;
    }
  }
  for (int i = 0; i < n; ++i) {
    const double size = std::abs(Sigma(i, i));
    if (!(size > 0.0) || !std::isfinite(size)) return false;
    scale_[i] = 1.0 / std::sqrt(size);
  }
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) Sigma(i, j) *= scale_[i] * scale_[j];
  }
  return Sigma_.factor() && Sigma_.pivot_ratio() > smallest_closure_ratio;
}

template <class Space>
bool JointSaddle<Space>::factor_general(const Link<Space>* links) {
  if (M_places_.empty() && structure_.M.cols() > 0) return false;
  if (!general_) general_ = make_saddle_solver(general_word_, structure_);
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
  return general_->factor({M_, G_, D_, with_F_ ? &F_ : nullptr});
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
  const int n = static_cast<int>(D_.size());
  if (n == 0) return;
  for (int i = 0; i < n; ++i) {
    double sum = -y[i];
    for (RowSparse::InnerIterator g(G_, i); g; ++g) sum += g.value() * x[g.col()];
    c_[i] = scale_[i] * sum;
  }
  Sigma_.solve(c_);
  y = c_.cwiseProduct(scale_);
  x.noalias() -= X_ * y;
}

// By the pivots: of M by those of the recursion, of the closures squared.
template <class Space>
double JointSaddle<Space>::reciprocal_condition() const {
  if (holds_ == Holds::nothing) return 0.0;
  if (holds_ == Holds::general) return general_->reciprocal_condition();
  return bodies_.smallest_pivot() * (D_.size() > 0 ? Sigma_.pivot_ratio() : 1.0);
}

template <class Space>
void JointSaddle<Space>::do_save(ByteWriter& out) const {
  out.put(holds_);
  save_spare(out, general_);
  if (holds_ == Holds::nothing) return;
  bodies_.save(out);
  out.raw(G_.valuePtr(), sizeof(double) * static_cast<std::size_t>(G_.nonZeros()));
  out.put(D_);
  out.put<std::uint8_t>(with_F_);
  if (with_F_) out.raw(F_.valuePtr(), sizeof(double) * static_cast<std::size_t>(F_.nonZeros()));
}

template <class Space>
void JointSaddle<Space>::do_restore(ByteReader& in) {
  in.get(holds_);
  restore_spare(in, general_, holds_ == Holds::general || !articulated_,
                [&] { return make_saddle_solver(general_word_, structure_); });
  if (holds_ == Holds::nothing) return;
  bodies_.restore(in);
  in.raw(G_.valuePtr(), sizeof(double) * static_cast<std::size_t>(G_.nonZeros()));
  in.get(D_);
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
