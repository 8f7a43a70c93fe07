#pragma once

// Newton's method on the three stages of a step and the error estimate, with the life of Newton's
// matrix: the point and the step size that it belongs to.

#include <memory>
#include <span>
#include <utility>

#include "engine/base/error_norm.hpp"
#include "engine/integrators/base/step_failure.hpp"
#include "engine/integrators/radau/interpolant.hpp"
#include "engine/integrators/radau/newton_system.hpp"

namespace mbs::radau {

// The begin of a step: the state, its unknowns in the order of StateLayout, and y' of
// y = (p, v, r).
struct StepBegin {
  StepBegin(const State& state, const StateLayout& layout)
      : x(state), unknowns(Vector::Zero(layout.size())), slope(Vector::Zero(layout.ny())) {}
  auto y() const { return unknowns.head(slope.size()); }

  const State& x;
  Vector unknowns, slope;
};

class StageSolver {
 public:
  StageSolver(const SystemContext& context, const StateLayout& layout, ErrorNorm& norm,
              double kappa, StepFailure& failure);

  void set_system(std::unique_ptr<NewtonSystem> system) { system_ = std::move(system); }
  NewtonSystem& system() { return *system_; }
  const NewtonSystem& system() const { return *system_; }

  void start();
  void begin() { rank_defect_ = {}; }  // of a step, before its attempts
  // Starting values of the stages: `last`, the polynomial of the last step of length h_last, is
  // prolonged; null: Taylor's first terms.
  void predict(const StepBegin& begin, double h, const Polynomial* last, double h_last);
  // Solves for the stages. On failure `shrink` is the factor for the next step size.
  struct Result {
    bool converged;
    double shrink;
  };
  Result solve(const StepBegin& begin, double h, Workspace& ws);
  // The norm of the error estimate. `refine`: stiff parts are damped once more where it fails; the
  // solver has factors of the saddle matrix at the beginning.
  double estimate(const StepBegin& begin, double h, bool refine, Workspace& ws,
                  SaddleSolver& solver);

  void rejected();
  void accepted(bool keep_jacobian);
  void drop_matrix() { has_jacobian_ = jacobian_here_ = false; }
  // Looks for a rank defect at two points; on success the workspace is left as of the last one.
  bool finds_rank_defect(std::span<const State* const> points, Workspace& ws);

  Stages& stages() { return stages_; }
  const Vector& error() const { return d_; }
  int iterations() const { return iterations_; }
  double theta() const { return theta_; }  // the rate of convergence
  const RankDefect& rank_defect() const { return rank_defect_; }
  void set_rank_defect(const RankDefect& defect) { rank_defect_ = defect; }
  // The rank was lost at the matrix' point but not everywhere in the step.
  bool lost_rank_within() const { return lost_rank_within_; }

  void save(ByteWriter&) const;
  void restore(ByteReader&, Workspace& ws);

 private:
  enum class Newton { converged, diverged, failed };
  bool linearise(const StepBegin& begin, double h, Workspace& ws);
  NewtonSystem::Prepared prepare_elsewhere(const StepBegin& begin, double h, Workspace& ws);
  Newton iterate(const StepBegin& begin, double h, Workspace& ws);
  bool evaluate_stages(const StepBegin& begin, double h, Workspace& ws);
  void take_stage(const StepBegin& begin, double h, int stage, State& x) const;
  Newton report(Newton result, double size);
  bool fail(StepFailure::Reason reason);

  SystemContext context_;
  StateLayout layout_;
  ErrorNorm& norm_;
  double kappa_;
  StepFailure& failure_;
  std::unique_ptr<NewtonSystem> system_;

  State point_;  // of Newton's matrix
  bool has_jacobian_ = false, jacobian_here_ = false, renew_ = true;
  double h_factored_ = 0.0;  // 0: there are no factors
  bool prolonged_ = false;   // the stages are those of a polynomial
  RankDefect rank_defect_;
  bool lost_rank_within_ = false;

  Stages stages_;
  int iterations_ = 0;
  double theta_ = 0.0, eta_ = 1.0, shrink_ = 0.5;
  State trial_;
  Vector F_, d_;
};

}  // namespace mbs::radau
