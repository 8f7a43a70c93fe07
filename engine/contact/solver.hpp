#pragma once

// Solves a contact problem as a pure function of it. Block Gauss-Seidel sweeps with projections
// onto the cones find the sets of contacts that are open, stick and slide; Newton's method on the
// same equations in the form of Alart and Curnier (1991),
//
//   0 = x_N - max(0, x_N - rho u_N),   0 = x_T - P_limit(x_T - rho u_T)
//
// then ends at rounding. Where the forces themselves are not unique (a table on four legs) the
// result has the least norm of the last Newton step.

#include "engine/contact/problem.hpp"

namespace mbs {

struct ContactSolution {
  bool found = false;  // friction can leave a problem without a solution
  Vector x;
  double residual = 0.0;  // of the equations above, in units of x
  ContactCertificate certificate;
};

ContactSolution solve(const ContactProblem& problem);

}  // namespace mbs
