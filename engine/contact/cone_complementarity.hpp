#pragma once

// Forces (or impulses) of unilateral contacts and dry friction, found for all of them together:
//
//   u = W x + b
//   normal      0 <= x_N,  0 <= u_N,  x_N u_N = 0
//   tangential  |x_T| <= limit,  and where u_T is not 0:  x_T = -limit u_T/|u_T|
//               limit = mu x_N of the same contact, and what is given beside it
//
// u and x are relative velocities and impulses, or accelerations and forces. W is positive
// semidefinite where no contact slides already; then u_N is unique without friction, whatever the
// order. Method: block Gauss-Seidel with the projections onto the cones until the sets are
// found, then Newton on the same equations in the form of Alart and Curnier,
//
//   0 = x_N - max(0, x_N - rho u_N),   0 = x_T - P_limit(x_T - rho u_T)
//
// which ends at rounding. Where the forces themselves are not unique (a table on four legs) they
// are those of least norm in the last Newton step.

#include <vector>

#include "engine/base/types.hpp"

namespace mbs {

struct ConeBlock {
  int normal = -1;                 // index in x; -1: friction alone
  int tangent = -1, tangents = 0;  // first index, count
  double mu = 0.0;                 // with a normal
  double limit = 0.0;              // beside it
};

// False when no solution was found: friction can make the problem have none. x: a guess on entry.
// `summands`: the size of what b is a sum of, where it may have cancelled.
bool solve_cone_complementarity(const Matrix& W, const Vector& b,
                                const std::vector<ConeBlock>& blocks, Vector& x,
                                double summands = 0.0);

}  // namespace mbs
