#pragma once

// Newton's matrix as a saddle matrix, sparse, for large models, and for the strangeness-index-1
// form. The selectors are never formed: with G0, M0 at Newton's point
//
//   S_p annihilates Z0 nu:        S_p (p' - Z v) = 0  <=>  p' = Z v + Z0 nu,  M0 nu + G0^T mu = 0
//   S_v = K0^T M0, G0 K0 = 0:     S_v (v' - a) = 0    <=>  M0 (v' - a) + G0^T eta = 0
//
// with mu, eta free, so that each is one more solution of the saddle matrix. With sigma for 1/h
// times the eigenvalue of A^-1, dp by (Z v)_p to second order in h,
//
//   dp = (I + (Z v)_p / sigma) (Z dv - d_p) / sigma,
//
// and the sum of the dynamic equations and those for a,
//
//   sigma M dv - f~_v dv - f~_p dp + G^T (dlambda + eta) = f - G^T lambda - M v'
//   G dv + (G v)_p dp = -(G v + gI)
//   sigma dr - b_r dr - ... = b - r',    d_w dw + ... = -d,    c_s ds + ... = -c
//
// is one matrix E(sigma), real and complex, for v, lambda, r, w, s. Then, for each stage, with real
// factors of [M G^T - F; G 0] that do not depend on h:
//
//   position   p += Z nu, G nu = -(g + g_p dp), M nu + G^T mu = 0; norms apart
//   level 1    M da - (f - G^T lambda)_lambda dlambda = ..., G da = -(G a + gamma) - ...  (12h),
//   (12j)
//
// With redundant rows of G the solver of level 1 and of the positions is one of least norm
// (sparse_least_norm_saddle.hpp), and E omits the rows that this solver leaves out. When a
// factorisation fails, sparse QR finds the rank.
//
// The strangeness-index-1 form leaves level 1 out: a is v' and lambda that of E. Coupling of nu
// into v is left to Newton's next iteration; the residuals are exact.

#include <Eigen/SparseCore>

#include "engine/integrators/radau/newton_system.hpp"
#include "engine/integrators/radau/small_factors.hpp"
#include "engine/linear/complex_sparse_lu.hpp"
#include "engine/linear/sparse_least_norm_saddle.hpp"
#include "engine/linear/sparse_lu.hpp"

namespace mbs::radau {

class SaddleSystem final : public NewtonSystem {
 public:
  SaddleSystem(const SystemContext& context, bool sparse, const std::string& linear);

  std::string describe() const override;
  void forget() override {}
  Prepared prepare(const State& x, Workspace& ws, bool renew) override;
  RankDefect rank_defect() const override { return rank_defect_; }
  bool factor(double h) override;
  void solve(Stages& stages) override;
  void filter(const Vector& F, Vector& d) override;
  void save(ByteWriter&) const override;
  void restore(ByteReader&) override;
  void save_factors(ByteWriter&) const override;
  void restore_factors(ByteReader&, double h) override;

 private:
  using Complex = std::complex<double>;
  // Entry number `target` of E gets J's entry a, times (Z v)_v's entry b and (Z v)_p's entry c.
  struct Product {
    int target, a, b, c;
    double sign;
  };

  // A term of an entry of E: by 1, 1/sigma or 1/sigma^2 (order), from J's entries a, b, c.
  struct Term {
    int row, col, order, a, b, c;
  };
  void make_patterns();
  void number_rows_and_columns();
  std::vector<Term> find_terms() const;
  Prepared no_factors(const Workspace& ws);
  void leave_out();
  template <class Scalar, class Y, class P>
  void solve_one(Scalar sigma, Y& y, P& dp);
  template <class Factors, class Y>
  void scaled_solve(const Factors& factors, Y& y) const;
  // Rows of E without a derivative; columns of lambda.
  bool algebraic(int row) const { return multiplier(row) || row >= n_.v + n_.lambda + n_.r; }
  bool multiplier(int column) const { return column >= n_.v && column < n_.v + n_.lambda; }
  void position_level(const Vector& rows, Eigen::Ref<Vector> dp);

  SystemContext context_;
  Sizes n_;
  JacobianLayout at_;
  StateLayout layout_;
  bool sparse_;
  RankDefect rank_defect_;
  std::unique_ptr<SaddleSolver> saddle_;
  SparseLeastNormSaddle* least_norm_ = nullptr;  // the same, where rows are redundant

  int size_ = 0;                      // of E: v, lambda, r, w, s
  std::vector<int> row_of_, col_of_;  // E's row of J's row, E's column of J's column; -1: none
  ColumnSparse J_;                    // Newton's Jacobian
  ColumnSparse M_;
  RowSparse G_;            // where rows are redundant
  std::vector<char> out_;  // of E: rows and columns that have no part
  ColumnSparse E_;         // pattern, then values for the real factor
  ComplexColumnSparse E_complex_;
  std::vector<int> mass_;                            // E's entries that M's go to, then those of r'
  std::vector<Product> constant_, first_, second_;   // by 1, 1/sigma, 1/sigma^2
  Vector of_sigma_, of_one_, of_first_, of_second_;  // values of E's entries
  std::unique_ptr<SparseLu> real_;
  std::unique_ptr<ComplexSparseLu> complex_;
  SmallFactors<double> dense_real_;
  SmallFactors<Complex> dense_complex_;
  double h_ = 0.0, scale_ = 1.0;

  Matrix right_, transformed_, d_p_, d_p_transformed_, dp_;
  Vector y_, dp_real_, kp_real_, zv_real_, nu_, mu_, dx_, J_dx_, g_rows_;
  ComplexVector z_, dp_complex_, kp_complex_, zv_complex_;
};

}  // namespace mbs::radau
