#pragma once

// Rows of a matrix that depend on others, by QR of its transpose: with column pivoting, or sparse
// where there are many columns.

#include <vector>

#include "engine/base/types.hpp"

namespace mbs {

// One dependency y^T C = 0: the rows that take part, i.e. have significant entries in y, and the
// one of them that is behind the rank: without these the rows are independent.
struct Dependency {
  std::vector<int> rows;  // ascending
  int own = -1;
};

// Pivots below this by the largest count as zero where constraints are satisfied: consistent values
// are good to about 1e-10.
inline constexpr double consistent_rank_tolerance = 1e-8;

// Rows that depend on others on the constraints do not quite so next to them, where Newton's method
// works: once the rank is known the next pivot must only be small.
inline constexpr double off_constraints_tolerance = 1e-3;

// C with rows and columns scaled to common units. Zero rows (inactive ones) are left out.
std::vector<Dependency> find_dependencies(const RowSparse& C,
                                          double tolerance = consistent_rank_tolerance);

// Rows of G that act (D = 0) and without which those that act have full rank, ascending; of
// G M^-1/2, by the diagonal of M, with rows of length 1.
std::vector<int> redundant_rows(const ColumnSparse& M, const RowSparse& G, const Vector& D,
                                double tolerance = consistent_rank_tolerance);
// This tolerance is for ranks after a factorisation of the saddle matrix has failed: its pivots are
// the squares of those that are compared here.
inline constexpr double singular_tolerance = 1e-5;

// The diagonal of G M^-1 G^T by that of M, of rows that act; 0 of the others. Massless coordinates
// do not count.
void compliance(const ColumnSparse& M, const RowSparse& G, const Vector& D, Vector& diagonal);

}  // namespace mbs
