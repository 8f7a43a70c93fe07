#pragma once

// One interface for all linear systems of the integrators,
//
//   ( M  (G - F^T)^T ) ( x )   ( b )          (3.1) of report 000; with F: (1.4b), (2.2)
//   ( G       0      ) ( y ) = ( c )
//
// analyse once, factor often, solve for several right-hand sides. M is symmetric, may be singular
// as long as the whole matrix is regular; with F the matrix is unsymmetric.

#include <memory>
#include <string>
#include <vector>

#include "engine/linear/bytes.hpp"
#include "engine/linear/types.hpp"

namespace mbs {

// What is known of the matrix before it has values.
struct SaddleStructure {
  ColumnSparse M;  // patterns (values are ignored); both triangles of M
  RowSparse G;
  ColumnSparse F;  // no entries when there is none
  bool M_may_be_singular = false;
  std::vector<int>
      mass_blocks;  // starts of the diagonal blocks of M, then its size; empty: one block
};

struct SaddleStatistics {
  long analyses = 0;        // full analyses with pivoting from scratch
  long factorisations = 0;  // of any kind
  long solves = 0;
};

class SaddleSolver {
 public:
  virtual ~SaddleSolver() = default;

  virtual std::string name() const = 0;

  // Once, before the first factor. Later calls to factor must come with these patterns.
  virtual void analyse(const SaddleStructure& structure) = 0;

  // False when the matrix is singular to working precision; the solver then holds no factors.
  // F = nullptr: the symmetric system. No allocation after the first call of each kind.
  virtual bool factor(const ColumnSparse& M, const RowSparse& G,
                      const ColumnSparse* F = nullptr) = 0;

  // In place: on entry the right-hand side, on exit x and y.
  virtual void solve(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) = 0;

  // An estimate of 1/cond of the factored matrix in the solver's own scaling; cheap.
  virtual double reciprocal_condition() const = 0;

  const SaddleStatistics& statistics() const { return statistics_; }

  // What influences later results: for sparse solvers the pivot order is history, and is stored as
  // the matrix that was last factored from scratch. The current factors are not part of it.
  virtual void save(ByteWriter&) const {}
  virtual void restore(ByteReader&) {}

 protected:
  SaddleStatistics statistics_;
};

// word: "dense", "sparse", "auto" (by size and density; `name()` says what it became).
// The solver returned has been given the structure. Throws std::invalid_argument for another word,
// with the list of words.
std::unique_ptr<SaddleSolver> make_saddle_solver(const std::string& word,
                                                 const SaddleStructure& structure);

}  // namespace mbs
