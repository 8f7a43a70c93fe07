#pragma once

// The interface of a discretisation that is extrapolated: one row of the tableau is n of its steps.

#include "engine/integrators/base/integrator.hpp"
#include "engine/integrators/base/state_layout.hpp"
#include "engine/integrators/extrapolation/tableau.hpp"

namespace mbs::extrapolation {

// A point with the values that were evaluated there.
struct StepPoint {
  State x;
  Vector p_dot, f, r_dot;

  StepPoint() = default;
  explicit StepPoint(const Sizes& n)
      : x(n), p_dot(Vector::Zero(n.p)), f(Vector::Zero(n.v)), r_dot(Vector::Zero(n.r)) {}
};

enum class StepResult { done, singular, not_finite, auxiliary };

// (Force or a, r') at the first and the last point within the step, each 1 / n of it from an end.
struct Nearest {
  Vector first, last;
};

// The objects that a discretisation works with; they outlive it.
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
  // The variant that was chosen and why, for the log; empty when there was no choice.
  virtual std::string choice() const { return {}; }

  // Completes the point where a step ended or integration starts, after its position stage;
  // `factored`: the solver holds factors of the matrix there, or, where needs_factors() is false,
  // of one that differs by a projection.
  virtual bool needs_factors() const = 0;
  virtual StepResult arrive(StepPoint& point, bool factored) = 0;
  // Prepares the next step, which begins at the point.
  virtual StepResult prepare(const StepPoint&, bool /*factored*/) { return StepResult::done; }

  // n steps from `begin` to t_end. Fills `end` (a StateLayout) and `slopes`, whose columns are
  // slopes of StateLayout; which points they belong to is between the rule and its interpolant.
  virtual StepResult run(const StepPoint& begin, double t_end, int n, Eigen::Ref<Vector> end,
                         Matrix& slopes) = 0;

  // The sum W_j of the last run, which vanishes but for its errors (kink_detector.hpp); null where
  // the discretisation has none.
  virtual const Vector* vanishing() const { return nullptr; }
  // The forces or accelerations next to the ends of the last run, and the same of a point.
  virtual const Nearest& nearest() const = 0;
  virtual void pack_nearest(const StepPoint& point, Vector& out) const = 0;
  // Turns a difference of the first part into one of v', with the factors that the solver holds.
  virtual void to_accelerations(Eigen::Ref<Vector> /*difference*/) {}

  // The state that arrive() and prepare() leave for the next step in addition to the point.
  virtual void save(ByteWriter&) const {}
  virtual void restore(ByteReader&) {}
};

}  // namespace mbs::extrapolation
