// Invariants 0 = e(p,v,s,t), (3) of report 001, restored at the end of a step: the least change
//
//   dp = Z nu, dv   with G nu = 0, G dv = 0,  e_p Z nu + e_v dv = -e,
//   |nu|_M^2 / h^2 + |dv|_M^2 least
//
// by one solution of the saddle matrix for each gradient. Positions and velocities take part
// together: where e_v vanishes (energy at v = 0) e_p does not. Where both do (an equilibrium) the
// invariant is left out for that step. The report has e as rows of Newton's system instead.

#include <cmath>

#include "engine/integrators/radau/integrator.hpp"
#include "engine/integrators/radau/small_factors.hpp"

namespace mbs::radau {

bool Integrator::restore_invariants(State& x, double h) {
  const Sizes& n = equations_.sizes();
  const JacobianLayout at(n);
  constexpr int most = 8;
  constexpr double enough = 1e-9;
  double before = 0.0;
  for (int k = 0; k < most; ++k) {
    equations_.residual(context_, x, *ws_);
    ++statistics_.force_evaluations;
    invariant_ = -ws_->residual.tail(n.e);
    equations_.jacobian(context_, x, *ws_);
    for (int i = 0; i < n.e; ++i) {
      gradient_p_.setZero();
      gradient_v_.setZero();
      for (int j = 0; j < n.v; ++j) {
        gradient_v_[j] = ws_->jacobian.coeff(at.invariant + i, at.col_v + j);
        for (int l = 0; l < n.p; ++l) {  // e_p Z by the kinematics' rows
          gradient_p_[j] += ws_->jacobian.coeff(at.invariant + i, at.col_p + l) *
                            ws_->jacobian.coeff(at.kinematics + l, at.col_v + j);
        }
      }
      invariant_row_p_.row(i) = gradient_p_.transpose();
      invariant_row_v_.row(i) = gradient_v_.transpose();
      multiplier_.setZero();
      solver_->solve(gradient_p_, multiplier_);
      multiplier_.setZero();
      solver_->solve(gradient_v_, multiplier_);
      invariant_change_p_.col(i) = h * h * gradient_p_;
      invariant_change_v_.col(i) = gradient_v_;
    }
    statistics_.solves += 2 * n.e;
    SmallFactors<double>& A = invariant_factors_;
    A.matrix().noalias() = invariant_row_p_ * invariant_change_p_;
    A.matrix().noalias() += invariant_row_v_ * invariant_change_v_;
    // by what a change of the invariants costs it can be told whether they have a slope at all
    if (!(A.matrix().cwiseAbs().maxCoeff() > 1e-200) || !A.factor()) return arrive(x);
    A.solve(invariant_.data());
    nu_.noalias() = invariant_change_p_ * invariant_;
    equations_.apply_Z(context_, x, nu_, dp_);
    F_.setZero();
    F_.head(n.p) = dp_;
    F_.segment(n.p, n.v).noalias() = invariant_change_v_ * invariant_;
    const double change = norm_(F_);
    if (!std::isfinite(change) || (k > 0 && change > 2.0 * before)) return arrive(x);
    x.p += dp_;
    x.v += F_.segment(n.p, n.v);
    if (!arrive(x)) return false;
    if (change <= enough || (k > 1 && change > 0.5 * before)) break;
    before = change;
  }
  return true;
}

}  // namespace mbs::radau
