// Starts: consistent values, the first step size and order, a history of given points.

#include <algorithm>
#include <cmath>

#include "engine/equations/initial.hpp"
#include "engine/integrators/bdf/integrator.hpp"

namespace mbs::bdf {

void Integrator::start(const State& x0, double step_hint) {
  ++statistics_.starts;
  started_ = false;
  trouble_ = Trouble::none;
  attempts_ = 0;
  steps_ = 0;
  corrector_.start();
  x_ = x0;
  Workspace& ws = system_.workspace();
  if (!check(projection_.positions(x_, ws, *solver_), true) ||
      !check(projection_.velocities(x_, ws, *solver_), false)) {
    x_ = x0;
    give_up(0.0, "the state to start from cannot be brought onto the constraints");
  }
  if (!equations_.solve_auxiliary(context_, x_, ws)) {
    trouble_ = Trouble::auxiliary;
    x_ = x0;
    give_up(0.0, "the state to start from is not consistent");
  }
  t_begin_ = t_history_ = x_.t;
  begin_ = x_;
  system_.begin(x_);
  restart_ = step_hint > 0.0;
  hint_ = restart_ ? step_hint : options_.initial_step;
  choose_ = true;
  started_ = true;
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
  h_ = scale_of_steps_ = h;
  k_ = fixed_order_ = static_cast<int>(past.size()) - 1;
  choose_ = raising_ = false;
}

// y' and y'' at the start, the first step size and order. y'' from accelerations a little later;
// the step size after Hairer, Norsett, Wanner I, section II.4, or DASSL's.
void Integrator::choose_start(double t_stop) {
  const System::Layout& at = system_.at();
  const Sizes& n = system_.sizes();
  Workspace& ws = system_.workspace();
  const auto slopes = [&](const State& x, Vector& y_dot) {
    equations_.position(context_, x, want_position_all, ws);
    equations_.velocity(context_, x, ws);
    equations_.force(context_, x, want_force_all, ws);
    y_dot.segment(at.p, n.p) = ws.p_dot;
    y_dot.segment(at.v, n.v) = x.a;
    y_dot.segment(at.r, n.r) = ws.b;
    ++statistics_.force_evaluations;
    ++statistics_.matrix_evaluations;
  };
  y_.setZero();
  y_dot_.setZero();
  system_.pack(x_, y_, y_dot_);
  slopes(x_, y_dot_);
  norm_.set(y_);
  const double size = norm_(y_), slope = norm_(y_dot_);
  double most = t_stop - x_.t;
  if (options_.max_step > 0.0) most = std::min(most, options_.max_step);
  if (bdf_.corrector == CorrectorKind::dassl) {
    double h = std::isfinite(most) ? 1e-3 * most : 1e-3;
    if (slope > 0.5 / h) h = 0.5 / slope;
    if (hint_ > 0.0) h = std::min(hint_, most);
    h_ = std::max(h, options_.min_step);
    k_ = 1;
    history_.start(y_, y_dot_, h_);
  } else {
    double h = size < 1e-5 || slope < 1e-5 ? 1e-6 : 0.01 * size / slope;
    h = std::min(h, 0.5 * most);
    e_.setZero();  // y''
    d_.setZero();
    State& next = begin_;
    double curvature = 0.0;
    for (int tries = 0; tries < 10 && x_.t + h > x_.t; ++tries, h *= 0.1) {
      next = x_;
      next.t = x_.t + h;
      equations_.apply_Z(context_, x_, x_.a, view_y_dot_);
      next.p += h * y_dot_.segment(at.p, n.p);
      if (view_y_dot_.size() == n.p) next.p += (0.5 * h * h) * view_y_dot_;
      next.v += h * x_.a;
      next.r += h * y_dot_.segment(at.r, n.r);
      if (!solve_accelerations(equations_, context_, next, ws, *solver_)) continue;
      ++statistics_.factorisations;
      ++statistics_.solves;
      slopes(next, d_);
      if (!d_.allFinite()) continue;
      e_ = (d_ - y_dot_) / h;
      y_dot_.segment(at.w, n.w) = (next.w - x_.w) / h;
      y_dot_.segment(at.s, n.s) = (next.s - x_.s) / h;
      if (system_.form() == Form::ggl) {
        y_dot_.segment(at.lambda, n.lambda) = (next.lambda - x_.lambda) / h;
      } else {
        e_.segment(at.lambda, n.lambda) = (next.lambda - x_.lambda) / h;
      }
      e_.segment(at.w, n.w).setZero();
      e_.segment(at.s, n.s).setZero();
      curvature = norm_(e_);
      break;
    }
    view_y_dot_.setZero(system_.size());
    begin_ = x_;
    // Where hardly anything moves nothing says how long that lasts.
    const double largest = std::max(slope, curvature), at_rest = 1e-3;
    if (largest <= at_rest) {
      h_ = std::isfinite(most) ? 1e-3 * most : 1e-3;
    } else {
      h_ = std::min({100.0 * h, std::cbrt(0.01 / largest), most});
    }
    if (hint_ > 0.0) h_ = restart_ ? std::clamp(hint_, 0.1 * h_, h_) : std::min(hint_, most);
    h_ = std::max(h_, options_.min_step);
    k_ = std::min(2, max_order_);
    if (k_ == 1) {
      history_.start(y_, y_dot_, h_);
    } else {
      history_.start(y_, y_dot_, e_, h_);
    }
  }
  raising_ = true;
  order_change_ = 0;
  scale_of_steps_ = h_;
  choose_ = false;
}

}  // namespace mbs::bdf
