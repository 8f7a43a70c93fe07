#include "engine/integrators/extrapolation/extrapolation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/equations/initial.hpp"
#include "engine/integrators/common/singular.hpp"
#include "engine/integrators/common/text.hpp"

namespace mbs {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

int rows_of(const IntegratorOptions& options, const Sizes& sizes) {
  options.check(sizes);
  if (options.max_order == 0) return most_rows;
  if (options.max_order < 3 || options.max_order > most_rows) {
    throw std::invalid_argument("max_order is " + std::to_string(options.max_order) +
                                ", but must be 0 (chosen) or lie in 3 ... " +
                                std::to_string(most_rows) + " for the integrator extrapolation");
  }
  return options.max_order;
}

}  // namespace

Extrapolation::Extrapolation(const Equations& equations, Given given,
                             const IntegratorOptions& options)
    : equations_(equations),
      given_(given),
      options_(options),
      stack_(equations.sizes()),
      max_rows_(rows_of(options, equations.sizes())),
      norm_(options, equations.sizes()),
      ws_(equations.make_workspace()),
      solver_(equations.make_solver(options.linear)),
      projection_(equations, given, options),
      euler_(equations, given, *ws_, *solver_, statistics_),
      tableau_(stack_.size(), max_rows_),
      control_(max_rows_),
      now_(equations.sizes()),
      next_(equations.sizes()),
      interpolant_(stack_, max_rows_),
      view_ws_(equations.make_workspace()),
      view_solver_(equations.make_solver(options.linear)),
      view_projection_(equations, given, options) {
  x_ = State(equations.sizes());
  for (StepEnd* end : {&begin_, &end_}) {
    end->value = Vector::Zero(stack_.size());
    end->slope = Vector::Zero(stack_.slopes());
  }
  for (int j = 1; j <= max_rows_; ++j) {
    const auto i = static_cast<std::size_t>(j - 1);
    slopes_[i] = Matrix::Zero(stack_.slopes(), steps_of_row(j));
    trial_[i] = slopes_[i];
  }
}

void Extrapolation::start(const State& x0, double step_hint) {
  ++statistics_.starts;
  started_ = false;
  trouble_ = Trouble::none;
  attempts_ = 0;
  rows_ = 0;
  interpolant_ready_ = false;
  now_.x = x0;
  if (!check(projection_.positions(now_.x, *ws_, *solver_), true) ||
      !check(projection_.velocities(now_.x, *ws_, *solver_), false) || !euler_.evaluate(now_)) {
    if (trouble_ == Trouble::none) trouble_ = Trouble::auxiliary;
    x_ = x0;
    give_up(0.0, "the state to start from cannot be brought onto the constraints");
  }
  x_ = now_.x;
  t_begin_ = x_.t;
  end_point(now_, end_);
  begin_ = end_;
  const double wanted = step_hint > 0.0 ? step_hint : options_.initial_step;
  choose_ = !(wanted > 0.0);
  const double H = choose_ ? 0.0 : std::max(wanted, options_.min_step);
  control_.start(norm_.smallest_rtol(), H);
  scale_of_steps_ = H;
  started_ = true;
}

void Extrapolation::step(double t_stop) {
  if (!started_) throw std::logic_error("Integrator::step before start");
  if (!(t_stop > x_.t)) {
    throw std::invalid_argument("a step from t = " + short_number(x_.t) +
                                " cannot stop at t = " + short_number(t_stop));
  }
  trouble_ = Trouble::none;
  if (choose_) {
    control_.start(norm_.smallest_rtol(), std::max(choose_step(t_stop), options_.min_step));
    scale_of_steps_ = control_.step();
    choose_ = false;
  }
  const double left = t_stop - x_.t;
  const double natural = control_.step();
  const int natural_row = control_.row();
  // a from (2.1) has an error of about epsilon |v| / h
  constexpr double taylor = 1e-7;
  if (left <= taylor * std::min(natural, options_.max_step > 0.0 ? options_.max_step : natural)) {
    shift(t_stop);
    return;
  }
  const double floor =
      std::max(options_.min_step, 16.0 * epsilon * std::max(std::abs(x_.t), scale_of_steps_));
  for (int tries = 0;; ++tries) {
    double H = control_.step();
    if (options_.max_step > 0.0) H = std::min(H, options_.max_step);
    const bool lands = left <= 1.01 * H && (options_.max_step == 0.0 || left <= options_.max_step);
    if (lands) {
      H = left;
    } else if (left < 2.0 * H) {
      H = 0.5 * left;
    }
    const bool cut = tries == 0 && H < 0.99 * control_.step();
    const double t_end = lands ? t_stop : x_.t + H;
    if (control_.step() < floor) {
      give_up(H, "the step size is below its least value " + short_number(floor));
    }
    if (options_.max_steps > 0 && attempts_ >= options_.max_steps) {
      give_up(H, "the limit max_steps = " + std::to_string(options_.max_steps) + " is reached");
    }
    ++attempts_;
    control_.begin_step(t_end - x_.t, cut || rows_ == 0 || tries >= 2);
    switch (attempt(t_end)) {
      case Attempt::accepted:
        if (cut && control_.step() >= H && control_.step() < natural) {
          control_.resume(natural, natural_row);
        }
        ++statistics_.steps;
        statistics_.last_step = t_end - t_begin_;
        statistics_.last_order = rows_;
        return;
      case Attempt::rejected:
        ++statistics_.rejected;
        control_.rejected();
        break;
      case Attempt::failed:
        ++statistics_.failed;
        control_.failed();
        break;
    }
  }
}

