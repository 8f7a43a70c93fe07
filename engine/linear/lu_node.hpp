#pragma once

// Elimination of a node with any block P = [M G^T - F; G -D] by LU with partial pivoting:
//
//   P x + R x_j = b,   L x goes to the parent's b_j,   R = ( 0 ; C ),   L = ( 0  C^T - F_j )
//
//   Y = P^-1 R,   T_j := T_j - L Y,   b_j := b_j - L P^-1 b,   x = P^-1 b - Y x_j
//
// and for the transposed matrix, whose R and L are L^T and R^T,
//
//   b_j := b_j - Y^T b,   x = P^-T (b - L^T x_j).

#include "engine/linear/dense_lu.hpp"
#include "engine/linear/null_space_node.hpp"

namespace mbs {

class LuNode {
 public:
  void resize(const NodeSize& size);

  // M: n x n and T = (G C), both row by row, and the diagonal of D. Then F may be put into P()
  // and L() before eliminate().
  void fill(const double* M, const double* T, const double* D);
  double& P(int row, int column) { return lu_.matrix()(row, column); }
  double& L(int row, int column) { return L_(row, column); }

  // Does what NullSpaceNode::eliminate does.
  bool eliminate(double* into, int stride);

  template <bool transposed>
  void forward(double* x, double* parent);
  template <bool transposed>
  void backward(double* x, const double* parent);

 private:
  NodeSize size_;
  DenseLu lu_;
  Matrix Y_, L_;  // (n + m) x s, s x (n + m)
  Vector x_;
};

}  // namespace mbs
