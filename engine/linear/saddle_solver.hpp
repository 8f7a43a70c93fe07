#pragma once

// One interface for the saddle-point systems of all integrators,
//
//   ( M  G^T - F ) ( x )   ( b )          (3.1) of report 000; with F: (1.4b), (2.2)
//   ( G    -D    ) ( y ) = ( c )
//
// analyse once, factor often, solve for several right-hand sides. M is symmetric and may be
// singular as long as the whole matrix is regular; with F the matrix is unsymmetric. D is diagonal:
// 0 for a constraint that acts; an inactive one has D = 1 and zeros in its row of G (and its column
// of F), which makes its y zero when its c is.

#include <memory>
#include <string>
#include <vector>

#include "engine/linear/bytes.hpp"
#include "engine/linear/types.hpp"

namespace mbs {

struct Workspace;

// What is known of the matrix before it has values.
struct SaddleStructure {
  ColumnSparse M;  // patterns (values are ignored); both triangles of M
  RowSparse G;
  ColumnSparse F;  // no entries when there is none
  bool M_may_be_singular = false;
  std::vector<int> mass_blocks;  // starts of the diagonal blocks of M, then its size; empty: one
};

// A matrix to factor. Solvers that belong to one formalism (joint coordinates) work on its
// workspace and ignore the assembled parts; all others never look at the workspace.
struct SaddleMatrix {
  const ColumnSparse& M;
  const RowSparse& G;
  const Vector& D;
  const ColumnSparse* F = nullptr;
  const Workspace* workspace = nullptr;
};

struct SaddleStatistics {
  long analyses = 0;        // with pivoting from scratch
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
  // No allocation after the first call of each kind (with and without F).
  virtual bool factor(const SaddleMatrix& matrix) = 0;

  // In place: on entry the right-hand side, on exit x and y.
  virtual void solve(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) = 0;

  // An estimate of 1/cond of the factored matrix in the solver's own scaling; cheap.
  virtual double reciprocal_condition() const = 0;

  const SaddleStatistics& statistics() const { return statistics_; }

  // Everything that influences later results: the factors in use, and for sparse solvers the matrix
  // whose full factorisation gave the pivot order (refactoring in that order gives the same bits).
  virtual void save(ByteWriter&) const = 0;
  virtual void restore(ByteReader&) = 0;

 protected:
  SaddleStatistics statistics_;
};

// word: "dense", "sparse", "auto" (by size and density; `name()` says what it became).
// The solver returned has been given the structure. Throws std::invalid_argument for another word,
// with the list of words.
std::unique_ptr<SaddleSolver> make_saddle_solver(const std::string& word,
                                                 const SaddleStructure& structure);

}  // namespace mbs