Extrapolation::Attempt Extrapolation::attempt(double t_end) {
  for (int j = 1;; ++j) {
    if (!row(j, t_end)) return Attempt::failed;
    if (j == 1) continue;
    const int ny = stack_.ny();
    norm_.set_scale(end_.value.head(ny), tableau_.value(j).head(ny));
    const double error = norm_(tableau_.error().head(ny));
    if (!std::isfinite(error)) {
      trouble_ = Trouble::not_finite;
      return Attempt::failed;
    }
    switch (control_.judge(j, error)) {
      case OrderControl::Verdict::go_on:
        break;
      case OrderControl::Verdict::reject:
        trouble_ = Trouble::error;
        trouble_size_ = error;
        trouble_at_ = norm_.largest(tableau_.error().head(ny));
        return Attempt::rejected;
      case OrderControl::Verdict::accept:
        if (!finish(j, t_end, true)) return Attempt::failed;
        control_.accepted(j);
        return Attempt::accepted;
    }
  }
}

bool Extrapolation::row(int j, double t_end) {
  Matrix& slopes = trial_[static_cast<std::size_t>(j - 1)];
  switch (euler_.run(now_, t_end, steps_of_row(j), tableau_.first(), slopes)) {
    case StepResult::done:
      tableau_.add_row(j);
      return true;
    case StepResult::singular:
      trouble_ = Trouble::singular;
      return false;
    case StepResult::not_finite:
      trouble_ = Trouble::not_finite;
      return false;
    case StepResult::auxiliary:
      trouble_ = Trouble::auxiliary;
      return false;
  }
  return false;
}

// From T_{rows,rows} to the next point.
bool Extrapolation::finish(int rows, double t_end, bool project) {
  next_.x = now_.x;
  next_.x.t = t_end;
  stack_.unpack(tableau_.value(rows), next_.x);
  return arrive(rows, project);
}

// Takes next_.x, projected, as the end of a step; nothing has changed when it returns false.
bool Extrapolation::arrive(int rows, bool project) {
  if (project) {
    if (!check(projection_.positions(next_.x, *ws_, *solver_), true) ||
        !check(projection_.velocities(next_.x, *ws_, *solver_), false)) {
      return false;
    }
  } else {
    equations_.position(given_, next_.x, want_M | want_G, *ws_);
  }
  if (!euler_.evaluate(next_)) {
    trouble_ = Trouble::auxiliary;
    return false;
  }
  if (!next_.p_dot.allFinite() || !next_.f.allFinite() || !next_.r_dot.allFinite()) {
    trouble_ = Trouble::not_finite;
    return false;
  }
  std::swap(now_, next_);
  std::swap(begin_, end_);
  end_point(now_, end_);
  std::swap(slopes_, trial_);
  rows_ = rows;
  interpolant_ready_ = false;
  t_begin_ = x_.t;
  x_ = now_.x;
  return true;
}

void Extrapolation::end_point(const StepPoint& point, StepEnd& end) const {
  stack_.pack(point.x, end.value);
  stack_.pack_slopes(point.x, point.p_dot, point.r_dot, end.slope);
}

// A step far below the natural one: p, v, r by Taylor's formula, a and lambda from the equations.
void Extrapolation::shift(double t_end) {
  const double H = t_end - x_.t;
  next_.x = now_.x;
  next_.x.t = t_end;
  next_.x.p += H * now_.p_dot;
  next_.x.v += H * now_.x.a;
  next_.x.r += H * now_.r_dot;
  const int row = control_.row();
  const double natural = control_.step();
  trouble_ = Trouble::singular;
  if (!solve_accelerations(equations_, given_, next_.x, *ws_, *solver_) || !arrive(1, true)) {
    give_up(H, "a last short step fails");
  }
  control_.resume(natural, row);
  ++statistics_.steps;
  statistics_.last_step = H;
  statistics_.last_order = 1;
}

void Extrapolation::fixed_step(double H, int rows) {
  const double t_end = x_.t + H;
  for (int j = 1; j <= rows; ++j) {
    if (!row(j, t_end)) give_up(H, "a fixed step fails");
  }
  if (!finish(rows, t_end, false)) give_up(H, "a fixed step fails");
  ++statistics_.steps;
}

