#pragma once

// The whole saddle matrix ( M  G^T - F ; G  -D ) as one sparse matrix by columns, on the union of
// the patterns: assembled once, then filled without searching.

#include <vector>

#include "engine/linear/saddle_solver.hpp"

namespace mbs {

class WholeSaddle {
 public:
  void analyse(const SaddleStructure& structure);
  // Throws std::logic_error when the matrix has not the patterns given to analyse.
  void fill(const SaddleMatrix& matrix);

  int size() const { return n_v_ + n_lambda_; }
  int n_v() const { return n_v_; }
  const ColumnSparse& matrix() const { return A_; }
  ColumnSparse& matrix() { return A_; }

 private:
  int n_v_ = 0, n_lambda_ = 0;
  ColumnSparse A_;
  // The index in A_ of the k-th entry of M, G (in G and in G^T), F and D.
  std::vector<int> at_M_, at_G_, at_Gt_, at_F_, at_D_;
};

}  // namespace mbs
