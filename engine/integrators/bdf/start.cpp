// Starts: consistent values, the first step size and order, a history of given points.

#include <algorithm>
#include <cmath>

#include "engine/equations/initial.hpp"
#include "engine/integrators/base/first_step.hpp"
#include "engine/integrators/bdf/integrator.hpp"

namespace mbs::bdf {

void Integrator::start(const State& x0, double step_hint) {
  ++statistics_.starts;
  run_ = {};
  failure_ = {};
  stepped_ = false;
  corrector_.start();
  x_ = x0;
  Workspace& ws = system_.workspace();
  if (!count(projection_.positions(x_, ws, *solver_), true) ||
      !count(projection_.velocities(x_, ws, *solver_), false)) {
    x_ = x0;
    give_up(0.0, "the state to start from cannot be brought onto the constraints");
  }
  if (!equations_.solve_auxiliary(context_, x_, ws)) {
    fail(StepFailure::Reason::auxiliary);
    x_ = x0;
    give_up(0.0, "the state to start from is not consistent");
  }
  t_begin_ = t_history_ = x_.t;
  begin_ = x_;
  system_.begin(x_);
  restart_ = step_hint > 0.0;
  hint_ = restart_ ? step_hint : options_.initial_step;
  run_ = {true, true, 0, 0.0};
}

void Integrator::start_fixed(std::span<const State> past, double h) {
  start(past[0]);
  Matrix points(system_.size(), static_cast<Eigen::Index>(past.size()));
  for (std::size_t i = 0; i < past.size(); ++i) {
    y_.setZero();
    y_dot_.setZero();
    system_.pack(past[i], y_, y_dot_);
    points.col(static_cast<Eigen::Index>(i)) = y_;
  }
  history_.start(points, h);
  control_.fix(set_first_step(h), static_cast<int>(past.size()) - 1);
}

void Integrator::evaluate_slopes(const State& x, Vector& y_dot) {
  const System::Layout& at = system_.at();
  const Sizes& n = system_.sizes();
  Workspace& ws = system_.workspace();
  equations_.position(context_, x, want_position_all, ws);
  equations_.velocity(context_, x, ws);
  equations_.force(context_, x, want_force_all, ws);
  y_dot.segment(at.p, n.p) = ws.p_dot;
  y_dot.segment(at.v, n.v) = x.a;
  y_dot.segment(at.r, n.r) = ws.b;
  ++statistics_.force_evaluations;
  ++statistics_.matrix_evaluations;
}

// y' and y'' at the start, the first step size and order.
void Integrator::choose_start(double t_stop) {
  y_.setZero();
  y_dot_.setZero();
  system_.pack(x_, y_, y_dot_);
  evaluate_slopes(x_, y_dot_);
  norm_.set_scale(y_);
  const bool dassl = method_.corrector == CorrectorKind::dassl;
  const double longest = longest_step(t_stop);
  const double h = set_first_step(dassl ? first_dassl_step(longest) : first_modern_step(longest));
  const int order = dassl ? 1 : std::min(2, control_.max_order());
  if (order == 1) {
    history_.start(y_, y_dot_, h);
  } else {
    history_.start(y_, y_dot_, e_, h);
  }
  control_.start(h, order);
}

double Integrator::first_dassl_step(double longest) const {
  const double slope = norm_(y_dot_);
  double h = std::isfinite(longest) ? 1e-3 * longest : 1e-3;
  if (slope > 0.5 / h) h = 0.5 / slope;
  return hint_ > 0.0 ? std::min(hint_, longest) : h;
}

// Like first_step.hpp, with y'' in e_ by the accelerations at the end of the trial step.
double Integrator::first_modern_step(double longest) {
  const System::Layout& at = system_.at();
  const Sizes& n = system_.sizes();
  const double slope = norm_(y_dot_);
  double h = trial_step(norm_(y_), slope, longest);
  e_.setZero();
  d_.setZero();
  State& next = begin_;
  const auto second = find_curvature(x_.t, h, [&](double trial) -> std::optional<double> {
    next = x_;
    next.t = x_.t + trial;
    equations_.apply_Z(context_, x_, x_.a, p_change_);
    next.p += trial * y_dot_.segment(at.p, n.p);
    if (p_change_.size() == n.p) next.p += (0.5 * trial * trial) * p_change_;
    next.v += trial * x_.a;
    next.r += trial * y_dot_.segment(at.r, n.r);
    if (!solve_accelerations(equations_, context_, next, system_.workspace(), *solver_)) return {};
    ++statistics_.factorisations;
    ++statistics_.solves;
    evaluate_slopes(next, d_);
    if (!d_.allFinite()) return {};
    e_ = (d_ - y_dot_) / trial;
    y_dot_.segment(at.w, n.w) = (next.w - x_.w) / trial;
    y_dot_.segment(at.s, n.s) = (next.s - x_.s) / trial;
    Vector& multiplier_slope = system_.form() == Form::ggl ? y_dot_ : e_;
    multiplier_slope.segment(at.lambda, n.lambda) = (next.lambda - x_.lambda) / trial;
    e_.segment(at.w, n.w).setZero();
    e_.segment(at.s, n.s).setZero();
    return norm_(e_);
  });
  begin_ = x_;
  // When hardly anything moves, the slopes do not show how long that lasts.
  const double largest = std::max(slope, second.value_or(0.0)), at_rest = 1e-3;
  double first = std::isfinite(longest) ? 1e-3 * longest : 1e-3;
  if (largest > at_rest) first = std::min({100.0 * h, std::cbrt(0.01 / largest), longest});
  if (hint_ > 0.0) {
    first = restart_ ? std::clamp(hint_, 0.1 * first, first) : std::min(hint_, longest);
  }
  return first;
}

}  // namespace mbs::bdf