// The first step size after Hairer, Norsett, Wanner I, section II.4: a hundredth of the size of y
// over that of y', then from the second derivative, here that of two half-explicit Euler steps.
double Extrapolation::choose_step(double t_stop) {
  const int ny = stack_.ny();
  const auto y = end_.value.head(ny);
  norm_.set_scale(y, y);
  const double size = norm_(y), slope = norm_(end_.slope.head(ny));
  double most = t_stop - x_.t;
  if (options_.max_step > 0.0) most = std::min(most, options_.max_step);
  double h = size < 1e-5 || slope < 1e-5 ? 1e-6 : 0.01 * size / slope;
  h = std::min(h, 0.5 * most);
  for (int tries = 0; tries < 10 && x_.t + h > x_.t; ++tries, h *= 0.1) {
    if (!row(1, x_.t + 2.0 * h)) continue;
    auto change = tableau_.first().head(ny);
    change = trial_[0].col(1).head(ny) - trial_[0].col(0).head(ny);
    const double curvature = norm_(change) / h;
    const double largest = std::max(slope, curvature);
    const double wanted = largest <= 1e-15 ? std::max(1e-6, 1e-3 * h)
                                           : std::pow(0.01 / largest, 1.0 / (control_.row() + 1));
    return std::min({100.0 * h, wanted, most});
  }
  return h;
}

void Extrapolation::interpolate(double t, bool projected, State& x) {
  if (!(t >= t_begin_ && t <= x_.t)) {
    throw std::invalid_argument("interpolation at t = " + short_number(t) +
                                ", outside of the last step from " + short_number(t_begin_) +
                                " to " + short_number(x_.t));
  }
  x = x_;
  if (t == x_.t) return;
  x.t = t;
  if (t == t_begin_) {
    stack_.unpack(begin_.value, x);
    return;
  }
  build_interpolant();
  interpolant_.evaluate((t - t_begin_) / (x_.t - t_begin_), x);
  if (!projected) return;
  if (!view_projection_.positions(x, *view_ws_, *view_solver_).ok ||
      !view_projection_.velocities(x, *view_ws_, *view_solver_).ok ||
      !solve_accelerations(equations_, given_, x, *view_ws_, *view_solver_)) {
    throw SolverFailure(t, x_.t - t_begin_, "the interpolated point cannot be projected",
                        "Try smaller tolerances");
  }
}

void Extrapolation::build_interpolant() const {
  if (interpolant_ready_) return;
  interpolant_.build(x_.t - t_begin_, rows_, slopes_, begin_, end_);
  interpolant_ready_ = true;
}

bool Extrapolation::check(const ProjectionResult& result, bool positions) {
  const int solved = result.iterations;
  statistics_.solves += solved;
  if (solved > 0 || result.singular) ++statistics_.factorisations;
  if (positions) {
    statistics_.projections += solved;
  } else {
    ++statistics_.matrix_evaluations;
  }
  if (result.ok) return true;
  trouble_ = result.singular ? Trouble::singular : Trouble::projection;
  trouble_size_ = result.residual;
  trouble_at_ = result.row;
  return false;
}

void Extrapolation::give_up(double H, const std::string& reason) const {
  const Structure& names = equations_.structure();
  std::string last, advice;
  switch (trouble_) {
    case Trouble::none:
      advice = "Loosen the tolerances or the limits of the solver";
      break;
    case Trouble::error: {
      const int i = trouble_at_;
      const std::string who = i < stack_.p ? name_of(names.p_names, i, "position")
                              : i < stack_.p + stack_.v
                                  ? name_of(names.v_names, i - stack_.p, "velocity")
                                  : name_of(names.r_names, i - stack_.p - stack_.v, "state");
      last = "the error estimate is " + short_number(trouble_size_) +
             " times the tolerance, largest in " + who;
      advice = names.f_depends_on_lambda
                   ? "Forces depend on constraint forces (dry friction): this works only while "
                     "df/dlambda is small against 1; reduce friction, or loosen the tolerances"
                   : "Loosen the tolerances, look for a jump or a stiff element acting on it, or "
                     "choose an implicit integrator";
      break;
    }
    case Trouble::singular:
      last = describe_singular(names, *ws_);
      advice = "Look for redundant joints, a singular position, or a coordinate without mass there";
      break;
    case Trouble::not_finite:
      last = "the equations give a value that is not a finite number";
      advice =
          "Look for a division by zero or a root of a negative number in the model's "
          "expressions at this time";
      break;
    case Trouble::auxiliary:
      last = "the auxiliary unknowns cannot be solved for";
      advice = "Look at the algebraic equations of the model, and at the guess of their unknowns";
      break;
    case Trouble::projection:
      last = "the projection does not converge, residual " + short_number(trouble_size_) + " in " +
             name_of(names.lambda_names, trouble_at_, "constraint");
      advice =
          "Look for joints that cannot be satisfied together at this time, or tighten the "
          "tolerances";
      break;
  }
  const std::string order =
      rows_ > 0 ? " (order " + std::to_string(control_.row()) + ")" : std::string();
  throw SolverFailure(x_.t, H, reason + order + (last.empty() ? "" : "; " + last), advice);
}

}  // namespace mbs
