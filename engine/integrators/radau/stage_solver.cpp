#include "engine/integrators/radau/stage_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/snapshot.hpp"

namespace mbs::radau {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

// The time of a stage within a step.
double stage_time(int stage, double t, double h) {
  return t + tableau().c[static_cast<std::size_t>(stage)] * h;
}

}  // namespace

StageSolver::StageSolver(const SystemContext& context, const StateLayout& layout, ErrorNorm& norm,
                         double kappa, StepFailure& failure)
    : context_(context),
      layout_(layout),
      norm_(norm),
      kappa_(kappa),
      failure_(failure),
      point_(context.equations.sizes()),
      stages_(context.equations.sizes(), layout),
      trial_(point_),
      F_(layout.ny()),
      d_(layout.ny()) {}

void StageSolver::start() {
  has_jacobian_ = false;
  h_factored_ = 0.0;
  renew_ = true;
  eta_ = 1.0;
  system_->forget();
}

bool StageSolver::fail(StepFailure::Reason reason) {
  failure_.reason = reason;
  return false;
}

void StageSolver::predict(const StepBegin& begin, double h, const Polynomial* last, double h_last) {
  const auto& c = tableau().c;
  lost_rank_within_ = false;
  prolonged_ = last != nullptr;
  for (int k = 0; k < 3; ++k) {
    const double at = c[static_cast<std::size_t>(k + 1)] * h;
    if (prolonged_ && context_.options.extrapolate) {
      last->evaluate(1.0 + at / h_last, stages_.x.col(k));
      continue;
    }
    stages_.x.col(k) = begin.unknowns;
    if (context_.options.extrapolate) stages_.x.col(k).head(layout_.ny()) += at * begin.slope;
  }
}

StageSolver::Result StageSolver::solve(const StepBegin& begin, double h, Workspace& ws) {
  for (int updates = 0;; ++updates) {
    if (!linearise(begin, h, ws)) return {false, 0.5};
    const Newton result = iterate(begin, h, ws);
    if (result == Newton::converged) return {true, 1.0};
    if (result == Newton::diverged && updates < context_.options.newton_updates) {
      take_stage(begin, h, 2, point_);
      has_jacobian_ = false;
      jacobian_here_ = true;  // linearise() takes point_ as it is
      continue;
    }
    if (!jacobian_here_ || context_.options.newton_stage > 0 || result == Newton::diverged) {
      has_jacobian_ = false;
    }
    jacobian_here_ = false;
    renew_ = true;
    return {false, result == Newton::diverged ? shrink_ : 0.5};
  }
}

void StageSolver::rejected() {
  if (!jacobian_here_ || context_.options.newton_stage > 0) has_jacobian_ = false;
}

void StageSolver::accepted(bool keep_jacobian) {
  if (!keep_jacobian) has_jacobian_ = false;
  jacobian_here_ = false;
}

void StageSolver::take_stage(const StepBegin& begin, double h, int stage, State& x) const {
  x = begin.x;
  layout_.unpack(stages_.x.col(stage - 1), x);
  x.t = stage_time(stage, begin.x.t, h);
}

bool StageSolver::linearise(const StepBegin& begin, double h, Workspace& ws) {
  using Prepared = NewtonSystem::Prepared;
  using Reason = StepFailure::Reason;
  const Options& options = context_.options;
  if (!has_jacobian_) {
    if (!jacobian_here_) {
      if (options.newton_stage > 0 && prolonged_) {
        take_stage(begin, h, options.newton_stage, point_);
      } else {
        point_ = begin.x;
      }
    }
    Prepared prepared =
        system_->prepare(point_, ws, renew_ || options.selectors == Selectors::every_step);
    renew_ = false;
    if (prepared == Prepared::rank) {
      rank_defect_ = system_->rank_defect();
      prepared = prepare_elsewhere(begin, h, ws);
    }
    if (prepared != Prepared::done) {
      failure_.at = rank_defect_.row;
      return fail(prepared == Prepared::not_finite ? Reason::not_finite
                  : prepared == Prepared::rank     ? Reason::rank
                                                   : Reason::singular);
    }
    has_jacobian_ = jacobian_here_ = true;
    h_factored_ = 0.0;
  }
  if (h != h_factored_) {
    h_factored_ = 0.0;
    if (!system_->factor(h)) return fail(Reason::singular);
    h_factored_ = h;
  }
  return true;
}

// At Newton's point the constraints may have another rank than at the start. Then another point of
// the step is taken, with the selectors as they are. A rank that is lost at all points is lost for
// good.
NewtonSystem::Prepared StageSolver::prepare_elsewhere(const StepBegin& begin, double h,
                                                      Workspace& ws) {
  using Prepared = NewtonSystem::Prepared;
  for (int stage = 3; stage >= 0; --stage) {
    if (stage > 0) {
      take_stage(begin, h, stage, point_);
    } else {
      point_ = begin.x;
    }
    const Prepared prepared = system_->prepare(point_, ws, false);
    if (prepared == Prepared::rank) continue;
    lost_rank_within_ = prepared == Prepared::done;
    return prepared;
  }
  return Prepared::rank;
}

bool StageSolver::finds_rank_defect(std::span<const State* const> points, Workspace& ws) {
  bool found = false;
  has_jacobian_ = false;
  for (const State* at : points) {
    if (system_->prepare(*at, ws, false) != NewtonSystem::Prepared::rank) continue;
    found = true;
    rank_defect_ = system_->rank_defect();
  }
  return found;
}

