#pragma once

// P A P^T = L D L^T of a small dense symmetric indefinite matrix, D with blocks of size 1 and 2, by
// rook pivoting (bounded Bunch-Kaufman: C. Ashcraft, R. Grimes, J. Lewis, Accurate symmetric
// indefinite linear equation solvers, 1998), in storage of its own. Unlike Bunch and Kaufman's
// first rule it bounds the entries of L, which a saddle matrix with small M would let grow. Only
// the lower triangle is read; the order of the operations is fixed.

#include <vector>

#include "engine/base/types.hpp"

namespace mbs {

class DenseLdlt {
 public:
  void resize(int n);
  Matrix& matrix() { return A_; }  // to be filled before factor(); holds L and D after it

  // False when a pivot is zero. Any other pivot is accepted: see pivot_ratio.
  bool factor();
  double pivot_ratio() const { return pivot_ratio_; }  // smallest pivot by the largest

  void solve(Eigen::Ref<Vector> x) const;  // in place

 private:
  struct Pivot {
    int first, second;  // second < 0: a pivot of size 1
  };
  Pivot search(int k) const;
  double largest_off_diagonal(int k, int i, int& place) const;
  void exchange(int k, int with);
  void eliminate_one(int k);
  void eliminate_two(int k);

  Matrix A_;
  Vector off_diagonal_;        // D(k+1, k) where a block of size 2 begins at k, else 0
  std::vector<int> exchange_;  // row and column exchanged with k at step k
  double pivot_ratio_ = 0.0;
};

}  // namespace mbs
