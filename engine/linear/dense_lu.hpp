#pragma once

// P A = L U of a small dense matrix, in storage of its own. Left-looking by columns, four columns
// of L at a time; the order of the operations is fixed, so that the bits depend on neither the
// machine's caches nor the alignment of memory (a blocked product would).

#include <vector>

#include "engine/base/types.hpp"

namespace mbs {

class DenseLu {
 public:
  void resize(int n);
  // The first n rows and columns are the matrix from now on; no more than resize() made room for.
  void use(int n) { n_ = n; }
  Matrix& matrix() { return A_; }  // to be filled before factor(); holds L and U after it

  // False when a pivot is zero. Any other pivot is accepted: see pivot_ratio.
  bool factor();
  double pivot_ratio() const { return pivot_ratio_; }  // smallest pivot by the largest

  void solve(Eigen::Ref<Vector> x) const;  // in place
  // Four right-hand sides at once, a row each: a column for each unknown.
  using FourRows = Eigen::Matrix<double, 4, Eigen::Dynamic>;
  void solve_four(FourRows& x) const;
  void solve_transposed(Vector& x) const;

 private:
  void eliminate_above(double* column, int j) const;

  Matrix A_;
  int n_ = 0;
  std::vector<int> swap_;  // row swapped with k at step k
  double pivot_ratio_ = 0.0;
};

}  // namespace mbs
