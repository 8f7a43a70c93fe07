#pragma once

// The default Equations::jacobian and Equations::friction take differences: here is the memory
// that they keep in a workspace, and the choice of columns that share one evaluation.

#include "engine/equations/equations.hpp"

namespace mbs {

struct Differences {
  Differences(const Equations& equations, const Context& context, const State& x);

  std::unique_ptr<Workspace> ws;  // of its own: the caller's stages stay valid
  State x;
  Inputs inputs;
  Vector base;                     // the residual at the point
  Vector increment;                // per column
  std::vector<int> group_columns;  // columns, group after group
  std::vector<int> group_begin;
};

// Columns of a pattern in groups that share no row: `columns` group after group, group k from
// begin[k] to begin[k + 1].
void colour(const ColumnSparse& pattern, std::vector<int>& columns, std::vector<int>& begin);

}  // namespace mbs
