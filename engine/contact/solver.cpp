#include "engine/contact/solver.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <utility>

namespace mbs {
namespace {

constexpr int max_sweeps = 4000;
constexpr int sweeps_between_newton = 100;
constexpr int max_newton = 12;
constexpr double rounding = 1e-13;

class ProjectionEquations {
 public:
  explicit ProjectionEquations(const ContactProblem& problem)
      : problem_(problem), rho_(Vector::Ones(problem.b.size())) {
    const Matrix& W = problem.W;
    const double largest = W.diagonal().cwiseAbs().maxCoeff();
    for (Eigen::Index i = 0; i < rho_.size(); ++i) {
      if (W(i, i) > 1e-12 * largest) rho_[i] = 1.0 / W(i, i);
    }
    // The projection onto a disc needs one rho for all tangents of a contact.
    for (const FrictionCone& cone : problem.cones) {
      for (int k = 1; k < cone.tangents; ++k) {
        rho_[cone.tangent] = std::min(rho_[cone.tangent], rho_[cone.tangent + k]);
      }
      for (int k = 1; k < cone.tangents; ++k) rho_[cone.tangent + k] = rho_[cone.tangent];
    }
  }

  void sweep(Vector& x) const {
    for (const FrictionCone& cone : problem_.cones) {
      if (cone.normal >= 0) {
        const int i = cone.normal;
        x[i] = std::max(0.0, x[i] - rho_[i] * (problem_.W.row(i).dot(x) + problem_.b[i]));
      }
      if (cone.tangents == 0) continue;
      auto t = x.segment(cone.tangent, cone.tangents);
      const Vector u = problem_.W.middleRows(cone.tangent, cone.tangents) * x +
                       problem_.b.segment(cone.tangent, cone.tangents);
      t -= rho_[cone.tangent] * u;
      const double limit = friction_limit(cone, x), size = t.norm();
      if (size > limit) t *= limit / size;
    }
  }

  // Fills the residual F, in units of x, and its Jacobian J; returns the largest entry of F.
  double residual(const Vector& x, Vector& F, Matrix& J) const {
    const Vector u = problem_.W * x + problem_.b;
    F = x;
    J.setIdentity(x.size(), x.size());
    for (const FrictionCone& cone : problem_.cones) {
      if (cone.normal >= 0) {
        const int i = cone.normal;
        const double y = x[i] - rho_[i] * u[i];
        if (y > 0.0) {
          F[i] = rho_[i] * u[i];
          J.row(i) = rho_[i] * problem_.W.row(i);
        }
      }
      if (cone.tangents == 0) continue;
      const int t = cone.tangent, m = cone.tangents;
      const Vector y = x.segment(t, m) - rho_[t] * u.segment(t, m);
      const double limit = friction_limit(cone, x), size = y.norm();
      if (size <= limit) {
        F.segment(t, m) = rho_[t] * u.segment(t, m);
        J.middleRows(t, m) = rho_[t] * problem_.W.middleRows(t, m);
        continue;
      }
      const Vector d = y / size;
      F.segment(t, m) -= limit * d;
      // d(limit y/|y|) = d dlimit + limit (I - d d^T)/|y| dy,  dy = dx_T - rho W_T dx
      const Matrix turn = limit / size * (Matrix::Identity(m, m) - d * d.transpose());
      J.middleRows(t, m) += turn * rho_[t] * problem_.W.middleRows(t, m);
      J.block(t, t, m, m) -= turn;
      if (cone.normal >= 0 && x[cone.normal] > 0.0) {
        J.block(t, cone.normal, m, 1) -= cone.mu * d;
      }
    }
    return F.cwiseAbs().maxCoeff();
  }

  double scale(const Vector& x) const {
    return x.cwiseAbs().maxCoeff() +
           (rho_.array() * problem_.b.array().abs().max(problem_.bias_scale)).maxCoeff();
  }

 private:
  const ContactProblem& problem_;
  Vector rho_;
};

}  // namespace

ContactSolution solve(const ContactProblem& problem) {
  ContactSolution solution;
  solution.x = Vector::Zero(problem.b.size());
  solution.found = problem.b.size() == 0;
  if (solution.found || !problem.W.allFinite() || !problem.b.allFinite()) return solution;
  const ProjectionEquations equations(problem);
  Vector F, x = solution.x, trial;
  Matrix J;
  for (int sweeps = 0; sweeps < max_sweeps; sweeps += sweeps_between_newton) {
    for (int k = 0; k < sweeps_between_newton; ++k) equations.sweep(x);
    if (!x.allFinite()) return solution;
    trial = x;
    double residual = equations.residual(trial, F, J);
    for (int k = 0; k < max_newton && residual > rounding * equations.scale(trial); ++k) {
      trial -= J.completeOrthogonalDecomposition().solve(F);
      if (!trial.allFinite()) break;
      residual = equations.residual(trial, F, J);
    }
    solution.found = trial.allFinite() && residual <= rounding * equations.scale(trial);
    if (!solution.found) continue;
    for (const FrictionCone& cone : problem.cones) {
      if (cone.normal >= 0) trial[cone.normal] = std::max(0.0, trial[cone.normal]);
    }
    solution.x = std::move(trial);
    solution.residual = residual;
    solution.certificate = certify(problem, solution.x);
    return solution;
  }
  return solution;
}

}  // namespace mbs
