#pragma once

// The common part of solvers that make use of a structure. Each treats the matrices it is made for
// and leaves all others (with F, with a pivot that is too small, singular ones) to a fallback
// solver, which is made when it is first needed; so it takes every matrix the fallback takes. The
// current matrix is kept: by factoring it again a stored state is restored to the bit.

#include "engine/linear/saddle_matrix.hpp"

namespace mbs {

class StructuredSaddle : public SaddleSolver {
 public:
  double reciprocal_condition() const override;

 protected:
  // fallback: the keyword of the solver for all other matrices; empty: they are refused.
  explicit StructuredSaddle(std::string fallback) : fallback_keyword_(std::move(fallback)) {}

  virtual void analyse_structured(const SaddleStructure&) = 0;
  // True: this matrix goes to the fallback solver at once.
  virtual bool needs_fallback(const SaddleMatrix& matrix) const { return matrix.F != nullptr; }
  // False: the structure does not help with this matrix. Repeated by restore.
  virtual bool factor_structured(const SaddleMatrix&) = 0;
  virtual void solve_structured(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) = 0;
  // A solver that treats unsymmetric matrices has to override this too.
  virtual void solve_structured_transposed(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) {
    solve_structured(x, y);
  }
  // Called after the fallback solver has had a matrix.
  virtual void factored_by_fallback(const SaddleMatrix&, bool /*regular*/) {}
  // Everything but the current matrix that influences later results.
  virtual void save_history(ByteWriter&) const {}
  virtual void restore_history(ByteReader&) {}

  SaddleSolver& fallback();
  double fallback_condition() const;
  // Factors the current matrix by the fallback solver; false when it is singular.
  bool factor_by_fallback();
  bool structured() const { return structured_; }
  const SaddleStructure& structure() const { return own_; }
  SaddleMatrix current() const { return {own_.M, own_.G, D_, with_F_ ? &own_.F : nullptr}; }
  // The matrix without F as a whole, and the equilibration of it that makes R = C.
  bool scale_symmetrically();
  const Vector& scale() const { return R_; }
  const ColumnSparse& whole() const { return whole_.matrix(); }

 private:
  void do_analyse(const SaddleStructure&) final;
  bool do_factor(const SaddleMatrix&) final;
  void do_solve(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) final;
  void do_save(ByteWriter&) const final;
  void do_restore(ByteReader&) final;

  std::string fallback_keyword_;
  std::unique_ptr<SaddleSolver> fallback_;
  SaddleStructure own_;  // with the values of the current matrix
  Vector D_;
  bool with_F_ = false, factored_ = false;
  bool structured_ = false;  // not by the fallback solver
  mutable WholeSaddle whole_;
  mutable Vector R_, C_, x_, z_;
};

}  // namespace mbs
