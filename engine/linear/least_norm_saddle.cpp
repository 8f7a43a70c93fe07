// B from chosen columns of G by Gram and Schmidt, twice; the columns by pivoting on the longest
// remainder of G, rows and columns scaled to size 1.

#include "engine/linear/least_norm_saddle.hpp"

#include <algorithm>
#include <cmath>

#include "engine/linear/condition.hpp"
#include "engine/linear/equilibrate.hpp"
#include "engine/linear/sparse_lu.hpp"

namespace mbs {

namespace {

constexpr double rank_tolerance = 1e-9;
constexpr double no_row = 1e-12;  // by the largest
constexpr double shortest = 0.1;  // of the length a column had when it was chosen

double or_one(double size) {
  return size > 0.0 && std::isfinite(size) ? size : 1.0;
}

// Takes the first k columns of B out of x, twice; the length that remains.
template <class Column>
double orthogonalise(const Matrix& B, int k, Column&& x) {
  for (int pass = 0; pass < 2; ++pass) {
    for (int j = 0; j < k; ++j) x -= B.col(j).dot(x) * B.col(j);
  }
  return x.norm();
}

}  // namespace

std::string LeastNormSaddle::title() const {
  std::string text = "least_norm";
  if (rank_ >= 0) text += ", redundant rows: " + std::to_string(active_ - rank_);
  return text;
}

void LeastNormSaddle::do_analyse(const SaddleStructure& structure) {
  v_ = static_cast<int>(structure.M.cols());
  lambda_ = static_cast<int>(structure.G.rows());
  M_.setZero(v_, v_);
  G_.setZero(lambda_, v_);
  X_.setZero(v_, lambda_);
  W_ = G_;
  for (Vector* x : {&D_, &D_chosen_, &lengths_}) x->setZero(lambda_);
  column_.setZero(v_);
  columns_.assign(static_cast<std::size_t>(v_), 0);
  rank_ = -1;
  factored_ = false;
}

bool LeastNormSaddle::do_factor(const SaddleMatrix& matrix) {
  if (matrix.M.cols() != v_ || matrix.D.size() != lambda_) {
    throw std::logic_error("a saddle matrix differs from the structure given to its solver");
  }
  M_ = matrix.M;
  G_ = matrix.G;
  X_ = G_.transpose();
  if (matrix.F != nullptr) X_ -= *matrix.F;
  D_ = matrix.D;
  return factor_stored();
}

void LeastNormSaddle::set_rank(int rank) {
  if (rank == rank_) return;
  rank_ = rank;
  const int n = v_ + rank;
  B_.setZero(lambda_, rank);
  reduced_ = Matrix::Ones(n, n).sparseView();
  lu_.resize(n);
  for (Vector* x : {&R_, &C_, &right_, &x_, &z_}) x->setZero(n);
}

// The rank stays what it is once found, until other rows act.
void LeastNormSaddle::choose_columns() {
  const bool same_rows = rank_ >= 0 && D_ == D_chosen_;
  active_ = static_cast<int>((D_.array() == 0.0).count());
  D_chosen_ = D_;
  for (int j = 0; j < v_; ++j) {
    columns_[static_cast<std::size_t>(j)] = j;
    column_[j] = lambda_ > 0 ? 1.0 / or_one(G_.col(j).cwiseAbs().maxCoeff()) : 1.0;
  }
  W_.noalias() = G_ * column_.asDiagonal();
  const double largest = lambda_ > 0 ? W_.rowwise().norm().maxCoeff() : 0.0;
  for (int i = 0; i < lambda_; ++i) {
    const double length = W_.row(i).norm();  // rounding alone is no row
    W_.row(i) *= length > no_row * largest ? 1.0 / length : 0.0;
  }
  const int most = std::min(same_rows ? rank_ : active_, v_);
  int rank = 0;
  double first = 0.0;
  for (; rank < most; ++rank) {
    int best = -1;
    double longest = 0.0;
    for (int j = rank; j < v_; ++j) {
      const double length = W_.col(columns_[static_cast<std::size_t>(j)]).norm();
      if (length > longest) longest = length, best = j;
    }
    if (best < 0 || (!same_rows && longest <= rank_tolerance * first)) break;
    if (rank == 0) first = longest;
    std::swap(columns_[static_cast<std::size_t>(rank)], columns_[static_cast<std::size_t>(best)]);
    auto pivot = W_.col(columns_[static_cast<std::size_t>(rank)]);
    pivot /= longest;
    for (int pass = 0; pass < 2; ++pass) {
      for (int j = rank + 1; j < v_; ++j) {
        auto other = W_.col(columns_[static_cast<std::size_t>(j)]);
        other -= pivot.dot(other) * pivot;
      }
    }
  }
  set_rank(rank);
  lengths_.setZero();
}

// False when a column has become too short.
bool LeastNormSaddle::span() {
  if (rank_ == active_) {
    B_.setZero();
    for (int i = 0, k = 0; i < lambda_; ++i) {
      if (D_[i] == 0.0) B_(i, k++) = 1.0;
    }
    return true;
  }
  for (int k = 0; k < rank_; ++k) {
    const int j = columns_[static_cast<std::size_t>(k)];
    B_.col(k) = column_[j] * G_.col(j);
    const double length = orthogonalise(B_, k, B_.col(k));
    if (!(length > shortest * lengths_[k])) return false;
    if (lengths_[k] == 0.0) lengths_[k] = length;
    B_.col(k) /= length;
  }
  return true;
}

bool LeastNormSaddle::factor_stored() {
  factored_ = false;
  if (!G_.allFinite()) return false;
  const bool known = rank_ >= 0 && D_ == D_chosen_ && span();
  if (!known) {
    choose_columns();
    if (!span()) return false;
  }
  const int n = v_ + rank_;
  Eigen::Map<Matrix> A(reduced_.valuePtr(), n, n);
  A.topLeftCorner(v_, v_) = M_;
  A.topRightCorner(v_, rank_).noalias() = X_ * B_;
  A.bottomLeftCorner(rank_, v_).noalias() = B_.transpose() * G_;
  A.bottomRightCorner(rank_, rank_).setZero();
  if (n == 0) return factored_ = true;
  if (!equilibrate(reduced_, R_, C_, x_)) return false;
  ++statistics_.analyses;
  lu_.matrix().noalias() = R_.asDiagonal() * A * C_.asDiagonal();
  norm_ = lu_.matrix().cwiseAbs().colwise().sum().maxCoeff();
  factored_ = lu_.factor() && lu_.pivot_ratio() > singular_pivot_ratio(n);
  return factored_;
}

void LeastNormSaddle::do_solve(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) {
  right_.head(v_) = x;
  for (int k = 0; k < rank_; ++k) right_[v_ + k] = B_.col(k).dot(y);
  right_.array() *= R_.array();
  if (right_.size() > 0) lu_.solve(right_);
  right_.array() *= C_.array();
  x = right_.head(v_);
  for (int i = 0; i < lambda_; ++i) {
    if (D_[i] != 0.0) {
      y[i] = -y[i] / D_[i];
    } else {
      y[i] = B_.row(i).dot(right_.tail(rank_));
    }
  }
}

double LeastNormSaddle::reciprocal_condition() const {
  if (!factored_) return 0.0;
  if (x_.size() == 0) return 1.0;
  return 1.0 / (norm_ * inverse_norm1(
                            x_, z_, [this](Vector& x) { lu_.solve(x); },
                            [this](Vector& x) { lu_.solve_transposed(x); }));
}

void LeastNormSaddle::do_save(ByteWriter& out) const {
  out.put<std::int32_t>(rank_);
  out.put<std::int32_t>(active_);
  out.put<std::uint8_t>(factored_);
  for (const Vector* x : {&D_, &D_chosen_, &lengths_, &column_}) out.put(*x);
  out.put(columns_);
  if (!factored_) return;
  for (const Matrix* A : {&M_, &G_, &X_}) {
    out.raw(A->data(), sizeof(double) * static_cast<std::size_t>(A->size()));
  }
}

void LeastNormSaddle::do_restore(ByteReader& in) {
  std::int32_t rank = 0, active = 0;
  std::uint8_t factored = 0;
  in.get(rank);
  in.get(active);
  in.get(factored);
  for (Vector* x : {&D_, &D_chosen_, &lengths_, &column_}) in.get(*x);
  in.get(columns_);
  if (rank < -1 || rank > std::min(lambda_, v_)) {
    throw std::runtime_error("the stored state belongs to another model");
  }
  factored_ = false;
  active_ = active;
  if (rank >= 0) set_rank(rank);
  if (rank < 0) rank_ = -1;
  if (factored == 0) return;
  for (Matrix* A : {&M_, &G_, &X_}) {
    in.raw(A->data(), sizeof(double) * static_cast<std::size_t>(A->size()));
  }
  if (!factor_stored()) throw std::runtime_error("the stored factorisation cannot be repeated");
}

}  // namespace mbs
