#pragma once

// Many right-hand sides of one factored saddle matrix, each a column of X (and of Y). Solvers that
// treat them side by side derive from ColumnSolver; of all others they are solved one by one.

#include "engine/linear/saddle_solver.hpp"

namespace mbs {

class ColumnSolver {
 public:
  virtual ~ColumnSolver() = default;
  virtual void solve_columns(Eigen::Ref<Matrix> X, Eigen::Ref<Matrix> Y) = 0;
};

inline void solve_columns(SaddleSolver& solver, Eigen::Ref<Matrix> X, Eigen::Ref<Matrix> Y) {
  if (auto* together = dynamic_cast<ColumnSolver*>(&solver)) return together->solve_columns(X, Y);
  for (Eigen::Index j = 0; j < X.cols(); ++j) solver.solve(X.col(j), Y.col(j));
}

}  // namespace mbs
