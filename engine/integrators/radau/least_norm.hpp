#pragma once

// The saddle matrix with redundant constraints, dense: with B an orthonormal basis of range G
// (selector.hpp, column pivoting),
//
//   (  M     (G^T - F) B )      G x = c in the sense of B^T G x = B^T c (least squares),
//   ( B^T G      0       )      y = B y^: of all multipliers those of least norm
//
// Rows with D = 1 are zero in G; their y is -c as everywhere.

#include "engine/integrators/radau/selector.hpp"
#include "engine/linear/saddle_solver.hpp"

namespace mbs::radau {

class LeastNormSaddle final : public SaddleSolver {
 public:
  LeastNormSaddle(int v, int lambda);
  double reciprocal_condition() const override;

 protected:
  std::string title() const override { return "least_norm"; }
  void do_analyse(const SaddleStructure&) override {}
  bool do_factor(const SaddleMatrix& matrix) override;
  void do_solve(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) override;
  void do_save(ByteWriter&) const override;
  void do_restore(ByteReader&) override;

 private:
  bool factor_stored();

  int v_, lambda_;
  Selector selector_;
  Matrix M_, G_, X_;  // X = G^T - F
  Vector D_, reduced_, right_;
  bool factored_ = false;
  SmallFactors<double> factors_;
};

// How many rows of G (with D = 0) depend on the others, as Selector judges.
int redundant_rows(const RowSparse& G, const Vector& D, const Vector& column_scale);

}  // namespace mbs::radau
