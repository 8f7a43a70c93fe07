#pragma once

// Friction with a given direction is eliminated: x = P xi, x_T = -(mu x_N + limit) d, so that the
// rest is a problem with an unsymmetric matrix in xi,
//
//   W' = R W P,   b' = R (b + W c),   c: the part by given limits,   R: the rows that are kept.

#include "engine/contact/problem.hpp"

namespace mbs {

struct SlidingEliminated {
  ContactProblem problem;
  RowSparse P;
  Vector constant;
  Vector expand(const Vector& xi) const { return P * xi + constant; }
};

bool slides(const ContactProblem& problem);
SlidingEliminated eliminate_sliding(const ContactProblem& problem);

}  // namespace mbs
