#pragma once

#include "engine/equations/equations.hpp"
#include "engine/linear/saddle_solver.hpp"

namespace mbs::radau {

// Monitors the rank of redundant constraints. A motion that the independent rows allow, a projected
// random one, must be none for the other rows.
class RankMonitor {
 public:
  explicit RankMonitor(const Sizes& sizes);

  // The row of G that has become independent, -1 when there is none. The solver has factors of the
  // saddle matrix at x with the rows that were independent.
  int independent_row(const Equations& equations, const Context& context, const State& x,
                      Workspace& ws, SaddleSolver& solver);

 private:
  Vector random_, motion_, reactions_;
};

}  // namespace mbs::radau
