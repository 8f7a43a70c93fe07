#include "engine/integrators/radau/least_norm.hpp"

namespace mbs::radau {

LeastNormSaddle::LeastNormSaddle(int v, int lambda)
    : v_(v),
      lambda_(lambda),
      selector_(Algebraic::qr, lambda, Vector::Ones(v)),
      M_(Matrix::Zero(v, v)),
      G_(Matrix::Zero(lambda, v)),
      X_(Matrix::Zero(v, lambda)),
      D_(Vector::Zero(lambda)) {}

double LeastNormSaddle::reciprocal_condition() const {
  return factored_ ? 1.0 : 0.0;  // not estimated
}

bool LeastNormSaddle::do_factor(const SaddleMatrix& matrix) {
  M_ = matrix.M;
  G_ = matrix.G;
  X_ = G_.transpose();
  if (matrix.F != nullptr) X_ -= *matrix.F;
  D_ = matrix.D;
  return factor_stored();
}

bool LeastNormSaddle::factor_stored() {
  factored_ = false;
  if (!selector_.decompose(G_, false)) {
    selector_.forget();  // rows came or went: nonholonomic ones do
    if (!selector_.decompose(G_, false)) return false;
  }
  const int r = selector_.rank();
  if (right_.size() != v_ + r) {
    factors_.resize(v_ + r, false);
    right_.setZero(v_ + r);
    reduced_.setZero(r);
  }
  Matrix& A = factors_.matrix();
  A.setZero();
  A.topLeftCorner(v_, v_) = M_;
  A.topRightCorner(v_, r).noalias() = X_ * selector_.B();
  A.bottomLeftCorner(r, v_).noalias() = selector_.B_inverse() * G_;
  factored_ = factors_.factor();
  return factored_;
}

void LeastNormSaddle::do_solve(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) {
  const int r = selector_.rank();
  right_.head(v_) = x;
  reduced_.noalias() = selector_.B_inverse() * y;
  right_.tail(r) = reduced_;
  factors_.solve(right_.data());
  x = right_.head(v_);
  reduced_ = right_.tail(r);
  for (int i = 0; i < lambda_; ++i) {
    if (D_[i] != 0.0) {
      y[i] = -y[i] / D_[i];
    } else {
      y[i] = selector_.B().row(i).dot(reduced_);
    }
  }
}

void LeastNormSaddle::do_save(ByteWriter& out) const {
  out.put<std::uint8_t>(factored_ ? 1 : 0);
  if (!factored_) return;
  for (const Matrix* A : {&M_, &G_, &X_}) {
    out.raw(A->data(), sizeof(double) * static_cast<std::size_t>(A->size()));
  }
  out.put(D_);
}

void LeastNormSaddle::do_restore(ByteReader& in) {
  std::uint8_t had = 0;
  in.get(had);
  factored_ = false;
  if (had == 0) return;
  for (Matrix* A : {&M_, &G_, &X_}) {
    in.raw(A->data(), sizeof(double) * static_cast<std::size_t>(A->size()));
  }
  in.get(D_);
  selector_.forget();
  if (!factor_stored()) throw std::runtime_error("the stored factorisation cannot be repeated");
}

int redundant_rows(const RowSparse& G, const Vector& D, const Vector& column_scale) {
  Selector selector(Algebraic::qr, static_cast<int>(G.rows()), column_scale);
  if (!selector.decompose(Matrix(G), true)) return 0;
  return static_cast<int>((D.array() == 0.0).count()) - selector.rank();
}

}  // namespace mbs::radau