bool StageSolver::evaluate_stages(const StepBegin& begin, double h, Workspace& ws) {
  // y' = (Y - y0) A^-T / h
  const int ny = layout_.ny();
  const auto& a = tableau().inverse;
  const auto y0 = begin.y();
  for (int k = 0; k < 3; ++k) {
    stages_.slopes.col(k) =
        (a(k, 0) * (stages_.x.col(0).head(ny) - y0) + a(k, 1) * (stages_.x.col(1).head(ny) - y0) +
         a(k, 2) * (stages_.x.col(2).head(ny) - y0)) /
        h;
    if (context_.options.form == Form::index1) {  // a is v'
      stages_.x.col(k).segment(ny, layout_.v) = stages_.slopes.col(k).segment(layout_.p, layout_.v);
    }
  }
  for (int k = 0; k < 3; ++k) {
    take_stage(begin, h, k + 1, trial_);
    context_.equations.residual(context_.context, trial_, ws);
    stages_.residual.col(k) = ws.residual;
  }
  context_.statistics.force_evaluations += 3;
  context_.statistics.matrix_evaluations += 3;
  return stages_.residual.allFinite();
}

StageSolver::Newton StageSolver::report(Newton result, double size) {
  failure_ = {StepFailure::Reason::newton, size,
              norm_.largest(stages_.change.col(2).head(layout_.ny()))};
  return result;
}

// Simplified Newton with RADAU5's rules; sets theta_, iterations_, and shrink_ when it diverges.
StageSolver::Newton StageSolver::iterate(const StepBegin& begin, double h, Workspace& ws) {
  const int ny = layout_.ny(), most = context_.options.iterations;
  double before = 0.0, rate_before = 0.0;
  eta_ = std::pow(std::max(eta_, epsilon), 0.8);
  theta_ = std::abs(context_.options.jacobian_reuse);
  shrink_ = 0.5;
  for (iterations_ = 1;; ++iterations_) {
    double size = std::numeric_limits<double>::quiet_NaN();
    if (evaluate_stages(begin, h, ws)) {
      system_->solve(stages_);
      size = 0.0;
      for (int k = 0; k < 3; ++k) {
        const double part = norm_(stages_.change.col(k).head(ny));
        size += part * part;
      }
      size = std::sqrt(size / 3.0);
    }
    if (!std::isfinite(size)) {
      fail(StepFailure::Reason::not_finite);
      return Newton::failed;
    }
    if (iterations_ > 1) {
      const double rate = before > 0.0 ? size / before : 0.0;
      theta_ = iterations_ == 2 ? rate : std::sqrt(rate * rate_before);
      rate_before = rate;
      if (!(theta_ < 0.99)) return report(Newton::diverged, size);
      eta_ = theta_ / (1.0 - theta_);
      const int left = most - iterations_;
      const double expected = eta_ * size * std::pow(theta_, left) / kappa_;
      if (expected >= 1.0) {
        shrink_ = 0.8 * std::pow(std::clamp(expected, 1e-4, 20.0), -1.0 / (4.0 + left));
        return report(Newton::diverged, size);
      }
    }
    before = std::max(size, epsilon);
    stages_.x += stages_.change;
    if (eta_ * size <= kappa_) return Newton::converged;
    if (iterations_ >= most) return report(Newton::diverged, size);
  }
}

double StageSolver::estimate(const StepBegin& begin, double h, bool refine, Workspace& ws,
                             SaddleSolver& solver) {
  const int ny = layout_.ny();
  const auto& e = tableau().e;
  F_ = begin.slope;
  for (int k = 0; k < 3; ++k) F_ += e[k] / h * (stages_.x.col(k).head(ny) - begin.y());
  system_->filter(F_, d_);
  const double error = norm_(d_);
  if (error < 1.0 || !refine) return error;
  // f(x0 + d) takes the place of f(x0)
  const JacobianLayout at(context_.equations.sizes());
  trial_ = begin.x;
  d_ += begin.y();
  layout_.unpack_y(d_, trial_);
  context_.equations.residual(context_.context, trial_, ws);
  ++context_.statistics.force_evaluations;
  ++context_.statistics.matrix_evaluations;
  stages_.residual.col(0) = ws.residual;
  // the change of a, by the factors at x0
  trial_.a = ws.residual.segment(at.dynamics, layout_.v);
  trial_.lambda = -ws.residual.segment(at.acceleration, layout_.lambda);
  solver.solve(trial_.a, trial_.lambda);
  F_.head(layout_.p) += ws.residual.segment(at.kinematics, layout_.p) - begin.slope.head(layout_.p);
  F_.segment(layout_.p, layout_.v) += trial_.a;
  F_.tail(layout_.r) += ws.residual.segment(at.r, layout_.r) - begin.slope.tail(layout_.r);
  system_->filter(F_, d_);
  return norm_(d_);
}

// Newton's matrix is not stored but its point and step size: computing it again gives the same
// bits.
void StageSolver::save(ByteWriter& out) const {
  out.put(eta_);
  for (const bool flag : {has_jacobian_, jacobian_here_, renew_}) out.put(flag);
  out.put(h_factored_);
  system_->save(out);
  if (has_jacobian_) point_.save(out);
  system_->save_factors(out);
}

void StageSolver::restore(ByteReader& in, Workspace& ws) {
  in.get(eta_);
  for (bool* flag : {&has_jacobian_, &jacobian_here_, &renew_}) *flag = get_bool(in);
  in.get(h_factored_);
  system_->restore(in);
  if (has_jacobian_) {
    point_.restore(in);
    if (system_->prepare(point_, ws, false) != NewtonSystem::Prepared::done) {
      throw std::runtime_error("the stored Newton matrix cannot be made again");
    }
  }
  system_->restore_factors(in, has_jacobian_ ? h_factored_ : 0.0);
}

}  // namespace mbs::radau
