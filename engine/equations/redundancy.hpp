#pragma once

// Rows of a constraint matrix that depend on others, by QR with column pivoting of its transpose.

#include <vector>

#include "engine/linear/types.hpp"

namespace mbs {

// One dependency y^T C = 0: the rows that take part, i.e. have significant entries in y.
struct Dependency {
  std::vector<int> rows;  // ascending
};

// C with rows and columns scaled to common units. Zero rows (inactive ones) are left out.
std::vector<Dependency> find_dependencies(const RowSparse& C);

}  // namespace mbs
