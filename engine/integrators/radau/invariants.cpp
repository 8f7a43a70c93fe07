#include "engine/integrators/radau/invariants.hpp"

#include <cmath>

namespace mbs::radau {

InvariantProjection::InvariantProjection(const Equations& equations, Context context)
    : equations_(equations), context_(context) {
  const Sizes& n = equations.sizes();
  if (n.e == 0) return;
  invariant_.setZero(n.e);
  for (Vector* x : {&gradient_p_, &gradient_v_, &nu_}) x->setZero(n.v);
  multiplier_.setZero(n.lambda);
  dp_.setZero(n.p);
  change_.setZero(n.p + n.v + n.r);
  row_p_.setZero(n.e, n.v);
  row_v_ = row_p_;
  change_p_.setZero(n.v, n.e);
  change_v_ = change_p_;
  factors_.resize(n.e, false);
}

bool InvariantProjection::find_change(const State& x, double h, Workspace& ws, SaddleSolver& solver,
                                      Statistics& statistics) {
  const Sizes& n = equations_.sizes();
  const JacobianLayout at(n);
  equations_.residual(context_, x, ws);
  ++statistics.force_evaluations;
  invariant_ = -ws.residual.tail(n.e);
  equations_.jacobian(context_, x, ws);
  for (int i = 0; i < n.e; ++i) {
    gradient_p_.setZero();
    gradient_v_.setZero();
    for (int j = 0; j < n.v; ++j) {
      gradient_v_[j] = ws.jacobian.coeff(at.invariant + i, at.col_v + j);
      for (int l = 0; l < n.p; ++l) {  // e_p Z by the kinematics' rows
        gradient_p_[j] += ws.jacobian.coeff(at.invariant + i, at.col_p + l) *
                          ws.jacobian.coeff(at.kinematics + l, at.col_v + j);
      }
    }
    row_p_.row(i) = gradient_p_.transpose();
    row_v_.row(i) = gradient_v_.transpose();
    multiplier_.setZero();
    solver.solve(gradient_p_, multiplier_);
    multiplier_.setZero();
    solver.solve(gradient_v_, multiplier_);
    change_p_.col(i) = h * h * gradient_p_;
    change_v_.col(i) = gradient_v_;
  }
  statistics.solves += 2 * n.e;
  Matrix& A = factors_.matrix();
  A.noalias() = row_p_ * change_p_;
  A.noalias() += row_v_ * change_v_;
  if (!(A.cwiseAbs().maxCoeff() > 1e-200) || !factors_.factor()) return false;
  factors_.solve(invariant_.data());
  nu_.noalias() = change_p_ * invariant_;
  equations_.apply_Z(context_, x, nu_, dp_);
  change_.setZero();
  change_.head(n.p) = dp_;
  change_.segment(n.p, n.v).noalias() = change_v_ * invariant_;
  return true;
}

}  // namespace mbs::radau
