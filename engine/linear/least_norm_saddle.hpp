#pragma once

// The saddle matrix with redundant constraints, dense (large ones: sparse_least_norm_saddle.hpp). B
// is an orthonormal basis of the range of G,
//
//   (  M     (G^T - F) B )      G x = c in the sense of B^T G x = B^T c (least squares),
//   ( B^T G      0       )      y = B y^: of all multipliers those of least norm
//
// (in SI units: a newton metre counts as much as a newton). Off the constraints redundant rows are
// not quite so. Hence the rank, and as many columns of G that span its range, are chosen at the
// first matrix, which has to be that of a consistent state, and kept while the columns stay
// independent: B is then a smooth function of G, as extrapolation needs it. When other rows act
// (D) both are chosen anew. Without redundant rows B is the identity.

#include "engine/linear/dense_lu.hpp"
#include "engine/linear/saddle_solver.hpp"

namespace mbs {

class LeastNormSaddle final : public SaddleSolver {
 public:
  double reciprocal_condition() const override;

 protected:
  std::string title() const override;
  void do_analyse(const SaddleStructure&) override;
  bool do_factor(const SaddleMatrix& matrix) override;
  void do_solve(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) override;
  void do_save(ByteWriter&) const override;
  void do_restore(ByteReader&) override;

 private:
  bool factor_stored();
  void choose_columns();
  bool span();
  void set_rank(int rank);

  int v_ = 0, lambda_ = 0, active_ = 0;
  Matrix M_, G_, X_;  // X = G^T - F
  Vector D_, D_chosen_;
  std::vector<int> columns_;  // of G, the first rank_ of them chosen
  Vector lengths_;            // what the basis' columns were orthogonalised to, when chosen
  Vector column_;             // scales of the columns of G
  Matrix W_;                  // scratch
  int rank_ = -1;
  Matrix B_;
  ColumnSparse reduced_;  // with all entries
  DenseLu lu_;
  Vector R_, C_, right_;
  mutable Vector x_, z_;
  double norm_ = 0.0;
  bool factored_ = false;
};

}  // namespace mbs
