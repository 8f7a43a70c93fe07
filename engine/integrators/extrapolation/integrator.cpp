#include "engine/integrators/extrapolation/integrator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/text.hpp"
#include "engine/equations/initial.hpp"
#include "engine/integrators/base/step_plan.hpp"
#include "engine/integrators/extrapolation/end_interpolant.hpp"
#include "engine/integrators/extrapolation/explicit_midpoint.hpp"
#include "engine/integrators/extrapolation/half_explicit_euler.hpp"
#include "engine/integrators/extrapolation/midpoint_interpolant.hpp"

namespace mbs::extrapolation {
namespace {

// Beyond 9 rows rounding errors outgrow what the midpoint rule gains.
constexpr int most_midpoint_rows = 9;

int rows_of(const IntegratorOptions& options, const Sizes& sizes, Integrator::Method method) {
  options.check(sizes);
  const bool euler = method == Integrator::Method::euler;
  const int power = euler ? 1 : 2, most = euler ? most_rows : 2 * most_midpoint_rows;
  if (options.max_order == 0) return most / power;
  if (options.max_order < 3 * power || options.max_order > most) {
    throw std::invalid_argument("max_order is " + std::to_string(options.max_order) +
                                ", but must be 0 (chosen) or lie in " + std::to_string(3 * power) +
                                " ... " + std::to_string(most) + " for the integrator " +
                                (euler ? "extrapolation" : "midpoint"));
  }
  return options.max_order / power;
}

std::unique_ptr<Discretisation> make_rule(Integrator::Method method,
                                          const DiscretisationContext& context,
                                          const IntegratorOptions& options) {
  if (method == Integrator::Method::euler) {
    return std::make_unique<HalfExplicitEuler>(context, options.scheme);
  }
  return std::make_unique<ExplicitMidpoint>(context, options.dense);
}

std::unique_ptr<Interpolant> make_interpolant(Integrator::Method method, const Stack& stack,
                                              int max_rows, int dense_order) {
  const auto most = [dense_order](int least) {
    return dense_order == 0 ? std::numeric_limits<int>::max() : std::max(0, dense_order - least);
  };
  if (method == Integrator::Method::euler) {
    return std::make_unique<EndInterpolant>(stack, max_rows, most(3));
  }
  return std::make_unique<MidpointInterpolant>(stack, max_rows, most(5));
}

}  // namespace

Integrator::Integrator(const Equations& equations, Context context,
                       const IntegratorOptions& options, Method method)
    : equations_(equations),
      context_(context),
      options_(options),
      method_(method),
      stack_(equations.sizes()),
      max_rows_(rows_of(options, equations.sizes(), method)),
      norm_(options, equations.sizes().p, equations.sizes().v, equations.sizes().r),
      ws_(equations.make_workspace()),
      solver_(equations.make_solver(options.linear)),
      projection_(equations, context, options),
      rule_(make_rule(method, {equations, context, *ws_, *solver_, statistics_}, options)),
      tableau_(rule_->expansion(), stack_.size(), max_rows_),
      within_(rule_->expansion(), stack_.ny(), max_rows_),
      ends_(rule_->expansion(), equations.sizes(), max_rows_),
      control_(rule_->expansion(), max_rows_, rule_->saved()),
      now_(equations.sizes()),
      next_(equations.sizes()),
      interpolant_(make_interpolant(method, stack_, max_rows_, options.dense_order)),
      view_ws_(equations.make_workspace()),
      view_solver_(equations.make_solver(options.linear)),
      view_projection_(equations, context, options),
      stiffness_(equations, context, options) {
  solver_->measure_time(options.monitor);
  x_ = State(equations.sizes());
  for (StepEnd* end : {&begin_, &end_}) {
    end->value = Vector::Zero(stack_.size());
    end->slope = Vector::Zero(stack_.slopes());
  }
  for (int j = 1; j <= max_rows_; ++j) {
    const auto i = static_cast<std::size_t>(j - 1);
    const int columns = has_interpolant() ? rule_->expansion().steps(j) + 1 : j == 1 ? 2 : 0;
    slopes_[i] = Matrix::Zero(stack_.slopes(), columns);
    trial_[i] = slopes_[i];
  }
}

std::string_view Integrator::name() const {
  return method_ == Method::euler ? "extrapolation" : "midpoint";
}

std::string Integrator::describe() const {
  const std::string choice = rule_->choice();
  return std::string(name()) + (choice.empty() ? "" : ", " + choice) +
         "; linear solver: " + solver_->name();
}

void Integrator::start(const State& x0, double step_hint) {
  ++statistics_.starts;
  started_ = false;
  passed_over_ = 0;
  trouble_ = Trouble::none;
  attempts_ = 0;
  rows_ = 0;
  interpolant_ready_ = false;
  now_.x = x0;
  if (!check(projection_.positions(now_.x, *ws_, *solver_), true) ||
      !check(project_velocities(now_.x), false) || !note(rule_->arrive(now_, stack_.lambda > 0)) ||
      !note(rule_->settle(now_, stack_.lambda > 0))) {
    x_ = x0;
    give_up(0.0, "the state to start from cannot be brought onto the constraints");
  }
  x_ = now_.x;
  t_begin_ = x_.t;
  end_point(now_, end_);
  begin_ = end_;
  stiffness_.start(x_);
  const double wanted = step_hint > 0.0 ? step_hint : options_.initial_step;
  choose_ = !(wanted > 0.0);
  const double H = choose_ ? 0.0 : std::max(wanted, options_.min_step);
  control_.start(norm_.smallest_rtol(), H);
  ends_.set_caution(1.0);
  scale_of_steps_ = H;
  started_ = true;
}

void Integrator::step(double t_stop) {
  check_step(started_, x_.t, t_stop);
  trouble_ = Trouble::none;
  notices_.clear();
  if (choose_) {
    control_.start(norm_.smallest_rtol(), std::max(choose_step(t_stop), options_.min_step));
    scale_of_steps_ = control_.step();
    choose_ = false;
  }
  const double natural = control_.step();
  const int natural_row = control_.row();
  // a from (2.1) has an error of about epsilon |v| / h
  constexpr double taylor = 1e-7;
  const double most = options_.max_step > 0.0 ? options_.max_step : natural;
  if (t_stop - x_.t <= taylor * std::min(natural, most)) {
    shift(t_stop);
    return;
  }
  const double least = least_step(options_, x_.t, scale_of_steps_);
  bend_.begin(x_.t);
  bool bends_alone = true;  // at ends are what attempts were refused for
  bool smooth = true;       // for all that attempts have shown
  double bend_end = x_.t;   // after it: where to end for what was unseen
  for (int tries = 0;; ++tries) {
    const bool over = tries > 0 && passes_over(least);
    const double wished = over ? 2.0 * least : control_.step();
    const StepPlan plan = bend_end > x_.t && !over ? StepPlan{bend_end - x_.t, bend_end, true}
                                                   : plan_step(options_, x_.t, t_stop, wished);
    bend_end = x_.t;
    const bool cut = bends_alone && plan.cut;
    const std::string end = why_not(options_, wished, least, attempts_);
    if (!end.empty()) give_up(plan.size, end);
    if (over) ++passed_over_;
    ++attempts_;
    control_.begin_step(plan.end - x_.t, cut || rows_ == 0 || tries >= 2);
    switch (attempt(plan.end, over ? Look::over : smooth ? Look::smooth : Look::bends)) {
      case Attempt::accepted:
        if (cut && control_.step() >= plan.size && control_.step() < natural) {
          control_.resume(natural, natural_row);
        }
        if (over) {
          control_.resume(natural, natural_row);
        } else {
          passed_over_ = 0;
        }
        ++statistics_.steps;
        statistics_.last_step = plan.end - t_begin_;
        statistics_.last_order = rule_->expansion().power * rows_;
        watch_stiffness();
        return;
      case Attempt::bent:
        ++statistics_.rejected;
        control_.bent();
        bends_alone = smooth = false;
        bend_.forget();
        break;
      case Attempt::unseen:
        ++statistics_.rejected;
        smooth = false;
        bend_end = bend_.next(plan.end, rule_->expansion().steps(unseen_rows_), unseen_);
        control_.shortened(bend_end - x_.t);
        break;
      case Attempt::rejected:
        ++statistics_.rejected;
        control_.rejected();
        bends_alone = false;
        bend_.forget();
        break;
      case Attempt::failed:
        ++statistics_.failed;
        control_.failed();
        bends_alone = false;
        bend_.forget();
        break;
    }
  }
}

void Integrator::watch_stiffness() {
  std::string told = stiffness_.look(x_);
  if (!told.empty()) notices_.push_back(std::move(told));
}

Integrator::Attempt Integrator::attempt(double t_end, Look look) {
  using Verdict = Controller::Verdict;
  const int ny = stack_.ny();
  bool again = false;  // the row before was good but for bends
  for (int j = 1;; ++j) {
    if (!row(j, t_end)) return Attempt::failed;
    norm_.set_scale(end_.value.head(ny), tableau_.value(j).head(ny));
    if (rule_->vanishing() != nullptr) within_.add_row(j, *rule_->vanishing(), norm_);
    if (j == 1) continue;
    const auto table_error = tableau_.error().head(ny);
    const double error = norm_(table_error);
    if (!std::isfinite(error)) {
      trouble_ = Trouble::not_finite;
      return Attempt::failed;
    }
    const Verdict judged = control_.judge(j, error);
    const Verdict verdict = look == Look::over ? Verdict::accept : judged;
    if (again && verdict != Verdict::accept)
      return refuse(Attempt::bent, within_.size(j), within_.worst(j, norm_));
    if (verdict == Verdict::go_on) continue;
    if (verdict == Verdict::reject)
      return refuse(Attempt::rejected, error, norm_.largest(table_error));
    if (doubts(j, error, look, again)) {
      if (again || j == max_rows_)
        return refuse(Attempt::bent, within_.size(j), within_.worst(j, norm_));
      again = true;
      continue;
    }
    if (!finish(j, t_end, true)) return Attempt::failed;
    unseen_ = EndpointResult{};
    if (look != Look::over) unseen_ = ends_.judge(j, t_end - x_.t, now_, next_, *rule_, norm_);
    if (bend_.mistaken(unseen_)) {
      ends_.mistaken(bend_.first().doubts);
    } else if (unseen_.refuses) {
      unseen_rows_ = j;
      return refuse(Attempt::unseen, unseen_.error, unseen_.worst);
    }
    if (!take(j, true)) return Attempt::failed;
    ends_.stepped();
    control_.accepted(again ? j - 1 : j);
    return Attempt::accepted;
  }
}

// Whether row j, which the tableau accepts, is not trusted for bends within.
bool Integrator::doubts(int j, double error, Look look, bool again) const {
  using Trust = KinkDetector::Trust;
  if (rule_->vanishing() == nullptr || look == Look::over) return false;
  const Trust trust = look == Look::bends ? Trust::none
                      : again             ? Trust::after_another_row
                                          : Trust::smooth;
  return within_.refuses(j, error, trust);
}

bool Integrator::row(int j, double t_end) {
  Matrix& slopes = trial_[has_interpolant() ? static_cast<std::size_t>(j - 1) : 0];
  if (!note(rule_->run(now_, t_end, rule_->expansion().steps(j), tableau_.first(), slopes))) {
    return false;
  }
  tableau_.add_row(j);
  ends_.add_row(j, rule_->nearest());
  return true;
}

bool Integrator::note(StepResult result) {
  switch (result) {
    case StepResult::done:
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

// From T_{rows,rows} to the next point, as arrive() does.
bool Integrator::finish(int rows, double t_end, bool project) {
  next_.x = now_.x;
  next_.x.t = t_end;
  stack_.unpack(tableau_.value(rows), next_.x);
  return arrive(project);
}

// Completes next_, projected: where a step may end.
bool Integrator::arrive(bool project) {
  if (project) {
    if (!check(projection_.positions(next_.x, *ws_, *solver_), true) ||
        !check(project_velocities(next_.x), false)) {
      return false;
    }
  } else {
    equations_.position(context_, next_.x, want_solver | want_G, *ws_);
  }
  if (!note(rule_->arrive(next_, project && stack_.lambda > 0))) return false;
  if (!next_.p_dot.allFinite() || !next_.f.allFinite() || !next_.r_dot.allFinite()) {
    trouble_ = Trouble::not_finite;
    return false;
  }
  return true;
}

// next_ is where the step ends; nothing has changed when it returns false.
bool Integrator::take(int rows, bool project) {
  if (!note(rule_->settle(next_, project && stack_.lambda > 0))) return false;
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

ProjectionResult Integrator::project_velocities(State& x) {
  return rule_->needs_factors() ? projection_.velocities(x, *ws_, *solver_)
                                : projection_.velocities_near(x, *ws_, *solver_);
}

void Integrator::end_point(const StepPoint& point, StepEnd& end) const {
  stack_.pack(point.x, end.value);
  stack_.pack_slopes(point.x, point.p_dot, point.r_dot, end.slope);
}

// A step far below the natural one: p, v, r by Taylor's formula, a and lambda from the equations.
void Integrator::shift(double t_end) {
  const double H = t_end - x_.t;
  next_.x = now_.x;
  next_.x.t = t_end;
  next_.x.p += H * now_.p_dot;
  next_.x.v += H * now_.x.a;
  next_.x.r += H * now_.r_dot;
  const int row = control_.row();
  const double natural = control_.step();
  trouble_ = Trouble::singular;
  const bool solved = solve_accelerations(equations_, context_, next_.x, *ws_, *solver_);
  if (!solved && !ws_->f.allFinite()) trouble_ = Trouble::not_finite;
  if (!solved || !arrive(true) || !take(1, true)) {
    give_up(H, "a last short step fails");
  }
  control_.resume(natural, row);
  ++statistics_.steps;
  statistics_.last_step = H;
  statistics_.last_order = 1;
}

void Integrator::fixed_step(double H, int rows) {
  const double t_end = x_.t + H;
  for (int j = 1; j <= rows; ++j) {
    if (!row(j, t_end)) give_up(H, "a fixed step fails");
  }
  if (!finish(rows, t_end, false) || !take(rows, false)) give_up(H, "a fixed step fails");
  ++statistics_.steps;
}

// The first step size after Hairer, Norsett, Wanner I, section II.4: a hundredth of the size of y
// over that of y', then from the second derivative, here that of two half-explicit Euler steps.
double Integrator::choose_step(double t_stop) {
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
    // both rules have slopes at two points that are h apart
    change = trial_[0].col(1).head(ny) - trial_[0].col(0).head(ny);
    const double curvature = norm_(change) / h;
    const double largest = std::max(slope, curvature);
    const double wanted = largest <= 1e-15 ? std::max(1e-6, 1e-3 * h)
                                           : std::pow(0.01 / largest, 1.0 / (control_.row() + 1));
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
  x = x_;
  if (t == x_.t) return;
  x.t = t;
  if (t == t_begin_) {
    stack_.unpack(begin_.value, x);
    return;
  }
  if (!has_interpolant()) {
    throw std::logic_error("this integrator was made without dense output");
  }
  build_interpolant();
  interpolant_->evaluate((t - t_begin_) / (x_.t - t_begin_), x);
  if (!projected) return;
  if (!view_projection_.positions(x, *view_ws_, *view_solver_).ok ||
      !view_projection_.velocities(x, *view_ws_, *view_solver_).ok ||
      !solve_accelerations(equations_, context_, x, *view_ws_, *view_solver_)) {
    throw SolverFailure(t, x_.t - t_begin_, "the interpolated point cannot be projected",
                        "Try smaller tolerances");
  }
}

void Integrator::build_interpolant() const {
  if (interpolant_ready_) return;
  interpolant_->build(x_.t - t_begin_, rows_, slopes_, begin_, end_);
  interpolant_ready_ = true;
}

}  // namespace mbs::extrapolation
