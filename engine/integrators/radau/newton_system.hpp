#pragma once

// The linear algebra of one step: Newton's matrix at a point, its factors for a step size, and the
// changes of the stages by them. There are two kinds: dense_system.hpp on the minimal differential
// part; saddle_system.hpp on saddle matrices, sparse, for large models and the index-1 form. Both
// monitor the rank of the constraints.

#include <memory>
#include <string>

#include "engine/integrators/base/state_layout.hpp"
#include "engine/integrators/base/statistics.hpp"
#include "engine/integrators/radau/collocation.hpp"
#include "engine/integrators/radau/options.hpp"

namespace mbs::radau {

// The three stages under way.
struct Stages {
  Stages(const Sizes& n, const StateLayout& layout)
      : x(Matrix::Zero(layout.size(), 3)),
        residual(Matrix::Zero(JacobianLayout(n).rows, 3)),
        slopes(Matrix::Zero(layout.ny(), 3)),
        change(Matrix::Zero(layout.size(), 3)) {}

  Columns x;         // StateLayout
  Columns residual;  // JacobianLayout
  Columns slopes;    // y' of the collocation polynomial, y = (p, v, r)
  Columns change;    // StateLayout
};

// Constraints that are not uniformly redundant, by the codes of GEOMS.
struct RankDefect {
  enum Code {
    none = 0,
    changed = -2401,        // the rank is another one than at the start
    accelerations = -2402,  // the accelerations' constraints have not the rank of the velocities'
    positions = -2403       // nor have the positions'
  };
  Code code = none;
  int expected = 0, found = 0;  // ranks
  int row = -1;                 // the row of G that depends most on others; -1: not known
};

struct SystemContext {
  const Equations& equations;
  Context context;
  const Options& options;
  Statistics& statistics;
  bool redundant =
      false;  // rows of G are redundant: the saddle system takes least-norm multipliers
};

class NewtonSystem {
 public:
  virtual ~NewtonSystem() = default;

  virtual std::string describe() const = 0;

  // Called before the first prepare() after a start, which then finds ranks and selectors anew.
  virtual void forget() = 0;

  // Evaluates the Jacobian and everything that does not depend on h at a point. `rank`: the ranks
  // are not those at the start, or do not fit to each other (rank_defect()). `renew`: new
  // selectors.
  enum class Prepared { done, not_finite, rank, singular };
  virtual Prepared prepare(const State& x, Workspace& ws, bool renew) = 0;
  virtual RankDefect rank_defect() const { return {}; }

  // Factors the matrix for step size h, after prepare().
  virtual bool factor(double h) = 0;

  // Computes Newton's change of the stages.
  virtual void solve(Stages& stages) = 0;

  // (gamma / h - J)^-1 F on the differential part, for F in the place of y'; d is (p, v, r).
  virtual void filter(const Vector& F, Vector& d) = 0;

  // save() stores the state that prepare() depends on, save_factors() the rest. restore() is
  // called before prepare() at the stored point, restore_factors() after it; h = 0: there are none.
  virtual void save(ByteWriter&) const = 0;
  virtual void restore(ByteReader&) = 0;
  virtual void save_factors(ByteWriter&) const = 0;
  virtual void restore_factors(ByteReader&, double h) = 0;
};

std::unique_ptr<NewtonSystem> make_dense_system(const SystemContext& context, Algebraic algebraic);
std::unique_ptr<NewtonSystem> make_saddle_system(const SystemContext& context, bool sparse,
                                                 const std::string& linear);

}  // namespace mbs::radau
