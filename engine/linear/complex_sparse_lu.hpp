#pragma once

// SparseLu (sparse_lu.hpp) of complex matrices: the same contract, the same two implementations.

#include <complex>
#include <memory>

#include "engine/base/bytes.hpp"
#include "engine/base/types.hpp"

namespace mbs {

using ComplexVector = Eigen::VectorXcd;
using ComplexColumnSparse = Eigen::SparseMatrix<std::complex<double>, Eigen::ColMajor>;

class ComplexSparseLu {
 public:
  virtual ~ComplexSparseLu() = default;

  void analyse(const ComplexColumnSparse& pattern);
  bool factor(const ComplexColumnSparse& A);
  void solve(ComplexVector& x);  // in place

  void save(ByteWriter&) const;
  void restore(ByteReader&);

 protected:
  virtual void analyse_pattern(const ComplexColumnSparse& A) = 0;
  virtual bool factor_fully(const ComplexColumnSparse& A) = 0;
  virtual bool refactor(const ComplexColumnSparse& A) = 0;
  virtual double pivot_ratio() = 0;
  virtual void solve_in_place(ComplexVector& x) = 0;

 private:
  bool full(const ComplexColumnSparse& A);
  bool repeat(const ComplexColumnSparse& A);
  bool scale(const ComplexColumnSparse& A);

  ComplexColumnSparse scaled_;
  ColumnSparse magnitude_;
  ComplexVector base_, current_;  // values of the last full factorisation, and of the current one
  Vector R_, C_, scratch_;
  ComplexVector x_;
  double base_ratio_ = 0.0;
  bool has_base_ = false, repeated_ = false;
};

std::unique_ptr<ComplexSparseLu> make_complex_eigen_lu();
#ifdef MBS_WITH_KLU
std::unique_ptr<ComplexSparseLu> make_complex_klu_lu();
#endif
std::unique_ptr<ComplexSparseLu> make_complex_sparse_lu();  // KLU when there is KLU

}  // namespace mbs
