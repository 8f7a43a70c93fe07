#pragma once

// Solves a contact problem as a pure function of it, by one method for few and many contacts: a
// path of smoothed and regularised problems is followed (newton/smoothing_path.hpp) until Newton's
// method on the projection equations of Alart and Curnier (1991),
//
//   0 = x_N - max(0, x_N - rho u_N),   0 = x_T - P_limit(x_T - rho u_T)
//
// finds which contacts are open, stick and slide, and ends at rounding. Where W is given as a
// matrix the linear systems are dense; where it is given by its factors they are sparse.
//
// Where the forces themselves are not unique (a table on four legs) a compliance epsilon of the
// contacts decides (newton/scaled_problem.hpp), which proximal steps
//
//   u = W x_k + epsilon D (x_k - x_{k-1}) + b,   x_0 = 0
//
// take out of the result up to what b contradicts W. The forces are those of least norm up to
// epsilon, and change by at most 1/epsilon times the change of b: none of the contacts is chosen
// to bear a load alone.

#include <string>
#include <vector>

#include "engine/contact/problem.hpp"

namespace mbs {

struct ContactSolution {
  bool found = false;  // friction can leave a problem without a solution
  Vector x;
  double residual = 0.0;  // of the equations above, relative to x and b, all in units of W_cc = 1
  ContactCertificate certificate;
  std::vector<std::string> contradicting;  // not found: contacts whose forces grow without bound
  int factorisations = 0;
};

struct ContactSolverOptions {
  double accuracy = 1e-13;  // of the residual, or of the relative certificate; at least rounding
};

ContactSolution solve(const ContactProblem& problem, const ContactSolverOptions& options = {});

}  // namespace mbs
