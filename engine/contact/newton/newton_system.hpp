#pragma once

// The linear systems of Newton's method for x = P(x - (W + epsilon D) x - b),
//
//   K dx = r,   K = I - A + A (W + epsilon D)
//
// A: the derivatives of the projections, one block a cone. K is dense for few contacts and sparse
// where W is; where W is given by its factors,
//
//   (M + J^T C J) dv = J^T B^-1 r,   B = I - A + epsilon A D,   C = B^-1 A
//   dx = B^-1 (r - A J dv)
//
// is as sparse as the contacts between the bodies are, and what C, of size 1/epsilon, loses in
// accuracy is regained by iterative refinement.

#include <memory>
#include <vector>

#include "engine/contact/newton/scaled_problem.hpp"

namespace mbs {

class NewtonSystem {
 public:
  virtual ~NewtonSystem() = default;
  virtual bool factor(const std::vector<ConeMatrix>& A, double epsilon) = 0;
  virtual Vector solve(const Vector& r) = 0;
  virtual int determinant_sign() const = 0;  // of K; 0: not known
};

std::unique_ptr<NewtonSystem> make_newton_system(const ScaledProblem& problem);

}  // namespace mbs
