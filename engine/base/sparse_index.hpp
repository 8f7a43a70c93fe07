#pragma once

#include <algorithm>

#include "engine/base/types.hpp"

namespace mbs {

// The index of an entry among the values of a compressed matrix; -1 where there is no entry.
inline int sparse_index(const ColumnSparse& A, int row, int col) {
  const int* begin = A.innerIndexPtr() + A.outerIndexPtr()[col];
  const int* end = A.innerIndexPtr() + A.outerIndexPtr()[col + 1];
  const int* found = std::lower_bound(begin, end, row);
  return found != end && *found == row ? static_cast<int>(found - A.innerIndexPtr()) : -1;
}

}  // namespace mbs
