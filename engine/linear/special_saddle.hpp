#pragma once

// What solvers for matrices of a special kind share. Each treats the matrices it is made for, and
// leaves all others (with F, with a pivot that is too small, singular ones) to a general solver,
// which is made when it is first needed; so a special solver takes every matrix the general one
// takes. The current matrix is kept: by factoring it again a stored state is restored to the bit.

#include "engine/linear/saddle_matrix.hpp"

namespace mbs {

class SpecialSaddle : public SaddleSolver {
 public:
  double reciprocal_condition() const override;

 protected:
  // general: the keyword of the solver for all other matrices; empty: they are refused.
  explicit SpecialSaddle(std::string general) : general_keyword_(std::move(general)) {}

  virtual void analyse_special(const SaddleStructure&) = 0;
  // True: the general solver shall have this matrix before anything is tried with it.
  virtual bool leaves(const SaddleMatrix& matrix) const { return matrix.F != nullptr; }
  // False: this matrix is for the general solver. Repeated by restore.
  virtual bool factor_special(const SaddleMatrix&) = 0;
  virtual void solve_special(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) = 0;
  // Those that treat unsymmetric matrices have to give this one too.
  virtual void solve_special_transposed(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) {
    solve_special(x, y);
  }
  // After the general solver has had a matrix.
  virtual void factored_generally(const SaddleMatrix&, bool /*regular*/) {}
  // What influences later results beside the current matrix.
  virtual void save_history(ByteWriter&) const {}
  virtual void restore_history(ByteReader&) {}

  SaddleSolver& general();
  double general_condition() const;
  // The current matrix by the general solver; false when it is singular.
  bool factor_generally();
  bool special() const { return special_; }
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

  std::string general_keyword_;
  std::unique_ptr<SaddleSolver> general_;
  SaddleStructure own_;  // with the values of the current matrix
  Vector D_;
  bool with_F_ = false, factored_ = false;
  bool special_ = false;  // factored the special way
  mutable WholeSaddle whole_;
  mutable Vector R_, C_, x_, z_;
};

}  // namespace mbs
