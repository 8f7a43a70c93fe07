#pragma once

// The linear algebra of one step: Newton's matrix at a point, its factors for a step size, and the
// changes they give. Two kinds: dense_system.hpp on the minimal differential part;
// saddle_system.hpp on saddle matrices, sparse, for large models and the index-1 form. Both watch
// the rank.

#include <memory>
#include <string>

#include "engine/integrators/base/integrator.hpp"
#include "engine/integrators/base/stack.hpp"
#include "engine/integrators/radau/collocation.hpp"
#include "engine/integrators/radau/options.hpp"

namespace mbs::radau {

// The three stages under way.
struct Stages {
  Stages(const Sizes& n, const Stack& stack)
      : x(Matrix::Zero(stack.size(), 3)),
        residual(Matrix::Zero(JacobianLayout(n).rows, 3)),
        slopes(Matrix::Zero(stack.ny(), 3)),
        change(Matrix::Zero(stack.size(), 3)) {}

  Columns x;         // Stack
  Columns residual;  // JacobianLayout
  Columns slopes;    // y' of the collocation polynomial, y = (p, v, r)
  Columns change;    // Stack
};

// Constraints that are not uniformly redundant, by the codes of report 001's manual.
struct RankTrouble {
  enum Code {
    none = 0,
    changed = -2401,        // the rank is another one than at the start
    accelerations = -2402,  // the accelerations' constraints have not the rank of the velocities'
    positions = -2403       // nor have the positions'
  };
  Code code = none;
  int expected = 0, found = 0;  // ranks
  int row = -1;                 // of G, that depends most on others; -1: not known
};

struct SystemContext {
  const Equations& equations;
  Context context;
  const Options& options;
  Statistics& statistics;
  bool redundant = false;  // rows of G are: for the saddle system, multipliers of least norm then
};

class NewtonSystem {
 public:
  virtual ~NewtonSystem() = default;

  virtual std::string describe() const = 0;

  // Before the first prepare() after a start: ranks and selectors are those found next.
  virtual void forget() = 0;

  // Jacobian and all that does not depend on h, at a point. False when a matrix is singular, or
  // ranks are not what they were at the start or to each other: see rank_trouble(). `renew`: new
  // selectors.
  enum class Prepared { done, not_finite, rank, singular };
  virtual Prepared prepare(const State& x, Workspace& ws, bool renew) = 0;
  virtual RankTrouble rank_trouble() const { return {}; }

  // For step size h, after prepare().
  virtual bool factor(double h) = 0;

  // Newton's change of the stages.
  virtual void solve(Stages& stages) = 0;

  // (gamma / h - J)^-1 F on the differential part, for F in the place of y'; d is (p, v, r).
  virtual void filter(const Vector& F, Vector& d) = 0;

  // What of the past influences prepare(), and what influences factor() and all else. restore() is
  // for before prepare() at the old point, restore_factors() for after it; h = 0: there are none.
  virtual void save(ByteWriter&) const = 0;
  virtual void restore(ByteReader&) = 0;
  virtual void save_factors(ByteWriter&) const = 0;
  virtual void restore_factors(ByteReader&, double h) = 0;
};

std::unique_ptr<NewtonSystem> make_dense_system(const SystemContext& context, Algebraic algebraic);
std::unique_ptr<NewtonSystem> make_saddle_system(const SystemContext& context, bool sparse,
                                                 const std::string& linear);

}  // namespace mbs::radau
