#pragma once

// Rows of a constraint matrix that depend on others, by QR with column pivoting of its transpose.

#include <vector>

#include "engine/equations/equations.hpp"

namespace mbs {

// One dependency y^T C = 0: the rows that take part, i.e. have significant entries in y, and the
// one of them that is behind the rank: without these the rows are independent.
struct Dependency {
  std::vector<int> rows;  // ascending
  int own = -1;
};

// C with rows and columns scaled to common units. Zero rows (inactive ones) are left out.
std::vector<Dependency> find_dependencies(const RowSparse& C);

// The dependencies of G at a state that satisfies the constraints; q as of coordinate_scale.
std::vector<Dependency> dependencies_at(const Equations&, const Given&, const State&, Workspace&,
                                        const Vector& q);
// Whether as many of them are found beside x, along a motion that the constraints allow: else x is
// a singular position and no row is redundant in general.
bool stays_redundant(const Equations&, const Given&, const State& x, std::size_t count, Workspace&,
                     const Vector& q, double tolerance);

}  // namespace mbs
