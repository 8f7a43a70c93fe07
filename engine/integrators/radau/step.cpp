// An attempt at a step, and its end: projection onto the constraints, accelerations and
// multipliers, the polynomial.

#include <cmath>

#include "engine/equations/initial.hpp"
#include "engine/integrators/radau/integrator.hpp"

namespace mbs::radau {

// One attempt at a step: the stages, the error test, the projected end.
Integrator::Attempt Integrator::attempt(double t_end, bool any_error) {
  const double h = t_end - x_.t;
  norm_.set_scale(now_.y());
  stage_solver_.predict(now_, h, has_polynomial_ ? &polynomial_ : nullptr, x_.t - t_begin_);
  const StageSolver::Result result = stage_solver_.solve(now_, h, *ws_);
  if (stage_solver_.lost_rank_within()) warn_of_lost_rank(x_.t + 0.5 * h);
  if (!result.converged) {
    control_.failed(h, result.shrink);
    return Attempt::failed;
  }
  const bool refine = !at_singular_point_ && control_.first_or_rejected();
  const double error = any_error ? 0.5 : stage_solver_.estimate(now_, h, refine, *ws_, *solver_);
  if (!std::isfinite(error)) {
    fail(StepFailure::Reason::not_finite);
    control_.failed(h, 0.5);
    return Attempt::failed;
  }
  if (!control_.acceptable(error)) {
    failure_ = {StepFailure::Reason::error_test, error, norm_.largest(stage_solver_.error())};
    control_.rejected(h, error, stage_solver_.iterations());
    stage_solver_.rejected();
    return Attempt::rejected;
  }
  if (!finish(t_end)) {
    control_.failed(h, 0.5);
    return Attempt::failed;
  }
  control_.accepted(h, error, stage_solver_.iterations(), stage_solver_.theta());
  stage_solver_.accepted(control_.keep_jacobian());
  count_step(5);
  return Attempt::accepted;
}

// Makes the next point of the third stage.
bool Integrator::finish(double t_end) {
  trial_ = x_;
  trial_.t = t_end;
  layout_.unpack(stage_solver_.stages().x.col(2), trial_);
  const bool regular = arrive(trial_);
  if (!regular && !pass_singular_point(t_end)) return false;
  if (regular && equations_.sizes().e > 0 && !restore_invariants(trial_, t_end - x_.t)) {
    return false;
  }
  if (regular && redundant_ > 0 && rank_has_risen(trial_)) return false;
  at_singular_point_ = !regular;
  layout_.pack(trial_, scratch_);
  polynomial_.set(now_.unknowns, stage_solver_.stages().x, scratch_);
  has_polynomial_ = true;
  accept(trial_);
  return true;
}

// Projects x onto the constraints and finds w, a, lambda; leaves factors of the saddle matrix there
// in solver_ and the slopes of (p, v, r) in slope_.
bool Integrator::arrive(State& x) {
  using Reason = StepFailure::Reason;
  if (!count(projection_.positions(x, *ws_, *solver_), true) ||
      !count(projection_.velocities(x, *ws_, *solver_), false)) {
    return false;
  }
  if (layout_.w > 0 && !equations_.solve_auxiliary(context_, x, *ws_)) {
    return fail(Reason::auxiliary);
  }
  if (!solve_accelerations(equations_, context_, x, *ws_, *solver_)) {
    return fail(ws_->f.allFinite() ? Reason::singular : Reason::not_finite);
  }
  ++statistics_.force_evaluations;
  ++statistics_.matrix_evaluations;
  ++statistics_.factorisations;
  ++statistics_.solves;
  return evaluate_slope(x) || fail(Reason::not_finite);
}

// The slopes of (p, v, r) after the velocity stage; false where they are not finite.
bool Integrator::evaluate_slope(const State& x) {
  if (layout_.r > 0) equations_.force(context_, x, want_b, *ws_);
  slope_.head(layout_.p) = ws_->p_dot;
  slope_.segment(layout_.p, layout_.v) = x.a;
  slope_.tail(layout_.r) = ws_->b;
  return slope_.allFinite();
}

// Accepts an end of a step at which the saddle matrix is singular: the third stage stays as it is,
// with a and lambda of the collocation.
bool Integrator::pass_singular_point(double t_end) {
  if (failure_.reason != StepFailure::Reason::singular || at_singular_point_ ||
      choice_.form == Form::index1) {
    return false;
  }
  layout_.unpack(stage_solver_.stages().x.col(2), trial_);
  trial_.t = t_end;
  equations_.position(context_, trial_, want_M | want_G, *ws_);
  equations_.velocity(context_, trial_, *ws_);
  if (!evaluate_slope(trial_)) return false;
  warn_of_lost_rank(t_end);
  return true;
}

bool Integrator::restore_invariants(State& x, double h) {
  constexpr int most = 8;
  constexpr double enough = 1e-9;
  double before = 0.0;
  for (int k = 0; k < most; ++k) {
    if (!invariants_.find_change(x, h, *ws_, *solver_, statistics_)) return arrive(x);
    const double change = norm_(invariants_.change());
    if (!std::isfinite(change) || (k > 0 && change > 2.0 * before)) return arrive(x);
    x.p += invariants_.change().head(layout_.p);
    x.v += invariants_.change().segment(layout_.p, layout_.v);
    if (!arrive(x)) return false;
    if (change <= enough || (k > 1 && change > 0.5 * before)) break;
    before = change;
  }
  return true;
}

// x becomes the end of the last step.
void Integrator::accept(const State& x) {
  begin_ = x_;
  t_begin_ = x_.t;
  x_ = x;
  layout_.pack(x_, now_.unknowns);
  now_.slope = slope_;
}

// A step far below the natural one: p, v, r by Taylor's formula.
void Integrator::shift(double t_end) {
  const double h = t_end - x_.t;
  trial_ = x_;
  trial_.t = t_end;
  auto y = scratch_.head(layout_.ny());
  y = now_.y() + h * now_.slope;
  layout_.unpack_y(y, trial_);
  if (!arrive(trial_)) give_up(h, "a last short step fails");
  layout_.pack(trial_, scratch_);
  const auto& c = tableau().c;
  for (int k = 0; k < 2; ++k) {
    stage_solver_.stages().x.col(k) =
        now_.unknowns + c[static_cast<std::size_t>(k + 1)] * (scratch_ - now_.unknowns);
  }
  polynomial_.set(now_.unknowns, stage_solver_.stages().x, scratch_);
  has_polynomial_ = false;  // it is too short to be prolonged
  stage_solver_.drop_matrix();
  accept(trial_);
  count_step(1);
}

}  // namespace mbs::radau
