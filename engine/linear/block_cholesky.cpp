#include "engine/linear/block_cholesky.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace mbs {

namespace {

// Starts of the smallest blocks of neighbouring columns that hold all entries.
std::vector<int> smallest_blocks(const ColumnSparse& M) {
  std::vector<int> starts;
  int end = 0;  // of the block so far
  for (int j = 0; j < M.outerSize(); ++j) {
    if (j >= end) starts.push_back(j);
    end = std::max(end, j + 1);
    for (ColumnSparse::InnerIterator m(M, j); m; ++m) {
      end = std::max(end, static_cast<int>(m.row()) + 1);
    }
  }
  starts.push_back(static_cast<int>(M.cols()));
  return starts;
}

}  // namespace

void BlockCholesky::analyse(const ColumnSparse& M, std::vector<int> starts) {
  if (starts.empty()) starts = smallest_blocks(M);
  blocks_.clear();
  block_of_.clear();
  int at = 0;
  for (std::size_t k = 0; k + 1 < starts.size(); ++k) {
    const int size = starts[k + 1] - starts[k];
    block_of_.insert(block_of_.end(), static_cast<std::size_t>(size),
                     static_cast<int>(blocks_.size()));
    blocks_.push_back({starts[k], size, at});
    at += size * size;
  }
  L_.assign(static_cast<std::size_t>(at), 0.0);
  for (int j = 0; j < M.outerSize(); ++j) {
    for (ColumnSparse::InnerIterator m(M, j); m; ++m) {
      if (block_of_.at(static_cast<std::size_t>(j)) !=
          block_of_.at(static_cast<std::size_t>(m.row()))) {
        throw std::invalid_argument("the mass matrix has entries outside of its diagonal blocks");
      }
    }
  }
}

bool BlockCholesky::factor(const ColumnSparse& M) {
  std::fill(L_.begin(), L_.end(), 0.0);
  for (const Block& block : blocks_) {
    double* L = L_.data() + block.at;
    for (int j = 0; j < block.size; ++j) {
      for (ColumnSparse::InnerIterator m(M, block.first + j); m; ++m) {
        L[j * block.size + static_cast<int>(m.row()) - block.first] = m.value();
      }
    }
    for (int j = 0; j < block.size; ++j) {
      double* column = L + j * block.size;
      const double diagonal = column[j];
      for (int k = 0; k < j; ++k) {
        const double* before = L + k * block.size;
        for (int i = j; i < block.size; ++i) column[i] -= before[i] * before[j];
      }
      const double tolerance = 10 * block.size * std::numeric_limits<double>::epsilon();
      if (!(column[j] > tolerance * diagonal) || !std::isfinite(column[j])) return false;
      const double inverse = 1.0 / (column[j] = std::sqrt(column[j]));
      for (int i = j + 1; i < block.size; ++i) column[i] *= inverse;
    }
  }
  return true;
}

void BlockCholesky::solve_L(double* x) const {
  for (const Block& block : blocks_) {
    const double* L = L_.data() + block.at;
    double* part = x + block.first;
    for (int j = 0; j < block.size; ++j, L += block.size) {
      part[j] /= L[j];
      for (int i = j + 1; i < block.size; ++i) part[i] -= L[i] * part[j];
    }
  }
}

void BlockCholesky::solve_L_transposed(double* x) const {
  for (const Block& block : blocks_) {
    double* part = x + block.first;
    for (int j = block.size - 1; j >= 0; --j) {
      const double* L = L_.data() + block.at + j * block.size;
      for (int i = j + 1; i < block.size; ++i) part[j] -= L[i] * part[i];
      part[j] /= L[j];
    }
  }
}

}  // namespace mbs
