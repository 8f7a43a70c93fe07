#pragma once

// Rows G, with D, that border a matrix A which has a solver of its own (joint_saddle.hpp,
// mixed_saddle.hpp):
//
//   Sigma = D + G X,  X = A^-1 (G^T - F)     Sigma y = G A^-1 b - c     x = A^-1 b - X y
//
// Sigma is dense and equilibrated.

#include "engine/linear/bytes.hpp"
#include "engine/linear/dense_lu.hpp"
#include "engine/linear/types.hpp"

namespace mbs {

class LoopClosure {
 public:
  explicit LoopClosure(RowSparse rows);

  int rows() const { return static_cast<int>(D_.size()); }
  const RowSparse& G() const { return G_; }
  const Vector& D() const { return D_; }
  // The entries of G in the order of its pattern, and D.
  void set(const double* G, const Eigen::Ref<const Vector>& D);
  // G^T into the first rows of X, for a solver of A to work on; zeros elsewhere.
  void right_sides(Matrix& X) const;
  // False when Sigma is singular to working precision.
  bool factor(const Matrix& X);
  // y of A^-1 b and c.
  const Vector& multipliers(const Eigen::Ref<const Vector>& x, const Eigen::Ref<const Vector>& c);
  // The smallest pivot by the largest; 1 without rows.
  double pivot_ratio() const { return rows() > 0 ? Sigma_.pivot_ratio() : 1.0; }

  void save(ByteWriter& out) const;  // G and D
  void restore(ByteReader& in);

 private:
  RowSparse G_;
  Vector D_, scale_, y_;
  DenseLu Sigma_;
};

}  // namespace mbs
