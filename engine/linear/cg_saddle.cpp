#include "engine/linear/cg_saddle.hpp"

#include <cmath>
#include <limits>

namespace mbs {

namespace {

constexpr double exactly = 4.0 * std::numeric_limits<double>::epsilon();
constexpr int many_iterations = 12;  // a solution: a new preconditioner next time
constexpr int all_iterations = 60;   // a new one now
// An ill-conditioned K leaves a residual in the joint form: the number of corrections and the
// relative accuracy of each.
constexpr int most_corrections = 2;
constexpr double nearly = 1e-5;
// How far a neighbour's equilibrated entries may be off; the largest are about 1.
constexpr double neighbourhood = 0.2;

}  // namespace

void CgSaddle::analyse_structured(const SaddleStructure& structure) {
  const Eigen::Index n_v = structure.M.cols(), n_lambda = structure.G.rows();
  by_joints_ = joints_.analyse(structure);
  if (!by_joints_) L_.analyse(structure.M, structure.mass_blocks);
  G_ = structure.G;
  G_.makeCompressed();
  M0_.setZero(structure.M.nonZeros());
  G0_.setZero(G_.nonZeros());
  R0_.setZero(n_v + n_lambda);
  w_.setZero(n_v);
  for (Vector* x : {&D_, &D0_}) x->setZero(n_lambda);
  for (Vector* x : {&b_, &y_, &r_, &z_, &p_, &Ap_})
    x->setZero(by_joints_ ? joints_.size() : n_lambda);
  has_neighbour_ = refresh_ = false;
}

bool CgSaddle::needs_fallback(const SaddleMatrix& matrix) const {
  if (matrix.F != nullptr || !has_neighbour_ || refresh_ || matrix.D != D0_) return true;
  const double* before = M0_.data();
  for (int j = 0; j < matrix.M.outerSize(); ++j) {
    for (ColumnSparse::InnerIterator m(matrix.M, j); m; ++m, ++before) {
      const double scale = R0_[m.row()] * R0_[j];
      if (!(std::abs(m.value() - *before) * scale <= neighbourhood)) return true;
    }
  }
  before = G0_.data();
  const Eigen::Index n_v = matrix.M.cols();
  for (int i = 0; i < matrix.G.outerSize(); ++i) {
    for (RowSparse::InnerIterator g(matrix.G, i); g; ++g, ++before) {
      const double scale = R0_[n_v + i] * R0_[g.col()];
      if (!(std::abs(g.value() - *before) * scale <= neighbourhood)) return true;
    }
  }
  return false;
}

bool CgSaddle::factor_structured(const SaddleMatrix& matrix) {
  if (by_joints_) return joints_.factor(matrix, R0_);
  G_.coeffs() = matrix.G.coeffs();
  D_ = matrix.D;
  return L_.factor(matrix.M);
}

void CgSaddle::factored_by_fallback(const SaddleMatrix& matrix, bool regular) {
  refresh_ = false;
  has_neighbour_ = regular && matrix.F == nullptr && D0_.size() > 0 && scale_symmetrically() &&
                   (by_joints_ ? joints_.factor(matrix, scale())
                               : matrix.D.minCoeff() >= 0.0 && L_.factor(matrix.M));
  if (!has_neighbour_) return;
  M0_ = Eigen::Map<const Vector>(matrix.M.valuePtr(), M0_.size());
  G0_ = Eigen::Map<const Vector>(matrix.G.valuePtr(), G0_.size());
  D0_ = matrix.D;
  R0_ = scale();
}

// Ap = (G M^-1 G^T + D) p
void CgSaddle::apply(const Vector& p, Vector& Ap) {
  if (by_joints_) return joints_.apply(p, Ap);
  w_.setZero();
  for (int i = 0; i < G_.outerSize(); ++i) {
    for (RowSparse::InnerIterator g(G_, i); g; ++g) w_[g.col()] += g.value() * p[i];
  }
  L_.solve_L(w_.data());
  L_.solve_L_transposed(w_.data());
  for (int i = 0; i < G_.outerSize(); ++i) {
    double sum = D_[i] * p[i];
    for (RowSparse::InnerIterator g(G_, i); g; ++g) sum += g.value() * w_[g.col()];
    Ap[i] = sum;
  }
}

void CgSaddle::precondition(const Vector& r, Vector& z) {
  if (by_joints_) return joints_.precondition(fallback(), r, z);
  w_.setZero();
  z = -r;
  fallback().solve(w_, z);
}

// b_ is the right-hand side. False when the iterations come to nothing.
bool CgSaddle::iterate(Vector& y, double tolerance) {
  y.setZero();
  r_ = b_;
  precondition(r_, z_);
  p_ = z_;
  double rho = r_.dot(z_);
  const double enough = tolerance * tolerance * rho;
  int iterations = 0;
  while (rho > enough) {
    if (++iterations > all_iterations) return false;
    apply(p_, Ap_);
    const double curvature = p_.dot(Ap_);
    if (!(curvature > 0.0)) return false;
    const double step = rho / curvature;
    y += step * p_;
    r_ -= step * Ap_;
    precondition(r_, z_);
    const double next = r_.dot(z_);
    p_ = z_ + (next / rho) * p_;
    rho = next;
    ++statistics_.iterations;
  }
  return std::isfinite(rho) && rho >= -enough;
}

bool CgSaddle::solve_by_reactions(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) {
  w_ = x;
  L_.solve_L(w_.data());
  L_.solve_L_transposed(w_.data());
  for (int i = 0; i < G_.outerSize(); ++i) {
    double sum = -y[i];
    for (RowSparse::InnerIterator g(G_, i); g; ++g) sum += g.value() * w_[g.col()];
    b_[i] = sum;
  }
  if (!iterate(y_, exactly)) return false;
  y = y_;
  for (int i = 0; i < G_.outerSize(); ++i) {
    for (RowSparse::InnerIterator g(G_, i); g; ++g) x[g.col()] -= g.value() * y[i];
  }
  L_.solve_L(x.data());
  L_.solve_L_transposed(x.data());
  return true;
}

bool CgSaddle::solve_by_joints(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) {
  joints_.begin(x, y);
  for (int correction = 0; correction <= most_corrections; ++correction) {
    joints_.right_side(b_);
    if (!iterate(y_, correction == 0 ? exactly : nearly)) return false;
    if (!joints_.add(y_)) continue;
    joints_.end(x, y);
    return true;
  }
  return false;
}

void CgSaddle::solve_structured(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) {
  const long before = statistics_.iterations;
  const bool solved = by_joints_ ? solve_by_joints(x, y) : solve_by_reactions(x, y);
  refresh_ = refresh_ || statistics_.iterations - before > many_iterations;
  if (solved) return;
  if (factor_by_fallback()) {
    fallback().solve(x, y);
  } else {
    x.setConstant(std::nan(""));
    y.setConstant(std::nan(""));
  }
}

void CgSaddle::save_history(ByteWriter& out) const {
  for (const bool flag : {has_neighbour_, refresh_}) out.put<std::uint8_t>(flag);
  if (!has_neighbour_) return;
  for (const Vector* x : {&M0_, &G0_, &D0_, &R0_}) out.put(*x);
}

void CgSaddle::restore_history(ByteReader& in) {
  std::uint8_t has_neighbour = 0, refresh = 0;
  has_neighbour_ = false;
  in.get(has_neighbour);
  in.get(refresh);
  if (has_neighbour != 0) {
    for (Vector* x : {&M0_, &G0_, &D0_, &R0_}) in.get(*x);
  }
  has_neighbour_ = has_neighbour != 0;
  refresh_ = refresh != 0;
}

}  // namespace mbs
