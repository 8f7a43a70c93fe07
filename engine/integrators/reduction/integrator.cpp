#include "engine/integrators/reduction/integrator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/text.hpp"
#include "engine/equations/initial.hpp"
#include "engine/integrators/base/step_plan.hpp"

namespace mbs::reduction {
namespace {

int most_order(const IntegratorOptions& options, const Sizes& sizes) {
  options.check(sizes);
  if (options.max_order > Adams::most_order) {
    throw std::invalid_argument("max_order is " + std::to_string(options.max_order) +
                                ", but must be 0 (chosen) or lie in 1 ... " +
                                std::to_string(Adams::most_order) +
                                " for the integrator reduction");
  }
  return options.max_order == 0 ? Adams::most_order : options.max_order;
}

}  // namespace

Integrator::Integrator(const Equations& equations, Context context,
                       const IntegratorOptions& options)
    : equations_(equations),
      context_(context),
      options_(options),
      method_(Options::read(options)),
      stack_(equations.sizes()),
      norm_(options, equations.sizes().p, equations.sizes().v, equations.sizes().r),
      ws_(equations.make_workspace()),
      solver_(equations.make_solver(options.linear)),
      coordinates_(equations, context, options),
      adams_(stack_.ny(), stack_.slopes()),
      control_(most_order(options, equations.sizes())),
      begin_(equations.sizes()),
      next_(equations.sizes()),
      g_scale_(Vector::Ones(equations.sizes().g)),
      y_(Vector::Zero(stack_.ny())),
      y_next_(y_),
      slope_(Vector::Zero(stack_.slopes())),
      drift_(Vector::Zero(stack_.lambda)),
      v_D_(Vector::Zero(stack_.v)),
      Mv_(v_D_),
      view_ws_(equations.make_workspace()),
      view_solver_(equations.make_solver(options.linear)),
      view_projection_(equations, context, options),
      view_y0_(y_),
      view_y1_(y_),
      view_y_(y_),
      view_slope_(slope_),
      stiffness_(equations, context, options) {
  const Vector& sizes = equations.structure().g_scale;
  if (sizes.size() >= g_scale_.size()) g_scale_ = sizes.head(g_scale_.size());
  solver_->measure_time(options.monitor);
  x_ = State(equations.sizes());
}

std::string Integrator::describe() const {
  std::string text = "reduction, " + std::string(Options::keyword(method_.method));
  if (drifts() && statistics_.steps > 0) {
    text += ", constraint residual at most " + short_number(largest_drift_);
  }
  if (passages_ > 0) {
    text += ", " + std::to_string(passages_) + " times as partition near singular positions";
  }
  return text + "; linear solver: " + solver_->name();
}

void Integrator::start(const State& x0, double step_hint) {
  ++statistics_.starts;
  started_ = false;
  trouble_ = Trouble::none;
  attempts_ = 0;
  order_ = 0;
  near_singular_ = false;
  next_ = x0;
  alpha_ = method_.alpha;
  beta_ = method_.beta;
  if (!note(view_projection_.positions(next_, *ws_, *solver_)) ||
      !note(view_projection_.velocities(next_, *ws_, *solver_)) ||
      !evaluate(next_, {false, false, false}, slope_)) {
    x_ = x0;
    give_up(0.0, "the state to start from cannot be brought onto the constraints");
  }
  x_ = next_;
  stiffness_.start(x_);
  t_begin_ = x_.t;
  begin_ = x_;
  stack_.pack_y(x_, y_);
  adams_.clear();
  adams_.push(x_.t, slope_);
  choose_coordinates();
  if (method_.method == Method::hybrid && stack_.lambda > 0) look_for_singularity();
  const double wanted = options_.initial_step > 0.0 ? options_.initial_step : 0.0;
  (void)step_hint;  // says nothing about a first step of order 1
  choose_ = !(wanted > 0.0);
  control_.start(choose_ ? 0.0 : std::max(wanted, options_.min_step));
  scale_of_steps_ = control_.step();
  started_ = true;
}

void Integrator::step(double t_stop) {
  check_step(started_, x_.t, t_stop);
  notices_.clear();
  trouble_ = Trouble::none;
  if (choose_) {
    control_.start(std::max(choose_step(t_stop), options_.min_step));
    scale_of_steps_ = control_.step();
    choose_ = false;
  }
  follow_drift();
  const double natural = control_.step();
  const int natural_order = control_.order();
  const double least = least_step(options_, x_.t, scale_of_steps_);
  for (int tries = 0;; ++tries) {
    const StepPlan plan = plan_step(options_, x_.t, t_stop, control_.step());
    const bool cut = tries == 0 && plan.cut;
    const std::string end = why_not(options_, control_.step(), least, attempts_);
    if (!end.empty()) give_up(plan.size, end);
    ++attempts_;
    // A node next to another one adds rounding errors alone.
    constexpr double near = 0.05;
    switch (attempt(plan.end, cut && plan.size < near * natural)) {
      case Attempt::accepted:
        if (cut && control_.step() >= plan.size && control_.step() < natural) {
          control_.resume(natural, std::min(natural_order, adams_.nodes()));
        }
        ++statistics_.steps;
        statistics_.last_step = plan.end - t_begin_;
        statistics_.last_order = order_;
        watch_stiffness();
        return;
      case Attempt::rejected:
        ++statistics_.rejected;
        break;
      case Attempt::failed:
        ++statistics_.failed;
        control_.failed(plan.size);
        // not when it is the end: the message wants the matrix of the failure
        if (tries == 0 && control_.step() > 4.0 * least) choose_at_begin();
        break;
    }
  }
}

// Perhaps the coordinates are to blame for the failure.
void Integrator::choose_at_begin() {
  if (stack_.lambda == 0) return;
  equations_.position(context_, x_, want_M | want_G, *ws_);
  choose_coordinates();
  if (method_.method == Method::hybrid) look_for_singularity();
}

// Whether positions are off the constraints by more than Newton's method leaves.
bool Integrator::drifts() const {
  return method_.method == Method::stabilized || method_.method == Method::hybrid ||
         (method_.method == Method::nullspace && !method_.position_correction);
}

Integrator::Attempt Integrator::attempt(double t_end, bool in_place) {
  const double h = t_end - x_.t;
  const int k = std::min(control_.order(), adams_.nodes()), ny = stack_.ny();
  const auto error = [&](int m) { return norm_(adams_.error(slope_, m).head(ny)); };
  adams_.plan(t_end, k);
  adams_.predict(y_, y_next_);
  next_ = x_;
  next_.t = t_end;
  if (stack_.w + stack_.s > 0 || equations_.structure().f_depends_on_lambda) {
    adams_.extrapolate(slope_);
    stack_.unpack_algebraic(slope_, next_);
  }
  stack_.unpack_y(y_next_, next_);
  norm_.set_scale(y_, y_next_);
  if (!evaluate(next_, predicted(), slope_)) return Attempt::failed;
  const double own = error(k);
  if (!std::isfinite(own)) {
    trouble_ = Trouble::not_finite;
    return Attempt::failed;
  }
  const double below = k > 1 ? error(k - 1) : -1.0;
  if (own > 1.0) {
    trouble_ = Trouble::error;
    trouble_size_ = own;
    trouble_at_ = norm_.largest(adams_.error(slope_, k).head(ny));
    control_.rejected(h, below, own);
    return Attempt::rejected;
  }
  const double above = control_.may_rise() && adams_.nodes() > k ? error(k + 1) : -1.0;
  adams_.correct(slope_, y_next_);
  stack_.unpack_y(y_next_, next_);
  if (!evaluate(next_, corrected(next_), slope_)) return Attempt::failed;
  order_ = k;
  accept(t_end, in_place);
  control_.accepted(h, below, own, above, adams_.nodes());
  if (drifts() && g_scale_.size() > 0) {
    largest_drift_ = std::max(largest_drift_, (ws_->g.array() / g_scale_.array()).abs().maxCoeff());
  }
  renew_coordinates();
  return Attempt::accepted;
}

void Integrator::accept(double t_end, bool in_place) {
  t_begin_ = x_.t;
  std::swap(begin_, x_);
  std::swap(x_, next_);
  stack_.pack_y(x_, y_);
  adams_.push(t_end, slope_, in_place);
}

void Integrator::watch_stiffness() {
  std::string told = stiffness_.look(x_);
  if (!told.empty()) notices_.push_back(std::move(told));
}

Integrator::Bring Integrator::predicted() const {
  switch (method_.method) {
    case Method::partition:
    case Method::svd:
      return {true, true, false};
    case Method::nullspace:
      return {false, true, false};
    case Method::stabilized:
      return {false, false, true};
    case Method::hybrid:
      return {near_singular_, near_singular_, !near_singular_};
  }
  return {};
}

Integrator::Bring Integrator::corrected(State& x) {
  Bring bring = predicted();
  if (method_.method == Method::nullspace) bring.positions = method_.position_correction;
  if (bring.drift && method_.method == Method::hybrid) {
    bring.positions = bring.velocities = off_constraints(x);
  }
  return bring;
}

// a, lambda, w, s and slopes of x after it is brought where it should be.
bool Integrator::evaluate(State& x, Bring bring, Vector& slope) {
  if (bring.positions) {
    if (!note(coordinates_.positions(x, *ws_))) return false;
  } else {
    equations_.normalise(x);
    if (stack_.s > 0 && !equations_.solve_auxiliary(context_, x, *ws_)) {
      trouble_ = Trouble::auxiliary;
      return false;
    }
  }
  equations_.position(context_, x, want_M | want_G | (drifts() ? want_g : 0u), *ws_);
  ++statistics_.matrix_evaluations;
  if (bring.velocities && !note(coordinates_.velocities(x, *ws_, !bring.positions))) return false;
  equations_.velocity(context_, x, *ws_);
  if (bring.drift) {
    drift_ = 2.0 * alpha_ * ws_->G_v;
    drift_.head(ws_->g.size()) += beta_ * beta_ * ws_->g;
  }
  const SaddleStatistics& linear = solver_->statistics();
  const long factorisations = linear.factorisations, solves = linear.solves;
  const bool solved = solve_accelerations_here(equations_, context_, x, *ws_, *solver_,
                                               bring.drift ? &drift_ : nullptr);
  statistics_.factorisations += linear.factorisations - factorisations;
  statistics_.solves += linear.solves - solves;
  ++statistics_.force_evaluations;
  if (!solved) {
    trouble_ = !ws_->f.allFinite() ? Trouble::not_finite : Trouble::singular;
    return false;
  }
  if (stack_.r > 0) equations_.force(context_, x, want_b, *ws_);
  stack_.pack_slopes(x, ws_->p_dot, ws_->b, slope);
  if (!slope.allFinite()) {
    trouble_ = Trouble::not_finite;
    return false;
  }
  return true;
}

// For the next step: c / 4 <= alpha h <= c, and the same as long as it is. Upwards it goes by a
// tenth a step, from little when the method has started, and not while steps become shorter: in a
// short step a large alpha would make small residuals ask for a shorter step, and that for a larger
// alpha, near singular positions without end.
void Integrator::follow_drift() {
  if (method_.alpha > 0.0 || method_.beta > 0.0 || control_.starting()) return;
  const double most = 0.04 / control_.step();
  if (alpha_ > most) {
    alpha_ = 0.5 * most;
  } else if (alpha_ < 0.25 * most && control_.step() >= statistics_.last_step) {
    alpha_ = alpha_ > 0.0 ? 1.1 * alpha_ : 1e-3 * most;
  }
  beta_ = alpha_;
}

// The first step size after Hairer, Norsett, Wanner I, section II.4, for order 1.
double Integrator::choose_step(double t_stop) {
  norm_.set_scale(y_, y_);
  const int ny = stack_.ny();
  double most = t_stop - x_.t;
  if (options_.max_step > 0.0) most = std::min(most, options_.max_step);
  adams_.plan(x_.t + 1.0, 1);
  adams_.extrapolate(view_slope_);
  const double size = norm_(y_), slope = norm_(view_slope_.head(ny));
  double h = size < 1e-5 || slope < 1e-5 ? 1e-6 : 0.01 * size / slope;
  h = std::min(h, 0.5 * most);
  for (int tries = 0; tries < 10 && x_.t + h > x_.t; ++tries, h *= 0.1) {
    next_ = x_;
    next_.t = x_.t + h;
    y_next_ = y_ + h * view_slope_.head(ny);
    stack_.unpack_y(y_next_, next_);
    if (!evaluate(next_, predicted(), slope_)) continue;
    slope_ -= view_slope_;
    const double curvature = norm_(slope_.head(ny)) / h, largest = std::max(slope, curvature);
    const double wanted = largest <= 1e-15 ? std::max(1e-6, 1e-3 * h) : std::sqrt(0.1 / largest);
    return std::min({100.0 * h, wanted, most});
  }
  return h;
}

void Integrator::interpolate(double t, bool projected, State& x) {
  if (!(t >= t_begin_ && t <= x_.t)) {
    throw std::invalid_argument("interpolation at t = " + short_number(t) +
                                ", outside of the last step from " + short_number(t_begin_) +
                                " to " + short_number(x_.t));
  }
  x = t == t_begin_ && t < x_.t ? begin_ : x_;
  if (t == x_.t || t == t_begin_) return;
  x.t = t;
  stack_.pack_y(begin_, view_y0_);
  stack_.pack_y(x_, view_y1_);
  adams_.interpolate(t, t_begin_, view_y0_, view_y1_, order_, view_y_, view_slope_);
  stack_.unpack_y(view_y_, x);
  x.a = view_slope_.segment(stack_.p, stack_.v);
  stack_.unpack_algebraic(view_slope_, x);
  if (!projected) return;
  if (!view_projection_.positions(x, *view_ws_, *view_solver_).ok ||
      !view_projection_.velocities(x, *view_ws_, *view_solver_).ok ||
      !solve_accelerations(equations_, context_, x, *view_ws_, *view_solver_)) {
    throw SolverFailure(t, x_.t - t_begin_, "the interpolated point cannot be projected",
                        "Try smaller tolerances");
  }
}

}  // namespace mbs::reduction
