#pragma once

// M = L L^T of a block diagonal positive definite M, the blocks dense and one behind the other.

#include <vector>

#include "engine/base/types.hpp"

namespace mbs {

class BlockCholesky {
 public:
  // starts: of the blocks, then the size of M; empty: the smallest blocks that hold the pattern.
  void analyse(const ColumnSparse& M, std::vector<int> starts);

  // False when M is not positive definite to working precision.
  bool factor(const ColumnSparse& M);

  void solve_L(double* x) const;             // x <- L^-1 x
  void solve_L_transposed(double* x) const;  // x <- L^-T x

 private:
  struct Block {
    int first, size, at;  // its entries from L_[at] on, by columns
  };
  std::vector<Block> blocks_;
  std::vector<int> block_of_;  // of each column
  std::vector<double> L_;
};

}  // namespace mbs
