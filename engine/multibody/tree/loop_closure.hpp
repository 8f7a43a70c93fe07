#pragma once

// Rows G, with D, that border a matrix A which has a solver of its own (joint_saddle.hpp,
// mixed_saddle.hpp):
//
//   Sigma = D + G X,  X = A^-1 (G^T - F)     Sigma y = G A^-1 b - c     x = A^-1 b - X y
//
// Sigma is dense and equilibrated. Rows that do not act (G = 0, D != 0: open contacts) have
// y = -c / D and no part in Sigma and X.

#include <vector>

#include "engine/base/bytes.hpp"
#include "engine/base/types.hpp"
#include "engine/linear/dense_lu.hpp"

namespace mbs {

class LoopClosure {
 public:
  explicit LoopClosure(RowSparse rows);

  int rows() const { return static_cast<int>(D_.size()); }
  const RowSparse& G() const { return G_; }
  const Vector& D() const { return D_; }
  const std::vector<int>& active() const { return active_; }  // the rows of X's first columns
  // The entries of G in the order of its pattern, and D.
  void set(const double* G, const Eigen::Ref<const Vector>& D);
  // G^T of what acts into the first rows of X, for a solver of A to work on; zeros below.
  void right_sides(Matrix& X) const;
  // False when Sigma is singular to working precision.
  bool factor(const Matrix& X);
  // y of A^-1 b and c.
  const Vector& multipliers(const Eigen::Ref<const Vector>& x, const Eigen::Ref<const Vector>& c);
  // x -= X y, for y found last.
  void subtract(const Eigen::Ref<const Matrix>& X, Eigen::Ref<Vector> x) const;
  // The smallest pivot by the largest; 1 without rows.
  double pivot_ratio() const { return active_.empty() ? 1.0 : Sigma_.pivot_ratio(); }

  void save(ByteWriter& out) const;  // G and D
  void restore(ByteReader& in);

 private:
  void find_active();

  RowSparse G_;
  std::vector<int> active_;
  Vector D_, scale_, y_, part_;
  DenseLu Sigma_;
};

}  // namespace mbs
