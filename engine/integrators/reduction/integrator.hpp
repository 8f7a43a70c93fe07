#pragma once

// Reduction to independent coordinates: accelerations and multipliers from
//
//   ( M  G^T ) (   a    )   (   f    )
//   ( G   0  ) ( lambda ) = ( -gamma )
//
// integrated by one variable-order variable-step Adams method (adams.hpp, controller.hpp), where
// predicted and corrected points are projected onto the constraints along the dependent coordinates
// (coordinates.hpp) as the method says (options.hpp).
//
// The history holds the slopes of all of p, v, r; the independent coordinates are linear functions
// of p and v and their history the same functions of it. New coordinates therefore cost neither a
// restart, as they do in the reduction survey, nor an order. The error estimate is that of all of
// p, v, r, since a dependent coordinate's error is the independent ones' and the tolerance is
// stated for both. Initial values are found by engine/equations/initial.hpp and not by the survey's
// Newton.

#include "engine/integrators/base/integrator_base.hpp"
#include "engine/integrators/base/state_layout.hpp"
#include "engine/integrators/base/stiffness.hpp"
#include "engine/integrators/reduction/adams.hpp"
#include "engine/integrators/reduction/controller.hpp"
#include "engine/integrators/reduction/coordinate_choice.hpp"

namespace mbs::reduction {

class Integrator final : public IntegratorBase {
 public:
  // options.max_order: 1 ... 12 (0: 12).
  Integrator(const Equations& equations, Context context, const IntegratorOptions& options);

  std::string_view name() const override { return "reduction"; }
  std::string describe() const override;
  void start(const State& x0, double step_hint = 0.0) override;
  void step(double t_stop) override;

  // The dependent columns of v by rows of G; empty when the method has none.
  const std::vector<int>& dependent() const { return choice_.coordinates().dependent(); }
  // hybrid: the point is near a singular position, and it works as partition.
  bool near_singular() const { return choice_.near_singular(); }
  long passages() const { return choice_.passages(); }
  // Methods that leave positions off the constraints: the largest |g / g_scale| so far.
  double largest_drift() const { return largest_drift_; }

 private:
  enum class Attempt { accepted, rejected, failed };
  // The corrections of a point before it is evaluated, and Baumgarte's terms in its evaluation.
  struct Correction {
    bool positions, velocities, stabilise;
  };

  Attempt attempt(double t_end, bool in_place);
  bool drifts() const;
  Correction predicted() const;
  Correction corrected(State& x);
  bool evaluate(State& x, Correction correction, Vector& slope);
  bool off_constraints(State& x);
  void accept(double t_end, bool in_place);
  void choose_at_begin();
  void require(bool chosen);
  void adapt_stabilisation();
  double choose_step(double t_stop);
  bool count(const ProjectionResult& result);
  [[noreturn]] void give_up(double H, const std::string& event) const;
  void evaluate_interpolant(double t, State& x) override;
  void save_method(ByteWriter&) const override;
  void restore_method(ByteReader&) override;

  Options method_;
  StateLayout layout_;
  ErrorNorm norm_;
  std::unique_ptr<Workspace> ws_;
  CoordinateChoice choice_;
  Adams adams_;
  Controller control_;
  int order_ = 0;  // of the last step; 0: there was none
  double alpha_ = 0.0, beta_ = 0.0;
  double largest_drift_ = 0.0;  // |g / g_scale| at the ends of steps, where it is not projected
  State next_;                  // the end of the step under way
  Vector g_scale_;
  Vector y_, y_next_;  // of x_, next_
  Vector slope_, drift_;
  Vector y0_, y1_, y_at_, slope_at_;  // of the interpolation
  StiffnessDetector stiffness_;
};

}  // namespace mbs::reduction
