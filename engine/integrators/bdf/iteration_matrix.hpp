#pragma once

// The linear systems A x = b of the corrector, A = alpha E + B, with or without the kinematic rows:
// with D1 the square part of these rows on p and D2 the rest, Nijhuis (2013), section 5.1,
//
//   D1 x1 + D2 x2 = b1,  A21 x1 + A22 x2 = b2                                    (5.1)
//   (A22 - A21 D1^-1 D2) x2 = b2 - A21 D1^-1 b1,  x1 = D1^-1 (b1 - D2 x2)        (5.3), (5.5)
//
// There D1 and D2 are diagonal; here D1 has a 4 x 4 block for each body's Euler parameters, and D2
// the columns of eta as well. Coordinates with larger blocks are not eliminated.
//
// The columns of eta in -A21 D1^-1 D2 are kept in the rows 0 = g and 0 = n alone. The entries left
// out are the changes of forces and of G v by the movement of positions onto their constraints.
// Without them the matrix falls into one block of (v, r, w, s, lambda) and, after it, a small one
// of eta:
//
//   ( S   G^T          )      S = alpha M + d(M v' - f + G^T lambda)/dp Z / alpha + ...
//   ( G                )
//   ( *        -G G^T/alpha )
//
// Mostly Newton's iteration hardly changes by that: eta corrects the violation of g, which is 0 to
// first order after one iteration, and so is the part left out. Where it matters, as with stiff
// forces on driven coordinates, a second solution makes up for it: `left_out`.

#include <memory>
#include <vector>

#include "engine/linear/sparse_lu.hpp"

namespace mbs::bdf {

class IterationMatrix {
 public:
  IterationMatrix() : lu_(make_sparse_lu()) {}

  // Analyses the pattern of A; the first `kinematic` rows and columns are eliminated (0: none);
  // rows and columns of eta begin at `eta`.
  void analyse(const ColumnSparse& pattern, int kinematic, int eta);
  // Takes A's values in the order of the pattern. False when A is singular; there are no factors
  // then.
  bool factor(const Vector& values);
  void solve(Eigen::Ref<Vector> x);
  bool eliminates() const { return kinematic_ > 0; }
  int reduced_size() const { return static_cast<int>(reduced_.cols()); }
  const ColumnSparse& reduced() const { return reduced_; }
  SparseLu& lu() { return *lu_; }
  const SparseLu& lu() const { return *lu_; }

  // These two come before and after a solution of the reduced system by other means.
  void reduce(Eigen::Ref<Vector> x);
  void expand(Eigen::Ref<Vector> x);
  // The right-hand side of the second solution, A21 D1^-1 D2 x_eta with the first one's x.
  void left_out(const Eigen::Ref<const Vector>& x, Eigen::Ref<Vector> b) const;
  bool leaves_out() const { return !left_out_.empty(); }

  // Multiplications that the elimination adds to those of the LU for a solution and a
  // factorisation.
  long solve_operations() const { return expansion_operations_; }
  long form_operations() const { return form_operations_; }

  void save(ByteWriter&) const;
  void restore(ByteReader&);

 private:
  void clear();
  int find_blocks(const ColumnSparse& A);
  void find_products(const ColumnSparse& A, int eta);
  bool form(const Vector& values);

  struct Block {             // of D1, with its rows of T = D1^-1 D2
    int first, count;        // into block_rows_
    int inverse;             // into inverse_, row by row
    int columns, n_columns;  // into block_columns_
    int T;                   // into T_, row by row
  };
  struct Entry {
    int row, col, from;
  };
  struct Product {
    int A21, T, to;
  };

  int kinematic_ = 0;
  std::unique_ptr<SparseLu> lu_;
  ColumnSparse reduced_;
  Vector A_, inverse_, T_, x1_;
  std::vector<Block> blocks_;
  std::vector<int> block_rows_, block_columns_;
  std::vector<int> D1_from_, D2_from_;  // places in A of blocks and of D2, row by row; -1: zero
  std::vector<Entry> A21_;              // row and col of A, place in A
  std::vector<std::pair<int, int>> A22_;
  std::vector<Product> products_;
  struct LeftOut {
    int A21, T, row, col;
  };
  std::vector<LeftOut> left_out_;
  std::vector<int> block_of_;
  long expansion_operations_ = 0, form_operations_ = 0;
};

}  // namespace mbs::bdf
