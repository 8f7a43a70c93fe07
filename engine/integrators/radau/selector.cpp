#include "engine/integrators/radau/selector.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "engine/linear/dependencies.hpp"

namespace mbs::radau {
namespace {

// Pivots and singular values below this share of the largest count as zero.
constexpr double rank_tolerance = 1e-9;

}  // namespace

Selector::Selector(Algebraic kind, int m, const Vector& column_scale, bool tangent)
    : kind_(kind),
      tangent_(tangent),
      m_(m),
      n_(static_cast<int>(column_scale.size())),
      scale_(column_scale),
      A_(Matrix::Zero(m_, n_)),
      A_transposed_(Matrix::Zero(n_, m_)),
      row_scale_(Vector::Ones(m_)),
      rows_(static_cast<std::size_t>(m_)),
      columns_(static_cast<std::size_t>(n_)),
      pivots_(static_cast<std::size_t>(n_), 0),
      tau_(Vector::Zero(m_)) {
  if (kind_ == Algebraic::svd) {
    svd_ = Eigen::JacobiSVD<Matrix>(n_, m_, Eigen::ComputeFullU | Eigen::ComputeThinV);
  }
}

void Selector::forget() {
  rank_ = -1;
  has_S_ = false;
}

void Selector::resize(int rank) {
  rank_ = rank;
  S_.setZero(n_ - rank, n_);
  K_.setZero(n_, n_ - rank);
  R_.setZero(n_, rank);
  B_.setIdentity(m_, rank);
  B_inverse_.setIdentity(rank, m_);
  work_.setZero(n_, n_);
  small_.setZero(n_ - rank, n_ - rank);
  small2_ = small_;
  SR_.setZero(n_ - rank, rank);
  factors_.resize(n_ - rank, false);
}

double Selector::tolerance(int pivots) const {
  return rank_ >= 0 && pivots >= rank_ ? off_constraints_tolerance : rank_tolerance;
}

bool Selector::accept_rank(int rank) {
  found_ = rank;
  if (rank_ < 0) resize(rank);
  return rank == rank_;
}

bool Selector::decompose(const Eigen::Ref<const Matrix>& C, bool renew) {
  renewed_ = false;
  dependent_row_ = -1;
  if (m_ == 0 || n_ == 0) {  // S = K = I
    identity_ = m_ == 0;
    if (!accept_rank(0)) return false;
    renewed_ = !has_S_ || renew;
    has_S_ = true;
    S_.setIdentity();
    K_.setIdentity();
    return true;
  }
  for (int i = 0; i < m_; ++i) {
    double size = 0.0;
    for (int j = 0; j < n_; ++j) size = std::max(size, std::abs(C(i, j)) * scale_[j]);
    row_scale_[i] = size > 0.0 ? 1.0 / size : 1.0;
  }
  fill(C);
  if (!A_.allFinite()) {
    found_ = -1;
    return false;
  }
  if (kind_ == Algebraic::svd ? !svd(C, renew || tangent_)
                              : !(kind_ == Algebraic::qr ? qr(C) : lu())) {
    fill(C);
    eliminate();  // finds the dependent row
    return false;
  }
  if (kind_ == Algebraic::svd) return true;
  select(columns_, renew);
  if (tangent_) make_tangent();
  return true;
}

void Selector::fill(const Eigen::Ref<const Matrix>& C) {
  for (int j = 0; j < n_; ++j) A_.col(j) = C.col(j).cwiseProduct(row_scale_) * scale_[j];
}

// P C Q = L U in A_; returns the rank.
int Selector::eliminate() {
  std::iota(rows_.begin(), rows_.end(), 0);
  std::iota(columns_.begin(), columns_.end(), 0);
  const int most = std::min(m_, n_);
  int rank = 0;
  double first = 0.0;
  for (; rank < most; ++rank) {
    int row = rank, column = rank;
    double largest = 0.0;
    for (int j = rank; j < n_; ++j) {
      for (int i = rank; i < m_; ++i) {
        const double size = std::abs(A_(i, j));
        if (size > largest) {
          largest = size;
          row = i;
          column = j;
        }
      }
    }
    if (rank == 0) first = largest;
    if (!(largest > tolerance(rank) * first)) break;
    if (row != rank) {
      A_.row(row).swap(A_.row(rank));
      std::swap(rows_[static_cast<std::size_t>(row)], rows_[static_cast<std::size_t>(rank)]);
    }
    if (column != rank) {
      A_.col(column).swap(A_.col(rank));
      std::swap(columns_[static_cast<std::size_t>(column)],
                columns_[static_cast<std::size_t>(rank)]);
    }
    const double inverse = 1.0 / A_(rank, rank);
    for (int i = rank + 1; i < m_; ++i) A_(i, rank) *= inverse;
    for (int j = rank + 1; j < n_; ++j) {
      const double factor = A_(rank, j);
      for (int i = rank + 1; i < m_; ++i) A_(i, j) -= A_(i, rank) * factor;
    }
  }
  if (rank < m_) dependent_row_ = rows_[static_cast<std::size_t>(rank)];
  return rank;
}

void Selector::solve_upper(double* x) const {
  for (int k = rank_ - 1; k >= 0; --k) {
    x[k] /= tau_[k];
    for (int i = 0; i < k; ++i) x[i] -= A_(i, k) * x[k];
  }
}

// K = Pi (-U1^-1 U2; I) from the triangle (U1 U2) in A_.
void Selector::make_kernel() {
  const int r = rank_;
  double* x = work_.data();
  for (int j = 0; j < n_ - r; ++j) {
    for (int i = 0; i < r; ++i) x[i] = -A_(i, r + j);
    solve_upper(x);
    for (int i = 0; i < r; ++i) K_(place(i), j) = scale_[place(i)] * x[i] / scale_[place(r + j)];
    for (int i = r; i < n_; ++i) K_(place(i), j) = i == r + j ? 1.0 : 0.0;
  }
}

// The row that lies farthest outside of range B, where rows depend on each other.
void Selector::find_dependent_row() {
  double most_dependent = -1.0;
  for (int i = 0; rank_ < m_ && i < m_; ++i) {
    const double outside = 1.0 - B_.row(i).squaredNorm();
    if (outside > most_dependent) {
      most_dependent = outside;
      dependent_row_ = i;
    }
  }
}

// K = Q (-U1^-1 U2; I), R = Q (U1^-1 L^-1; 0) on the rows P picks.
bool Selector::lu() {
  if (!accept_rank(eliminate())) return false;
  const int r = rank_;
  for (int k = 0; k < r; ++k) tau_[k] = A_(k, k);
  identity_ = r == m_;
  if (!identity_) {
    B_.setZero();
    B_inverse_.setZero();
  }
  double* x = work_.data();
  make_kernel();
  R_.setZero();
  for (int k = 0; k < r; ++k) {
    for (int i = 0; i < r; ++i) x[i] = i == k ? 1.0 : 0.0;
    for (int l = k; l < r; ++l) {
      for (int i = l + 1; i < r; ++i) x[i] -= A_(i, l) * x[l];
    }
    solve_upper(x);
    const int row = rows_[static_cast<std::size_t>(k)];
    const int column = identity_ ? row : k;
    for (int i = 0; i < r; ++i) R_(place(i), column) = scale_[place(i)] * x[i] * row_scale_[row];
    if (!identity_) {
      B_(row, k) = 1.0;
      B_inverse_(k, row) = 1.0;
    }
  }
  return true;
}

// C^T is not needed: C Pi = Q (R1 R2), K = Pi (-R1^-1 R2; I), R = Pi (R1^-1; 0) on C^ = Q1^T C.
// The rows must not be scaled here, or Q1 would not span range C.
bool Selector::qr(const Eigen::Ref<const Matrix>& C) {
  for (int j = 0; j < n_; ++j) A_.col(j) = C.col(j) * scale_[j];
  std::iota(columns_.begin(), columns_.end(), 0);
  const int most = std::min(m_, n_);
  int rank = 0;
  double first = 0.0;
  for (; rank < most; ++rank) {
    const int left = m_ - rank;
    int best = rank;
    double largest = -1.0;
    for (int j = rank; j < n_; ++j) {
      const double size = A_.col(j).tail(left).squaredNorm();
      if (size > largest) {
        largest = size;
        best = j;
      }
    }
    largest = std::sqrt(largest);
    if (rank == 0) first = largest;
    if (!(largest > tolerance(rank) * first)) break;
    if (best != rank) {
      A_.col(best).swap(A_.col(rank));
      std::swap(columns_[static_cast<std::size_t>(best)], columns_[static_cast<std::size_t>(rank)]);
    }
    auto v = A_.col(rank).tail(left);
    const double diagonal = v[0] > 0.0 ? -largest : largest;
    v[0] -= diagonal;
    const double half = 0.5 * v.squaredNorm();
    for (int j = rank + 1; j < n_; ++j) {
      auto x = A_.col(j).tail(left);
      const double t = v.dot(x) / half;
      x -= t * v;
    }
    tau_[rank] = diagonal;
  }
  if (!accept_rank(rank)) return false;
  const int r = rank_;
  identity_ = false;
  B_.setIdentity();
  for (int j = 0; j < r; ++j) {
    for (int k = r - 1; k >= 0; --k) {
      const auto v = A_.col(k).tail(m_ - k);
      auto x = B_.col(j).tail(m_ - k);
      const double t = v.dot(x) / (0.5 * v.squaredNorm());
      x -= t * v;
    }
  }
  B_inverse_ = B_.transpose();
  find_dependent_row();
  double* x = work_.data();
  make_kernel();
  R_.setZero();
  for (int k = 0; k < r; ++k) {
    for (int i = 0; i < r; ++i) x[i] = i == k ? 1.0 : 0.0;
    solve_upper(x);
    for (int i = 0; i < r; ++i) R_(place(i), k) = scale_[place(i)] * x[i];
  }
  return true;
}

// S picks the columns without pivot, in the order of K's columns.
void Selector::select(const std::vector<int>& columns, bool renew) {
  bool same = has_S_ && !renew;
  for (int i = 0; i < n_ && same; ++i) {
    same = (pivots_[static_cast<std::size_t>(columns[static_cast<std::size_t>(i)])] != 0) ==
           (i < rank_);
  }
  renewed_ = !same;
  has_S_ = true;
  S_.setZero();
  for (int i = 0; i < n_; ++i) {
    const int column = columns[static_cast<std::size_t>(i)];
    pivots_[static_cast<std::size_t>(column)] = i < rank_ ? 1 : 0;
    if (i >= rank_) S_(i - rank_, column) = 1.0;
  }
}

// With K~ = K / scale: S = (K~^T K~)^-1 K~^T / scale, R without its share in K.
void Selector::make_tangent() {
  renewed_ = true;
  const int u = n_ - rank_;
  if (u == 0) return;
  auto scaled = work_.leftCols(u);
  scaled.noalias() = scale_.cwiseInverse().asDiagonal() * K_;
  factors_.matrix().noalias() = scaled.transpose() * scaled;
  factors_.factor();  // K has a row of I for each of its columns
  S_ = scaled.transpose();
  for (int j = 0; j < n_; ++j) {
    S_.col(j) /= scale_[j];
    factors_.solve(S_.col(j).data());
  }
  SR_.noalias() = S_ * R_;
  R_.noalias() -= K_ * SR_;
}

// (C scale)^T = V Sigma U^T.
bool Selector::svd(const Eigen::Ref<const Matrix>& C, bool renew) {
  for (int j = 0; j < n_; ++j) A_.col(j) = C.col(j) * scale_[j];
  A_transposed_ = A_.transpose();
  svd_.compute(A_transposed_);
  const auto& sigma = svd_.singularValues();
  int rank = 0;
  while (rank < sigma.size() && sigma[rank] > tolerance(rank) * sigma[0]) ++rank;
  if (!accept_rank(rank)) return false;
  const int r = rank_;
  identity_ = false;
  B_ = svd_.matrixV().leftCols(r);
  B_inverse_ = B_.transpose();
  find_dependent_row();
  const auto V2 = svd_.matrixU().rightCols(n_ - r);
  const auto make_S = [&] {
    S_ = V2.transpose();
    for (int j = 0; j < n_; ++j) S_.col(j) /= scale_[j];
    renewed_ = has_S_ = true;
  };
  if (!has_S_ || renew) make_S();
  K_ = V2;
  for (int i = 0; i < n_; ++i) K_.row(i) *= scale_[i];
  for (int k = 0; k < r; ++k) {
    R_.col(k) = svd_.matrixU().col(k).cwiseProduct(scale_) / sigma[k];
  }
  if (renewed_) return true;
  // K = V2 (S V2)^-1, R = R0 - K S R0
  small_.noalias() = S_ * K_;
  factors_.matrix() = small_;
  small2_.setIdentity();
  if (factors_.factor()) {
    for (int j = 0; j < n_ - r; ++j) factors_.solve(small2_.col(j).data());
  } else {
    small2_.setConstant(std::numeric_limits<double>::infinity());
  }
  if (!small2_.allFinite() || small2_.norm() > 2.0 * std::sqrt(static_cast<double>(n_ - r))) {
    make_S();
    return true;
  }
  work_.leftCols(n_ - r).noalias() = K_ * small2_;
  K_ = work_.leftCols(n_ - r);
  SR_.noalias() = S_ * R_;
  R_.noalias() -= K_ * SR_;
  return true;
}

void Selector::save(ByteWriter& out) const {
  out.put(rank_);
  // An S just made of singular vectors can be computed again, with the same bits in K and R.
  const bool keep = has_S_ && !(kind_ == Algebraic::svd && renewed_);
  out.put<std::uint8_t>(keep ? 1 : 0);
  if (!keep) return;
  out.put(pivots_);
  if (kind_ == Algebraic::svd) {
    out.raw(S_.data(), sizeof(double) * static_cast<std::size_t>(S_.size()));
  }
}

void Selector::restore(ByteReader& in) {
  int rank = -1;
  std::uint8_t has = 0;
  in.get(rank);
  in.get(has);
  if (rank < -1 || rank > std::min(m_, n_)) {
    throw std::runtime_error("the stored state belongs to another model");
  }
  forget();
  if (rank >= 0) resize(rank);
  if (has == 0) return;
  has_S_ = true;
  in.get(pivots_);
  if (kind_ == Algebraic::svd) {
    in.raw(S_.data(), sizeof(double) * static_cast<std::size_t>(S_.size()));
  }
}

}  // namespace mbs::radau
