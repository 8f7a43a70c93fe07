#pragma once

// The saddle matrix with redundant constraints as in least_norm_saddle.hpp, sparse. By sparse QR of
// G^T at the first matrix, which has to be that of a consistent state, rows G_I are found that have
// its rank, and kept while they stay independent:
//
//   ( M   G_I^T )      x and multipliers y_I of these rows alone; a matrix that becomes singular
//   ( G_I   0   )      shows that the rank has fallen
//
// and y = y_I - z is the one of least norm, z the share of y_I in the kernel of G^T. z is what the
// regular matrix with a small delta leaves of it,
//
//   ( M    G^T  ) ( . )   (    0    )
//   ( G  -delta ) ( z') = ( -delta z ),
//
// times delta / (s + delta) for every eigenvalue s of G M^-1 G^T that is not zero, some times; one
// more solution with the rows I takes away what of the force G^T z rounding leaves in it, and a
// second pass what the first has left. Where the rows I bear a force badly others are taken.
// When rows act (D) that did not they are chosen anew. Without redundant rows there is the first
// matrix alone. F is not taken: the friction of forces that are not unique is not unique either.

#include <span>
#include <vector>

#include "engine/linear/saddle_matrix.hpp"
#include "engine/linear/saddle_solver.hpp"
#include "engine/linear/sparse_lu.hpp"

namespace mbs {

class SparseLeastNormSaddle final : public SaddleSolver {
 public:
  SparseLeastNormSaddle() : lu_(make_sparse_lu()), filter_(make_sparse_lu()) {}

  double reciprocal_condition() const override { return lu_->reciprocal_condition(); }

  // Rows that are not in I, ascending; none before the first factor().
  std::span<const int> redundant() const {
    return choices_.empty() ? std::span<const int>() : choices_[0].redundant;
  }

 protected:
  std::string title() const override;
  void do_analyse(const SaddleStructure&) override;
  bool do_factor(const SaddleMatrix& matrix) override;
  void do_solve(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) override;
  void do_save(ByteWriter& out) const override;
  void do_restore(ByteReader& in) override;

 private:
  // Redundant rows, by the rows that acted when they were found: in turn all and those of
  // positions.
  struct Choice {
    Vector D;
    std::vector<int> redundant;
  };
  void choose(const ColumnSparse& M, const Vector& D);
  void solve(SparseLu& lu);  // solution_, to x_ and y_
  bool factor_chosen(const SaddleMatrix& matrix);
  bool good_choice();

  WholeSaddle whole_;
  std::unique_ptr<SparseLu> lu_, filter_;
  std::vector<Choice> choices_;  // the last ones, the one in use first
  RowSparse G_, G_I_;
  Vector D_;      // of the matrix in question
  Vector delta_;  // of the rows that act, 0 of the others
  Vector solution_, x_, y_, z_;
  Vector probe_;  // multipliers of all rows, at random
};

}  // namespace mbs
