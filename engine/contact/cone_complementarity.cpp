#include "engine/contact/cone_complementarity.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

namespace mbs {
namespace {

constexpr int max_sweeps = 4000;
constexpr int sweeps_between_newton = 100;
constexpr int max_newton = 12;
constexpr double rounding = 1e-13;

class Problem {
 public:
  Problem(const Matrix& W, const Vector& b, const std::vector<ConeBlock>& blocks, double summands)
      : W_(W), b_(b), blocks_(blocks), summands_(summands), rho_(Vector::Ones(b.size())) {
    const double largest = W.diagonal().cwiseAbs().maxCoeff();
    for (Eigen::Index i = 0; i < b.size(); ++i) {
      if (W(i, i) > 1e-12 * largest) rho_[i] = 1.0 / W(i, i);
    }
    // One rho for all directions of a contact: the projection onto a disc needs it.
    for (const ConeBlock& block : blocks) {
      for (int k = 1; k < block.tangents; ++k) {
        rho_[block.tangent] = std::min(rho_[block.tangent], rho_[block.tangent + k]);
      }
      for (int k = 1; k < block.tangents; ++k) rho_[block.tangent + k] = rho_[block.tangent];
    }
  }

  void sweep(Vector& x) const {
    for (const ConeBlock& block : blocks_) {
      if (block.normal >= 0) {
        const int i = block.normal;
        x[i] = std::max(0.0, x[i] - rho_[i] * (W_.row(i).dot(x) + b_[i]));
      }
      if (block.tangents == 0) continue;
      auto t = x.segment(block.tangent, block.tangents);
      const Vector u = W_.middleRows(block.tangent, block.tangents) * x +
                       b_.segment(block.tangent, block.tangents);
      t -= rho_[block.tangent] * u;
      const double limit = limit_of(block, x), size = t.norm();
      if (size > limit) t *= limit / size;
    }
  }

  // What is left of the equations, in units of x; fills the Newton matrix when it is asked for.
  double residual(const Vector& x, Vector& F, Matrix* J) const {
    const Vector u = W_ * x + b_;
    F = x;
    if (J) J->setIdentity(x.size(), x.size());
    for (const ConeBlock& block : blocks_) {
      if (block.normal >= 0) {
        const int i = block.normal;
        const double y = x[i] - rho_[i] * u[i];
        if (y > 0.0) {
          F[i] = rho_[i] * u[i];
          if (J) J->row(i) = rho_[i] * W_.row(i);
        }
      }
      if (block.tangents == 0) continue;
      const int t = block.tangent, m = block.tangents;
      const Vector y = x.segment(t, m) - rho_[t] * u.segment(t, m);
      const double limit = limit_of(block, x), size = y.norm();
      if (size <= limit) {
        F.segment(t, m) = rho_[t] * u.segment(t, m);
        if (J) J->middleRows(t, m) = rho_[t] * W_.middleRows(t, m);
        continue;
      }
      const Vector d = y / size;
      F.segment(t, m) -= limit * d;
      if (!J) continue;
      // d(limit y/|y|) = d dlimit + limit (I - d d^T)/|y| dy,  dy = dx_T - rho W_T dx
      const Matrix turn = limit / size * (Matrix::Identity(m, m) - d * d.transpose());
      J->middleRows(t, m) += turn * rho_[t] * W_.middleRows(t, m);
      J->block(t, t, m, m) -= turn;
      if (block.normal >= 0 && x[block.normal] > 0.0) {
        J->block(t, block.normal, m, 1) -= block.mu * d;
      }
    }
    return F.cwiseAbs().maxCoeff();
  }

  double scale(const Vector& x) const {
    return x.cwiseAbs().maxCoeff() + (rho_.array() * b_.array().abs().max(summands_)).maxCoeff();
  }

 private:
  static double limit_of(const ConeBlock& block, const Vector& x) {
    const double pushed = block.normal >= 0 ? block.mu * std::max(0.0, x[block.normal]) : 0.0;
    return block.limit + pushed;
  }

  const Matrix& W_;
  const Vector& b_;
  const std::vector<ConeBlock>& blocks_;
  double summands_;
  Vector rho_;
};

}  // namespace

bool solve_cone_complementarity(const Matrix& W, const Vector& b,
                                const std::vector<ConeBlock>& blocks, Vector& x, double summands) {
  if (b.size() == 0) return true;
  if (!W.allFinite() || !b.allFinite()) return false;
  const Problem problem(W, b, blocks, summands);
  Vector F, trial;
  Matrix J;
  for (int sweeps = 0; sweeps < max_sweeps; sweeps += sweeps_between_newton) {
    for (int k = 0; k < sweeps_between_newton; ++k) problem.sweep(x);
    if (!x.allFinite()) return false;
    trial = x;
    double before = problem.residual(trial, F, &J);
    for (int k = 0; k < max_newton; ++k) {
      if (before <= rounding * problem.scale(trial)) break;
      trial -= J.completeOrthogonalDecomposition().solve(F);
      if (!trial.allFinite()) break;
      before = problem.residual(trial, F, &J);
    }
    if (trial.allFinite() && before <= rounding * problem.scale(trial)) {
      x = trial;
      for (const ConeBlock& block : blocks) {
        if (block.normal >= 0) x[block.normal] = std::max(0.0, x[block.normal]);
      }
      return true;
    }
  }
  return false;
}

}  // namespace mbs
