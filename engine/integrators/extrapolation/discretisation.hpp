#pragma once

// A discretisation that is extrapolated: one row of the tableau is n of its steps.

#include "engine/integrators/base/integrator.hpp"
#include "engine/integrators/base/stack.hpp"
#include "engine/integrators/extrapolation/tableau.hpp"

namespace mbs::extrapolation {

// A point with what is evaluated there.
struct StepPoint {
  State x;
  Vector p_dot, f, r_dot;

  StepPoint() = default;
  explicit StepPoint(const Sizes& n)
      : x(n), p_dot(Vector::Zero(n.p)), f(Vector::Zero(n.v)), r_dot(Vector::Zero(n.r)) {}
};

enum class StepResult { done, singular, not_finite, auxiliary };

// What v' and r' are made of, (force or a, r'), at the first and the last point within the step,
// each 1 / n of it from an end.
struct Nearest {
  Vector first, last;
};

// What rules work with; everything outlives them.
struct DiscretisationContext {
  const Equations& equations;
  Context context;
  Workspace& ws;
  SaddleSolver& solver;
  Statistics& statistics;
};

class Discretisation {
 public:
  virtual ~Discretisation() = default;

  virtual const Expansion& expansion() const = 0;
  // Row j evaluates (M, G, gI) n_j - saved() times.
  virtual int saved() const = 0;
  // For the log: what was chosen and why; empty when there was no choice.
  virtual std::string choice() const { return {}; }

  // Completes the point where a step ended or integration starts, after its position stage;
  // `factored`: the solver holds factors of the matrix there, or (needs_factors() is false) of one
  // that differs by a projection.
  virtual bool needs_factors() const = 0;
  virtual StepResult arrive(StepPoint& point, bool factored) = 0;
  // The point is where the next step begins: what that takes from it.
  virtual StepResult settle(const StepPoint&, bool /*factored*/) { return StepResult::done; }

  // n steps from `begin` to t_end. Fills `end` (a Stack) and `slopes`, whose columns are slopes of
  // Stack; which points they belong to is between the rule and its interpolant.
  virtual StepResult run(const StepPoint& begin, double t_end, int n, Eigen::Ref<Vector> end,
                         Matrix& slopes) = 0;

  // Of the last run: what vanishes but for its errors (within.hpp), where that is asked for.
  virtual const Vector* vanishing() const { return nullptr; }
  // Of the last run; the same of a point; and what a difference of the first part is of v', with
  // the factors that the solver holds.
  virtual const Nearest& nearest() const = 0;
  virtual void pack_nearest(const StepPoint& point, Vector& out) const = 0;
  virtual void to_accelerations(Eigen::Ref<Vector> /*difference*/) {}

  // What arrive() leaves for the next step, beside the point.
  virtual void save(ByteWriter&) const {}
  virtual void restore(ByteReader&) {}
};

}  // namespace mbs::extrapolation
