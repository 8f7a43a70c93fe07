#pragma once

// 1/cond_1(A) from factors of A: Hager's estimate of |A^-1|_1 (Higham, Accuracy and Stability of
// Numerical Algorithms, algorithm 15.1). A lower bound of |A^-1|, seldom off by more than 3; costs
// some pairs of solves with A and its transpose.

#include <algorithm>
#include <cmath>

#include "engine/base/types.hpp"

namespace mbs {

// solve(x) and solve_transposed(x) work in place; x and z are scratch of size n.
template <class Solve, class SolveTransposed>
double inverse_norm1(Vector& x, Vector& z, Solve&& solve, SolveTransposed&& solve_transposed) {
  const auto n = x.size();
  if (n == 0) return 0.0;
  x.setConstant(1.0 / static_cast<double>(n));
  double estimate = 0.0;
  for (int iteration = 0; iteration < 5; ++iteration) {
    solve(x);
    const double norm = x.cwiseAbs().sum();
    if (iteration > 0 && norm <= estimate) break;
    estimate = norm;
    for (Eigen::Index i = 0; i < n; ++i) z[i] = x[i] >= 0.0 ? 1.0 : -1.0;
    solve_transposed(z);
    Eigen::Index largest = 0;
    z.cwiseAbs().maxCoeff(&largest);
    x.setZero();
    x[largest] = 1.0;
  }
  // Higham's second vector, against the unlucky cases of the first.
  for (Eigen::Index i = 0; i < n; ++i) {
    const double size =
        1.0 + static_cast<double>(i) / static_cast<double>(std::max<Eigen::Index>(n - 1, 1));
    x[i] = i % 2 == 0 ? size : -size;
  }
  solve(x);
  return std::max(estimate, 2.0 * x.cwiseAbs().sum() / (3.0 * static_cast<double>(n)));
}

}  // namespace mbs
