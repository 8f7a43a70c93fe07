// One attempt at a step: predict, evaluate, correct, evaluate, with the projections that the method
// makes.

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/equations/initial.hpp"
#include "engine/integrators/reduction/integrator.hpp"

namespace mbs::reduction {

Integrator::Attempt Integrator::attempt(double t_end, bool in_place) {
  const double h = t_end - x_.t;
  const int k = std::min(control_.order(), adams_.nodes()), ny = layout_.ny();
  const auto error = [&](int m) { return norm_(adams_.error(slope_, m).head(ny)); };
  adams_.plan(t_end, k);
  adams_.predict(y_, y_next_);
  next_ = x_;
  next_.t = t_end;
  if (layout_.w + layout_.s > 0 || equations_.structure().f_depends_on_lambda) {
    adams_.extrapolate(slope_);
    layout_.unpack_algebraic(slope_, next_);
  }
  layout_.unpack_y(y_next_, next_);
  norm_.set_scale(y_, y_next_);
  if (!evaluate(next_, predicted(), slope_)) return Attempt::failed;
  const double own = error(k);
  if (!std::isfinite(own)) {
    fail(StepFailure::Reason::not_finite);
    return Attempt::failed;
  }
  const double below = k > 1 ? error(k - 1) : -1.0;
  if (own > 1.0) {
    failure_ = {StepFailure::Reason::error_test, own,
                norm_.largest(adams_.error(slope_, k).head(ny))};
    control_.rejected(h, below, own);
    return Attempt::rejected;
  }
  const double above = control_.may_rise() && adams_.nodes() > k ? error(k + 1) : -1.0;
  adams_.correct(slope_, y_next_);
  layout_.unpack_y(y_next_, next_);
  if (!evaluate(next_, corrected(next_), slope_)) return Attempt::failed;
  order_ = k;
  accept(t_end, in_place);
  control_.accepted(h, below, own, above, adams_.nodes());
  if (drifts() && g_scale_.size() > 0) {
    largest_drift_ = std::max(largest_drift_, (ws_->g.array() / g_scale_.array()).abs().maxCoeff());
  }
  require(choice_.renew(x_, *ws_, statistics_, warnings_));
  return Attempt::accepted;
}

void Integrator::accept(double t_end, bool in_place) {
  t_begin_ = x_.t;
  std::swap(begin_, x_);
  std::swap(x_, next_);
  layout_.pack_y(x_, y_);
  adams_.push(t_end, slope_, in_place);
}

void Integrator::require(bool chosen) {
  if (chosen) return;
  fail(StepFailure::Reason::singular);
  give_up(control_.step(), "no independent coordinates can be chosen");
}

void Integrator::choose_at_begin() {
  if (layout_.lambda == 0) return;
  equations_.position(context_, x_, want_M | want_G, *ws_);
  require(choice_.choose(x_, *ws_, statistics_));
  choice_.check_singularity(*ws_, warnings_);
}

// True when the method leaves positions off the constraints by more than Newton's method does.
bool Integrator::drifts() const {
  return method_.method == Method::stabilized || method_.method == Method::hybrid ||
         (method_.method == Method::nullspace && !method_.position_correction);
}

Integrator::Correction Integrator::predicted() const {
  switch (method_.method) {
    case Method::partition:
    case Method::svd:
      return {true, true, false};
    case Method::nullspace:
      return {false, true, false};
    case Method::stabilized:
      return {false, false, true};
    case Method::hybrid:
      return {near_singular(), near_singular(), !near_singular()};
  }
  return {};
}

Integrator::Correction Integrator::corrected(State& x) {
  Correction correction = predicted();
  if (method_.method == Method::nullspace) correction.positions = method_.position_correction;
  if (correction.stabilise && method_.method == Method::hybrid) {
    correction.positions = correction.velocities = off_constraints(x);
  }
  return correction;
}

// hybrid: true when the distance from the constraints is larger than the tolerance. Uses y_next_.
bool Integrator::off_constraints(State& x) {
  equations_.position(context_, x, want_G | want_g, *ws_);
  return choice_.coordinates().distance(x, *ws_, norm_, y_next_) > 1.0;
}

// Corrects x and finds a, lambda, w, s and the slopes there.
bool Integrator::evaluate(State& x, Correction correction, Vector& slope) {
  using Reason = StepFailure::Reason;
  Coordinates& coordinates = choice_.coordinates();
  if (correction.positions) {
    if (!count(coordinates.positions(x, *ws_))) return false;
  } else {
    equations_.normalise(x);
    if (layout_.s > 0 && !equations_.solve_auxiliary(context_, x, *ws_)) {
      return fail(Reason::auxiliary);
    }
  }
  equations_.position(context_, x, want_M | want_G | (drifts() ? want_g : 0u), *ws_);
  ++statistics_.matrix_evaluations;
  if (correction.velocities && !count(coordinates.velocities(x, *ws_, !correction.positions))) {
    return false;
  }
  equations_.velocity(context_, x, *ws_);
  if (correction.stabilise) {
    drift_ = 2.0 * alpha_ * ws_->G_v;
    drift_.head(ws_->g.size()) += beta_ * beta_ * ws_->g;
  }
  const SaddleStatistics& linear = solver_->statistics();
  const long factorisations = linear.factorisations, solves = linear.solves;
  const bool solved = solve_accelerations_here(equations_, context_, x, *ws_, *solver_,
                                               correction.stabilise ? &drift_ : nullptr);
  statistics_.factorisations += linear.factorisations - factorisations;
  statistics_.solves += linear.solves - solves;
  ++statistics_.force_evaluations;
  if (!solved) return fail(!ws_->f.allFinite() ? Reason::not_finite : Reason::singular);
  if (layout_.r > 0) equations_.force(context_, x, want_b, *ws_);
  layout_.pack_slopes(x, ws_->p_dot, ws_->b, slope);
  return slope.allFinite() || fail(Reason::not_finite);
}

// Keeps c / 4 <= alpha h <= c and alpha constant as long as that holds. It rises by a tenth a step,
// from a small value after the start, and not while steps become shorter: in a short step a large
// alpha would make small residuals ask for a shorter step, and that for a larger alpha, without end
// near singular positions.
void Integrator::adapt_stabilisation() {
  if (method_.alpha > 0.0 || method_.beta > 0.0 || control_.starting()) return;
  const double most = 0.04 / control_.step();
  if (alpha_ > most) {
    alpha_ = 0.5 * most;
  } else if (alpha_ < 0.25 * most && control_.step() >= statistics_.last_step) {
    alpha_ = alpha_ > 0.0 ? 1.1 * alpha_ : 1e-3 * most;
  }
  beta_ = alpha_;
}

}  // namespace mbs::reduction
