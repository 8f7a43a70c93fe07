#pragma once

// Saddle-point systems in body and joint coordinates, Lubich et al. (1992), eqs. (1.15) and (3.3),
// with rows that close loops on top of them:
//
//   ( M  0    K^T  C^T ) ( y  )   ( b_y )      y: bodies, with mass; q: joints, without
//   ( 0  0    J^T  Cq^T) ( q  ) = ( b_q )      K square and regular
//   ( K  J    0    0   ) ( mu )   ( c   )
//   ( C  Cq   0    0   ) ( nu )   ( c_l )
//
// brought to the form A z = b of (3.4) without forming A. Bodies are a tree (body_tree.hpp), so
// that the rows of one touch itself, its parent and joints: K^-1 goes from parents to children and
// K^-T back, with an LU of each body's own small block and no fill. Of each loop remains
//
//   B q = c_l - C K^-1 c,    B = Cq - C K^-1 J                 (a row of B costs one K^-T)
//
// by which as many joint coordinates d, the pivots of B, depend on the others z:
//
//   N = d(y,d,z)/dz,   A = N^T M N,   b = N^T ((b_y, b_q) - M w_p)
//
// with w_p the solution of the lower rows for z = 0. Without loops z = q, N = (-K^-1 J; I), (3.4).
//
// Loops are closed in another way than in the report: its C T^-1 C^T would cost one solution of
// (3.4) by iterations for each row in each factorisation here.

#include <vector>

#include "engine/linear/body_tree.hpp"
#include "engine/linear/dense_lu.hpp"

namespace mbs {

class JointForm {
 public:
  // False when the structure is another one.
  bool analyse(const SaddleStructure&);

  // Rows and columns are scaled by S. False with D != 0, and when K or the pivots of B are singular
  // or nearly so.
  bool factor(const SaddleMatrix&, const Vector& S);

  int size() const { return static_cast<int>(q_.size() - loop_rows_.size()); }  // of z

  // A solution begins with the right-hand side; b belongs to what it has left of that.
  void begin(Eigen::Ref<const Vector> x, Eigen::Ref<const Vector> y);
  void right_side(Vector& b);
  void apply(const Vector& z, Vector& Az);
  // Adds what belongs to z = A^-1 b. False as long as residuals are above rounding: K may be worse
  // than the whole matrix.
  bool add(const Vector& z);
  void end(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) const;

  // z = A0^-1 r by (3.20), with the neighbouring matrix that a solver holds.
  void precondition(SaddleSolver& neighbour, const Vector& r, Vector& z);

 private:
  struct Body {
    std::vector<int> columns, rows;  // of its square block of K
    DenseLu K;
    Vector part;
  };
  bool choose_dependent();
  void follow_bodies(const Vector& c);
  void satisfy_rows(const Vector& c);
  void reduce();
  void reduce_to_z(Vector& z);
  int loops() const { return static_cast<int>(loop_rows_.size()); }
  // The k-th of (d, z), as a column.
  int joint(int k) const {
    return q_[static_cast<std::size_t>(order_[static_cast<std::size_t>(k)])];
  }

  std::vector<Body> bodies_;  // children before their parents
  std::vector<int> body_of_;  // of each column; -1: a joint's
  std::vector<int> loop_rows_;
  std::vector<int> q_;      // columns
  std::vector<int> order_;  // places in q_, those of d before those of z
  ColumnSparse M_;          // scaled, as everything below
  RowSparse G_;
  Vector S_;
  Matrix B_, pivoted_;  // pivoted_: scratch
  DenseLu Bd_;
  Vector nu_;
  Vector w_, force_, mu_;  // (y, q), what acts on them, (mu, nu)
  Vector x_, y_, b_, c_;   // the solution so far, the right-hand side
  Vector b_left_, c_left_, zero_;
};

}  // namespace mbs
