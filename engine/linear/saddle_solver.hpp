#pragma once

// One interface for the saddle-point systems of all integrators,
//
//   ( M  G^T - F ) ( x )   ( b )          Lubich et al. (1992), eq. (3.1); with F: (1.4b), (2.2)
//   ( G    -D    ) ( y ) = ( c )
//
// analyse once, factor often, solve for several right-hand sides. M is symmetric and may be
// singular as long as the whole matrix is regular; with F the matrix is unsymmetric. D is diagonal:
// 0 for a constraint that acts; an inactive one has D = 1 and zeros in its row of G (and its column
// of F), which makes its y zero when its c is.

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/bytes.hpp"
#include "engine/base/types.hpp"

namespace mbs {

// The structure of the matrix, known before it has values.
struct SaddleStructure {
  ColumnSparse M;  // patterns (values are ignored); both triangles of M
  RowSparse G;
  ColumnSparse F;  // no entries when there is none
  bool M_may_be_singular = false;
  std::vector<int> mass_blocks;  // starts of the diagonal blocks of M, then its size; empty: one
  // For each column of M the body it belongs to, in any numbering; in mixed coordinates (1.15) a
  // joint's coordinates belong to the body that the joint carries. Empty: found from the patterns.
  std::vector<int> bodies;
};

// The matrix in the form of one formalism (the links of a tree of joints), for the solvers that
// this formalism makes.
struct UnassembledMatrix {
  virtual ~UnassembledMatrix() = default;
};

// A matrix to factor. The solvers of a formalism read its unassembled form and may ignore the
// assembled M and G; all others never look at it.
struct SaddleMatrix {
  const ColumnSparse& M;
  const RowSparse& G;
  const Vector& D;
  const ColumnSparse* F = nullptr;
  const UnassembledMatrix* unassembled = nullptr;
};

// Times are for the reader alone: they are not stored and nothing depends on them.
struct SaddleStatistics {
  long analyses = 0;        // with pivoting from scratch
  long factorisations = 0;  // of any kind
  long solves = 0;
  long iterations = 0;  // of an iterative solver
  long fallbacks = 0;   // factorisations that a structured solver left to its fallback
  double analyse_seconds = 0.0, factor_seconds = 0.0, solve_seconds = 0.0;
};

class SaddleSolver {
 public:
  virtual ~SaddleSolver() = default;

  // The keyword, with what it stands for here and, from `auto`, why it was chosen.
  std::string name() const;

  // Once, before the first factor. Later calls to factor must come with these patterns. Throws
  // std::invalid_argument when the solver cannot treat this structure.
  void analyse(const SaddleStructure& structure);

  // False when the matrix is singular to working precision; the solver then holds no factors.
  // No allocation after the first call of each kind: with F, without, and with a matrix that a
  // structured solver has to leave to its fallback.
  bool factor(const SaddleMatrix& matrix);

  // In place: on entry the right-hand side, on exit x and y.
  void solve(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y);

  // Many right-hand sides, each a column of X and of Y. Solvers that treat them side by side
  // override it.
  virtual void solve_columns(Eigen::Ref<Matrix> X, Eigen::Ref<Matrix> Y) {
    for (Eigen::Index j = 0; j < X.cols(); ++j) solve(X.col(j), Y.col(j));
  }

  // An estimate of 1/cond_1 of the factored matrix, equilibrated; some solves.
  virtual double reciprocal_condition() const = 0;

  const SaddleStatistics& statistics() const { return statistics_; }
  // The time of factor and solve; off at first, since reading a clock twice takes as long as some
  // per cent of a small factorisation. That of analyse is always taken.
  void measure_time(bool on) { measure_time_ = on; }

  // Everything that influences later results: the factors in use, and for sparse solvers the matrix
  // whose full factorisation gave the pivot order (refactoring in that order gives the same bits).
  void save(ByteWriter&) const;
  void restore(ByteReader&);

  void set_reason(std::string reason) { reason_ = std::move(reason); }

 protected:
  virtual std::string title() const = 0;
  virtual void do_analyse(const SaddleStructure&) = 0;
  virtual bool do_factor(const SaddleMatrix&) = 0;
  virtual void do_solve(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) = 0;
  virtual void do_save(ByteWriter&) const = 0;
  virtual void do_restore(ByteReader&) = 0;

  SaddleStatistics statistics_;

 private:
  bool measure_time_ = false;
  std::string reason_;
};

// keyword: one of saddle_keywords (engine/base/linear_solver_names.hpp); `auto` chooses by
// structure and size, and `name()` says what and why. The solver returned has been given the
// structure. Throws std::invalid_argument for another keyword, with the list of keywords.
std::unique_ptr<SaddleSolver> make_saddle_solver(const std::string& keyword,
                                                 const SaddleStructure& structure);

// The keyword that `auto` stands for.
std::string_view saddle_keyword_for(const SaddleStructure& structure);

}  // namespace mbs
