#pragma once

// Algorithm 2.6 of Steinbrecher (2007) on one level of constraints: from the Jacobian C (m x n,
// rank r) of the constraints with respect to the unknowns x they restrict,
//
//   C = B C^  with r independent rows C^, B (m x r)
//   S (n-r x n), K (n x n-r), R (n x r)  with  ( C^ ) ( R  K ) = I
//                                              ( S  )
//
// The change dx = R c + K dy is the one with C^ dx = c and S dx = dy: S selects the differential
// equations that are kept, S K = I is nonsingular, and K spans ker C.
//
//   lu    full pivoting; S picks the columns without pivot, B the rows with one
//   qr    column pivoting; S picks the columns without pivot, B = the first r columns of Q
//   svd   S = V2^T, B = U1
//
// C^ = B^+ C: for qr and svd the multipliers B x have least norm. S is kept while the
// pivots stand (svd: while |(S V2)^-1| <= 2). Columns are scaled by typical sizes before
// pivots are chosen, rows by their own sizes.
//
// `tangent`: S = K^+ (in scaled unknowns) in every decomposition, so that the differential
// equations are those along the constraints' tangent: the state space form is then as little
// curved as it can be at that point. lu and qr take it from their K, svd has it anyway.

#include <Eigen/SVD>
#include <vector>

#include "engine/base/bytes.hpp"
#include "engine/base/types.hpp"
#include "engine/integrators/radau/options.hpp"
#include "engine/integrators/radau/small_factors.hpp"

namespace mbs::radau {

class Selector {
 public:
  Selector(Algebraic kind, int m, const Vector& column_scale, bool tangent = false);

  // Decomposes C. `renew`: takes a new S whatever the pivots are. False when the rank is not that
  // of the first decomposition since forget(); everything is then as before.
  bool decompose(const Eigen::Ref<const Matrix>& C, bool renew);
  void forget();

  int rank() const { return rank_; }         // -1: not known
  int found_rank() const { return found_; }  // by the last decompose()
  bool renewed() const { return renewed_; }  // by the last decompose()
  // The row that depends most on others, where rank < m.
  int dependent_row() const { return dependent_row_; }

  const Matrix& S() const { return S_; }
  const Matrix& K() const { return K_; }
  const Matrix& R() const { return R_; }  // acts on C^ = reduce(C)
  const Matrix& B() const { return B_; }
  const Matrix& B_inverse() const { return B_inverse_; }  // B^+
  bool identity() const { return identity_; }             // B = I

  // B^+ c, for a residual or for the rows of a matrix.
  template <class In, class Out>
  void reduce(const In& c, Out&& out) const {
    if (identity_) {
      out = c;
    } else {
      out.noalias() = B_inverse_ * c;
    }
  }

  void save(ByteWriter&) const;
  void restore(ByteReader&);

 private:
  void fill(const Eigen::Ref<const Matrix>& C);
  int eliminate();
  bool lu();
  bool qr(const Eigen::Ref<const Matrix>& C);
  bool svd(const Eigen::Ref<const Matrix>& C, bool renew);
  int place(int i) const { return columns_[static_cast<std::size_t>(i)]; }
  void solve_upper(double* x) const;
  void make_kernel();
  void find_dependent_row();
  double tolerance(int pivots) const;
  bool accept_rank(int rank);
  void resize(int rank);
  void select(const std::vector<int>& columns, bool renew);
  void make_tangent();

  Algebraic kind_;
  bool tangent_;
  int m_, n_;
  Vector scale_;
  int rank_ = -1, found_ = -1, dependent_row_ = -1;
  bool renewed_ = false, identity_ = true, has_S_ = false;
  Matrix S_, K_, R_, B_, B_inverse_;
  Matrix A_, A_transposed_;  // scaled, then factored
  Vector row_scale_;
  std::vector<int> rows_, columns_;  // lu, qr: order of pivots
  std::vector<int> pivots_;          // which columns had pivots when S was made: 1
  Matrix work_, small_, small2_, SR_;
  SmallFactors<double> factors_;
  Vector tau_;  // lu, qr: the diagonal of the triangle in A_
  Eigen::JacobiSVD<Matrix> svd_;
};

}  // namespace mbs::radau
