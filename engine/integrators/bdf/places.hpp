#pragma once

// Where entries of a compressed matrix stand.

#include <algorithm>

#include "engine/base/types.hpp"

namespace mbs::bdf {

// Index among the values; -1 where there is no entry. Rows of a column are in order.
inline int place_of(const ColumnSparse& A, int row, int col) {
  const int* begin = A.innerIndexPtr() + A.outerIndexPtr()[col];
  const int* end = A.innerIndexPtr() + A.outerIndexPtr()[col + 1];
  const int* found = std::lower_bound(begin, end, row);
  return found != end && *found == row ? static_cast<int>(found - A.innerIndexPtr()) : -1;
}

}  // namespace mbs::bdf
