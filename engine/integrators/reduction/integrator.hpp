#pragma once

// The reductions to independent coordinates of report 004: accelerations and multipliers from
//
//   ( M  G^T ) (   a    )   (   f    )
//   ( G   0  ) ( lambda ) = ( -gamma )
//
// integrated by one variable-order variable-step Adams method (adams.hpp, adams_control.hpp), where
// what is predicted and corrected is brought onto the constraints along the dependent coordinates
// (coordinates.hpp) as the method says (method.hpp).
//
// The history holds the slopes of all of p, v, r; the independent coordinates are linear functions
// of p and v and their history the same functions of it. So new coordinates cost no restart, as
// they do in the report, nor an order. The error estimate is that of all of p, v, r, since a
// dependent coordinate's error is the independent ones' and the tolerance is stated for both.
//
// What is not there: the report's Newton for initial values (engine/equations/initial.hpp has it).

#include "engine/equations/projection.hpp"
#include "engine/integrators/base/stack.hpp"
#include "engine/integrators/base/stiffness.hpp"
#include "engine/integrators/base/trouble.hpp"
#include "engine/integrators/reduction/adams.hpp"
#include "engine/integrators/reduction/controller.hpp"
#include "engine/integrators/reduction/coordinates.hpp"
#include "engine/integrators/reduction/options.hpp"

namespace mbs::reduction {

class Integrator final : public mbs::Integrator {
 public:
  // options.max_order: 1 ... 12 (0: 12).
  Integrator(const Equations& equations, Context context, const IntegratorOptions& options);

  std::string_view name() const override { return "reduction"; }
  std::string describe() const override;
  const SaddleStatistics& linear_statistics() const override { return solver_->statistics(); }
  void start(const State& x0, double step_hint = 0.0) override;
  void step(double t_stop) override;
  void interpolate(double t, bool projected, State& x) override;
  void save(ByteWriter&) const override;
  void restore(ByteReader&) override;

  // What depends now, columns of v by rows of G; empty when the method has none.
  const std::vector<int>& dependent() const { return coordinates_.dependent(); }
  // hybrid: the point is near a singular position, and it works as partition.
  bool near_singular() const { return near_singular_; }
  long passages() const { return passages_; }
  // Of the methods that leave positions off the constraints: the largest |g / g_scale| so far.
  double largest_drift() const { return largest_drift_; }

 private:
  using Method = Options::Method;
  enum class Attempt { accepted, rejected, failed };
  // What is done to a point before it is evaluated.
  struct Bring {
    bool positions, velocities, drift;
  };

  Attempt attempt(double t_end, bool in_place);
  bool drifts() const;
  Bring predicted() const;
  Bring corrected(State& x);
  bool evaluate(State& x, Bring bring, Vector& slope);
  bool off_constraints(State& x);
  void accept(double t_end, bool in_place);
  void choose_coordinates();
  void choose_at_begin();
  void renew_coordinates();
  void look_for_singularity();
  double energy_in_dependent();
  void follow_drift();
  void watch_stiffness();
  double choose_step(double t_stop);
  bool note(const ProjectionResult& result);
  [[noreturn]] void give_up(double H, const std::string& reason) const;

  const Equations& equations_;
  Context context_;
  IntegratorOptions options_;
  Options method_;
  Stack stack_;
  ErrorNorm norm_;
  std::unique_ptr<Workspace> ws_;
  std::unique_ptr<SaddleSolver> solver_;
  Coordinates coordinates_;
  Adams adams_;
  Controller control_;

  bool started_ = false;
  bool choose_ = false;          // the first step size is still to be chosen
  long attempts_ = 0;            // since start()
  double scale_of_steps_ = 0.0;  // the first step's size, for what a tiny step is at t = 0
  int order_ = 0;                // of the last step; 0: there was none
  double alpha_ = 0.0, beta_ = 0.0;
  double fresh_influence_ = 0.0;  // of the coordinates when they were chosen
  int steps_to_look_ = 0;         // at the influence again
  double fresh_energy_ = 0.0;     // svd: in what depends, which gI asks for
  bool near_singular_ = false;    // hybrid: as partition for now
  long passages_ = 0;             // how often it became so
  double largest_drift_ = 0.0;    // |g / g_scale| at the ends of steps, where it is not projected
  State begin_, next_;            // begin of the last step, end of the one under way
  Vector g_scale_;
  Vector y_, y_next_;  // of x_, next_
  Vector slope_, drift_, v_D_, Mv_;

  std::unique_ptr<Workspace> view_ws_;  // of interpolate()
  std::unique_ptr<SaddleSolver> view_solver_;
  Projection view_projection_;
  Vector view_y0_, view_y1_, view_y_, view_slope_;
  Stiffness stiffness_;

  // Why the last attempt came to nothing, for the message when none succeeds.
  Trouble trouble_ = Trouble::none;
  double trouble_size_ = 0.0;
  int trouble_at_ = -1;
};

}  // namespace mbs::reduction
