#pragma once

// Invariants 0 = e(p,v,s,t), Steinbrecher (2007), eq. (3), restored at the end of a step by the
// least change
//
//   dp = Z nu, dv   with G nu = 0, G dv = 0,  e_p Z nu + e_v dv = -e,
//   |nu|_M^2 / h^2 + |dv|_M^2 least
//
// with one solution of the saddle matrix for each gradient. Positions and velocities take part
// together: where e_v vanishes (energy at v = 0) e_p does not. Where both do (an equilibrium) the
// invariant is left out for that step. The report has e as rows of Newton's system instead.

#include "engine/equations/equations.hpp"
#include "engine/integrators/base/statistics.hpp"
#include "engine/integrators/radau/small_factors.hpp"
#include "engine/linear/saddle_solver.hpp"

namespace mbs::radau {

class InvariantProjection {
 public:
  InvariantProjection(const Equations& equations, Context context);

  // Finds the next change of (p, v) at x, where the solver has factors of the saddle matrix. False
  // where the invariants have no slope.
  bool find_change(const State& x, double h, Workspace& ws, SaddleSolver& solver,
                   Statistics& statistics);
  const Vector& change() const { return change_; }  // of (p, v, r)

 private:
  const Equations& equations_;
  Context context_;
  Vector invariant_, gradient_p_, gradient_v_, multiplier_, nu_, dp_, change_;
  Matrix row_p_, row_v_, change_p_, change_v_;
  SmallFactors<double> factors_;
};

}  // namespace mbs::radau
