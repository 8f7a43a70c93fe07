#pragma once

// Row and column scaling before any pivoting: A -> R A C with entries of size about 1, so that
// units do not decide pivots (D. Ruiz, A scaling algorithm to equilibrate both rows and columns
// norms in matrices, 2001). Powers of two: scaling and unscaling is free of rounding.

#include "engine/base/types.hpp"

namespace mbs {

// A by columns. R and C keep symmetry: they are equal for a symmetric A. False, when an entry is
// not finite or a row or column is zero. Does not allocate.
bool equilibrate(const ColumnSparse& A, Vector& R, Vector& C, Vector& scratch);

}  // namespace mbs
