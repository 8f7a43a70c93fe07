#pragma once

// Sparse LU of matrices of one pattern: analyse once, factor often. The first factorisation chooses
// scaling (equilibrate.hpp) and pivots; later ones repeat them with new values as long as they stay
// stable, and choose anew when not. Two implementations: KLU, and Eigen's, which has no refactoring
// (each factorisation is a full one, and it allocates).

#include <memory>
#include <string>
#include <vector>

#include "engine/base/bytes.hpp"
#include "engine/base/types.hpp"

namespace mbs {

// Below this ratio of pivots of an equilibrated matrix it is taken as singular.
double singular_pivot_ratio(int n);

// P R A C Q = L U + F: rows and columns in the order of pivots, scaled; in blocks, L and U of the
// diagonal blocks by columns with their diagonals, F what stands above them.
struct LuFactors {
  struct Columns {
    std::vector<int> begin, index;
    std::vector<double> value;
  };
  int n = 0;
  Columns L, U, F;
  std::vector<int> row, column;  // of A at place k
  std::vector<int> block;        // where blocks begin, then n
  Vector R, C;                   // by rows and columns of A
};

class SparseLu {
 public:
  virtual ~SparseLu() = default;
  virtual std::string name() const = 0;

  void analyse(const ColumnSparse& pattern);

  // A has the pattern given to analyse. False when singular to working precision; there are no
  // factors then.
  bool factor(const ColumnSparse& A);

  void solve(Eigen::Ref<Vector> x);  // in place
  void solve_columns(Matrix& X);     // each; up to four at once are cheaper, with the same result
  double reciprocal_condition();     // an estimate of 1/cond_1 of the equilibrated matrix

  bool factored() const { return factored_; }
  void forget() { has_base_ = factored_ = repeated_ = false; }  // factors and pivots
  // A copy of the factors; false when there are none to be had. May allocate.
  bool factors(LuFactors& copy) const;
  long full_factorisations() const { return full_; }

  // The matrix of the last full factorisation and the one after it; restored by repeating both.
  void save(ByteWriter&) const;
  void restore(ByteReader&);

 protected:
  // These work on the equilibrated matrix; pivots of size zero give false.
  virtual void analyse_pattern(const ColumnSparse& A) = 0;
  virtual bool factor_fully(const ColumnSparse& A) = 0;
  // In the order of the last full factorisation. False also when the pivots do not suit.
  virtual bool refactor(const ColumnSparse& A) = 0;
  virtual bool extract(LuFactors&) const { return false; }  // all but R and C
  virtual double pivot_ratio() = 0;                         // smallest by largest pivot
  virtual void solve_in_place(Vector& x) = 0;
  virtual void solve_columns_in_place(Matrix& X) = 0;
  virtual void solve_transposed_in_place(Vector& x) = 0;

 private:
  bool full(const ColumnSparse& A);
  bool repeat(const ColumnSparse& A);
  void scale(const ColumnSparse& A);

  ColumnSparse scaled_;
  Vector base_, current_;  // values of the last full factorisation, and of the current one
  Vector R_, C_, x_, z_;
  double base_ratio_ = 0.0, norm_ = 0.0;
  bool has_base_ = false, factored_ = false;
  bool repeated_ = false;  // the factors are those of current_ in the order of base_
  long full_ = 0;
};

std::unique_ptr<SparseLu> make_eigen_lu();
#ifdef MBS_WITH_KLU
std::unique_ptr<SparseLu> make_klu_lu();
#endif
std::unique_ptr<SparseLu> make_sparse_lu();  // KLU when there is KLU
std::unique_ptr<SparseLu> make_dense_inside_lu();
// Whether dense is cheaper than sparse where each factorisation is a full one; what is cheaper.
bool better_dense(const ColumnSparse& pattern);
std::unique_ptr<SparseLu> make_lu_for(const ColumnSparse& pattern);

}  // namespace mbs
