#include "engine/contact/friction_distribution.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace mbs {
namespace {

constexpr double dependent = 1e-9;     // part of the largest eigenvalue that counts as zero
constexpr double least_limit = 1e-12;  // part of the greatest limit
constexpr double at_the_limit = 3e4;   // |w| there: 1 - 1/(2 |w|^2) = 1 - 6e-10 of the limit
constexpr double flat = 1e-13;         // slope, part of the limits
constexpr double most_growth = 1e6;
constexpr double limit_accuracy = 1e-9;
constexpr int max_newton = 200;
constexpr int max_halvings = 40;

class Potential {
 public:
  Potential(const Matrix& A, std::span<const FrictionLimit> limits, const Vector& x)
      : A_(A), limits_(limits), x_(x) {}

  double value(const Vector& eta) const {
    const Vector w = A_ * eta;
    double sum = x_.dot(w);
    for (const FrictionLimit& c : limits_)
      sum += c.limit * std::sqrt(1.0 + w.segment(c.first, c.tangents).squaredNorm());
    return sum;
  }
  Vector forces(const Vector& w) const {
    Vector x(w.size());
    for (const FrictionLimit& c : limits_) {
      const auto part = w.segment(c.first, c.tangents);
      x.segment(c.first, c.tangents) = -c.limit / std::sqrt(1.0 + part.squaredNorm()) * part;
    }
    return x;
  }
  // limit/s (I - w w^T/s^2), s^2 = 1 + |w|^2, between the columns of A
  Matrix curvature(const Vector& w) const {
    Matrix H = Matrix::Zero(A_.cols(), A_.cols());
    for (const FrictionLimit& c : limits_) {
      const auto part = w.segment(c.first, c.tangents);
      const double s = std::sqrt(1.0 + part.squaredNorm());
      const Matrix block =
          c.limit / s *
          (Matrix::Identity(c.tangents, c.tangents) - part * part.transpose() / (s * s));
      const auto rows = A_.middleRows(c.first, c.tangents);
      H.noalias() += rows.transpose() * block * rows;
    }
    return H;
  }

 private:
  const Matrix& A_;
  std::span<const FrictionLimit> limits_;
  const Vector& x_;
};

double largest_part(const Vector& w, std::span<const FrictionLimit> limits) {
  double most = 0.0;
  for (const FrictionLimit& c : limits)
    most = std::max(most, w.segment(c.first, c.tangents).norm());
  return most;
}

}  // namespace

FrictionDistribution distribute_friction(const Matrix& W_TT, std::span<const FrictionLimit> limits,
                                         const Vector& x) {
  double greatest = 0.0;
  for (const FrictionLimit& c : limits) greatest = std::max(greatest, c.limit);
  FrictionDistribution result{false, false, x, Vector::Zero(x.size())};
  if (!(greatest > 0.0)) return result;
  std::vector<FrictionLimit> scaled(limits.begin(), limits.end());
  Vector D(x.size());
  for (FrictionLimit& c : scaled) {
    c.limit = std::max(c.limit / greatest, least_limit);
    D.segment(c.first, c.tangents).setConstant(std::sqrt(c.limit));
  }
  const Eigen::SelfAdjointEigenSolver<Matrix> spectrum(D.asDiagonal() * W_TT * D.asDiagonal());
  const Vector& size = spectrum.eigenvalues();
  Eigen::Index none = 0;
  while (none < size.size() && size[none] <= dependent * size[size.size() - 1]) ++none;
  result.indeterminate = none > 0;
  if (!result.indeterminate) return result;
  const Matrix Q = spectrum.eigenvectors().rightCols(size.size() - none);
  const Matrix A = D.cwiseInverse().asDiagonal() * Q;
  const Vector load = x / greatest;
  const Potential potential(A, scaled, load);
  Vector eta = Vector::Zero(A.cols());
  double value = potential.value(eta);
  for (int k = 0; k < max_newton; ++k) {
    const Vector w = A * eta, left = load - potential.forces(w);
    result.w = w;
    if (largest_part(w, scaled) > at_the_limit) return result;
    const Vector slope = A.transpose() * left;
    if (slope.norm() <= flat * (A.transpose() * load).norm()) break;
    const Vector step = potential.curvature(w).ldlt().solve(-slope);
    double length = 1.0, next = potential.value(eta + step);
    for (int halvings = 0;
         halvings < max_halvings && !(next <= value + 0.25 * length * slope.dot(step));
         ++halvings) {
      length *= 0.5;
      next = potential.value(eta + length * step);
    }
    if (!(next <= value)) break;  // rounding
    eta += length * step;
    value = next;
  }
  // The remainder in the range of W_TT is restored: x differs by k alone.
  const Vector more = (potential.forces(result.w) - load).cwiseQuotient(D);
  result.x = x + greatest * D.cwiseProduct(more - Q * (Q.transpose() * more));
  result.holds = result.x.allFinite();
  return result;
}

Vector friction_at_joint_limit(const Matrix& W_TT, std::span<const FrictionLimit> limits,
                               const Vector& x) {
  double below = 1.0, above = 2.0;
  FrictionDistribution end = distribute_friction(W_TT, limits, above * x);
  while (end.holds && above < most_growth) {
    below = above;
    above *= 2.0;
    end = distribute_friction(W_TT, limits, above * x);
  }
  if (end.holds) return end.x / above;
  while (above - below > limit_accuracy * above) {
    const double between = 0.5 * (below + above);
    FrictionDistribution there = distribute_friction(W_TT, limits, between * x);
    (there.holds ? below : above) = between;
    if (!there.holds) end = std::move(there);
  }
  Vector forces = x;
  for (const FrictionLimit& c : limits) {
    const auto w = end.w.segment(c.first, c.tangents);
    forces.segment(c.first, c.tangents) = -c.limit / std::sqrt(1.0 + w.squaredNorm()) * w;
  }
  return forces;
}

}  // namespace mbs
