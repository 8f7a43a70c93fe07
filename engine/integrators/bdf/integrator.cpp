#include "engine/integrators/bdf/integrator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/base/text.hpp"
#include "engine/equations/initial.hpp"

namespace mbs::bdf {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

int order_of(const IntegratorOptions& options, const Sizes& sizes) {
  options.check(sizes);
  if (options.max_order == 0) return highest_order;
  if (options.max_order > highest_order) {
    throw std::invalid_argument(
        "max_order is " + std::to_string(options.max_order) +
        ", but must be 0 (chosen) or lie in 1 ... 5 for the integrator bdf");
  }
  return options.max_order;
}

}  // namespace

Integrator::Integrator(const Equations& equations, Context context,
                       const IntegratorOptions& options)
    : equations_(equations),
      context_(context),
      options_(options),
      bdf_(read_options(options)),
      max_order_(order_of(options, equations.sizes())),
      system_(equations, context, bdf_.form, bdf_.formalism),
      norm_(options, system_, bdf_.corrector),
      corrector_(system_, bdf_, context, options, statistics_),
      history_(system_.size()),
      solver_(equations.make_solver(options.linear)),
      projection_(equations, context, options),
      begin_(equations.sizes()),
      view_ws_(equations.make_workspace()),
      view_solver_(equations.make_solver(options.linear)),
      view_projection_(equations, context, options) {
  x_ = State(equations.sizes());
  for (Vector* x : {&y_, &y_dot_, &e_, &d_, &y_end_, &view_y_, &view_y_dot_}) {
    x->setZero(system_.size());
  }
}

void Integrator::step(double t_stop) {
  if (!started_) throw std::logic_error("Integrator::step before start");
  if (!(t_stop > x_.t)) {
    throw std::invalid_argument("a step from t = " + short_number(x_.t) +
                                " cannot stop at t = " + short_number(t_stop));
  }
  trouble_ = Trouble::none;
  error_failures_ = 0;
  if (choose_) choose_start(t_stop);
  constexpr double near = 0.05;  // of a step: by the polynomial
  double natural = h_;
  if (options_.max_step > 0.0) natural = std::min(natural, options_.max_step);
  if (steps_ > 0 && t_stop - t_history_ <= near * natural) {
    shift(t_stop);
    return;
  }
  const double floor =
      std::max(options_.min_step, 16.0 * epsilon * std::max(std::abs(x_.t), scale_of_steps_));
  const double t_before = x_.t;
  begin_ = x_;
  for (int tries = 0;; ++tries) {
    const double left = t_stop - t_history_;
    double h = h_;
    if (options_.max_step > 0.0) h = std::min(h, options_.max_step);
    const bool lands = left <= 1.01 * h && (options_.max_step == 0.0 || left <= options_.max_step);
    if (lands) {
      h = left;
    } else if (left < 2.0 * h) {
      h = 0.5 * left;
    }
    if (h_ < floor) {
      give_up(h, "the step size is below its least value " + short_number(floor));
    }
    if (options_.max_steps > 0 && attempts_ >= options_.max_steps) {
      give_up(h, "the limit max_steps = " + std::to_string(options_.max_steps) + " is reached");
    }
    ++attempts_;
    switch (attempt(lands ? t_stop : t_history_ + h)) {
      case Attempt::accepted:
        // What a stop time cut short is not cut for good.
        if (tries == 0 && h < natural && h_ >= h && h_ < natural && h >= 0.5 * natural) {
          h_ = std::min(natural, 2.0 * h);
        }
        if (t_history_ <= t_before) {  // after a shift
          error_failures_ = 0;
          continue;
        }
        t_begin_ = t_before;
        count_step();
        return;
      case Attempt::rejected:
        ++statistics_.rejected;
        break;
      case Attempt::failed:
        ++statistics_.failed;
        break;
    }
  }
}

Integrator::Attempt Integrator::attempt(double t_end) {
  const double h = t_end - t_history_;
  last_h_ = h;
  history_.prepare(h, k_);
  norm_.set(history_.difference(1));
  using Result = Corrector::Result;
  const auto fail = [&](Result result) {
    failed_corrector(result);
    history_.undo();
    raising_ = false;
    h_ = 0.25 * h;
    return Attempt::failed;
  };
  const bool feeds = bdf_.corrector == CorrectorKind::modern;
  Vector& y = feeds ? y_ : y_end_;
  for (;;) {
    predict();
    const Result result = corrector_.solve(t_end, h, history_.alpha(), norm_, y_, y_dot_, e_);
    if (result != Result::converged) return fail(result);
    if (!judge() && fixed_order_ == 0) {
      history_.undo();
      raising_ = false;
      return Attempt::rejected;
    }
    if (!feeds) y_end_ = y_;
    if (project(t_end, y, y_dot_, feeds ? &e_ : nullptr)) break;
    // An old matrix may serve the corrector and not the projection, as beyond a singular position.
    if (!corrector_.distrust()) return fail(Result::diverged);
  }
  keep_untested();
  order_and_step();
  corrector_.accepted();
  t_history_ = t_end;
  system_.unpack(t_end, y, y_dot_, x_);
  finish(t_end);
  steps_ = std::min(steps_ + 1, 2);
  return Attempt::accepted;
}

// Nothing tests errors of multipliers and auxiliary unknowns.
void Integrator::predict() {
  history_.predict(y_, y_dot_);
  if (bdf_.corrector == CorrectorKind::dassl) return;
  for (const Untested& part : untested()) {
    history_.predict(part.begin, part.count, part.order, y_);
  }
}

// What predict() has predicted otherwise goes into the history as it is.
void Integrator::keep_untested() {
  if (bdf_.corrector == CorrectorKind::dassl) return;
  for (const Untested& part : untested()) history_.find_error(part.begin, part.count, y_, e_);
}

// Lambda of the second form is differential.
std::array<Integrator::Untested, 2> Integrator::untested() const {
  const System::Layout& at = system_.at();
  const int end = system_.form() == Form::ggl ? at.eta : at.lambda;
  constexpr int order = 4, order_of_eta = 0;
  return {Untested{at.w, end - at.w, order}, {at.eta, at.size - at.eta, order_of_eta}};
}

// DASSL's estimates: sigma_{i+1} |i-th difference| is what order i leaves, to a factor.
bool Integrator::judge() {
  const int k = k_;
  enorm_ = norm_(e_);
  const double erk = history_.sigma(k + 1) * enorm_;
  term_ = (k + 1) * erk;
  est_ = erk;
  k_new_ = k;
  term_lower_ = 0.0;
  if (k > 1) {
    d_ = history_.difference(k + 1) + e_;
    const double lower = history_.sigma(k) * norm_(d_);
    term_lower_ = k * lower;
    bool take = false;
    if (k > 2) {
      d_ += history_.difference(k);
      const double term_two_lower = (k - 1) * history_.sigma(k - 1) * norm_(d_);
      take = std::max(term_lower_, term_two_lower) <= term_;
    } else {
      take = term_lower_ <= 0.5 * term_;
    }
    if (take) {
      k_new_ = k - 1;
      est_ = lower;
    }
  }
  const double error = history_.error_constant() * enorm_;
  if (error <= 1.0) return true;
  trouble_ = Trouble::error;
  trouble_size_ = error;
  trouble_at_ = norm_.largest(e_);
  if (fixed_order_ > 0) return false;
  ++error_failures_;
  if (error_failures_ == 1) {
    k_ = k_new_;
    const double r = 0.9 * std::pow(2.0 * est_ + 1e-4, -1.0 / (k_ + 1));
    h_ = last_h_ * std::clamp(r, 0.25, 0.9);
  } else {
    k_ = error_failures_ == 2 ? k_new_ : 1;
    h_ = 0.25 * last_h_;
  }
  return false;
}

void Integrator::order_and_step() {
  const int k = k_, change = order_change_;
  const double h = last_h_;
  if (fixed_order_ > 0) {
    history_.accept(e_, k < highest_order);
    return;
  }
  if (k_new_ == k - 1 || k == max_order_) raising_ = false;
  const auto next_order = [&]() -> int {
    if (k_new_ == k - 1) return k - 1;
    if (k == max_order_ || k + 1 >= history_.constant_steps() || change == 1) return k;
    d_ = e_ - history_.difference(k + 2);
    const double higher = norm_(d_) / (k + 2), term_higher = (k + 2) * higher;
    if (k > 1) {
      if (term_lower_ <= std::min(term_, term_higher)) return k - 1;
      if (term_higher >= term_) return k;
    } else if (term_higher >= 0.5 * term_) {
      return k;
    }
    est_ = higher;
    return k + 1;
  };
  if (raising_) {
    k_ = k + 1;
    h_ = 2.0 * h;
  } else {
    const int before = k_new_;
    k_ = next_order();
    if (k_ == k - 1 && before == k) est_ = term_lower_ / k;
    const double r = std::pow(2.0 * est_ + 1e-4, -1.0 / (k_ + 1));
    h_ = r >= 2.0 ? 2.0 * h : r <= 1.0 ? h * std::clamp(r, 0.5, 0.9) : h;
  }
  order_change_ = k_ - k;
  history_.accept(e_, k < max_order_);
}

// A d = (0; d, c, G v + gI, g, n) with the corrector's factors.
bool Integrator::project(double t, Vector& y, Vector& y_dot, Vector* e) {
  const Sizes& n = system_.sizes();
  if (n.lambda + n.w + n.s + n.n == 0) return true;
  constexpr double enough = 2e-2;
  constexpr int most = 6;
  double before = std::numeric_limits<double>::infinity();
  for (int i = 0; i < most; ++i) {
    system_.constraints(t, y, y_dot, d_);
    corrector_.apply(history_.alpha(), norm_, d_);
    ++statistics_.projections;
    ++statistics_.matrix_evaluations;
    const double change = norm_(d_);
    if (!std::isfinite(change) || change > 2.0 * before) return false;
    y -= d_;
    if (e != nullptr) *e -= d_;
    if (change <= enough) return true;
    before = change;
  }
  return false;
}

// The second form integrates velocities alone: where positions have drifted by more than the
// tolerance they are projected, and the whole history moved with them.
void Integrator::mend_drift() {
  const Sizes& n = system_.sizes();
  if (system_.form() == Form::ggl || n.g == 0) return;
  Workspace& ws = system_.workspace();
  equations_.position(context_, x_, want_g, ws);
  ++statistics_.matrix_evaluations;
  const Vector& scale = equations_.structure().g_scale;
  const bool drifted = scale.size() == n.g
                           ? ws.g.cwiseQuotient(scale).cwiseAbs().maxCoeff() > norm_.smallest_rtol()
                           : ws.g.cwiseAbs().maxCoeff() > norm_.smallest_rtol();
  if (!drifted) return;
  const Vector before = x_.p;
  if (!check(projection_.positions(x_, ws, *solver_), true)) return;
  history_.shift(system_.at().p, x_.p - before);
}

// What is left to do for the state at the end of a step.
void Integrator::finish(double t_end) {
  x_.t = t_end;
  const Sizes& n = system_.sizes();
  mend_drift();
  if (n.n > 0) equations_.normalise(x_);
  if (n.w > 0 || n.s > 0) equations_.solve_auxiliary(context_, x_, system_.workspace());
}

// To a stop time near the end of the history: the last polynomial goes on to hold.
void Integrator::shift(double t_end) {
  begin_ = x_;
  history_.interpolate(t_end - t_history_, y_, &y_dot_);
  system_.unpack(t_end, y_, y_dot_, x_);
  Workspace& ws = system_.workspace();
  const bool projected = check(projection_.positions(x_, ws, *solver_), true) &&
                         check(projection_.velocities(x_, ws, *solver_), false);
  trouble_ = projected ? Trouble::start_singular : trouble_;
  if (!projected || !solve_accelerations(equations_, context_, x_, ws, *solver_)) {
    x_ = begin_;
    give_up(t_end - x_.t, "a last short step fails");
  }
  t_begin_ = begin_.t;
  finish(t_end);
  count_step();
}

void Integrator::count_step() {
  ++statistics_.steps;
  statistics_.last_step = x_.t - t_begin_;
  statistics_.last_order = history_.order();
  statistics_.simulated += statistics_.last_step;
}

void Integrator::interpolate(double t, bool projected, State& x) {
  if (!(t >= t_begin_ && t <= x_.t)) {
    throw std::invalid_argument("interpolation at t = " + short_number(t) +
                                ", outside of the last step from " + short_number(t_begin_) +
                                " to " + short_number(x_.t));
  }
  x = t == t_begin_ && t < x_.t ? begin_ : x_;
  if (t == x_.t || t == t_begin_) return;
  history_.interpolate(t - t_history_, view_y_, &view_y_dot_);
  system_.unpack(t, view_y_, view_y_dot_, x);
  if (system_.sizes().n > 0) equations_.normalise(x);
  if (!projected) return;
  if (!view_projection_.positions(x, *view_ws_, *view_solver_).ok ||
      !view_projection_.velocities(x, *view_ws_, *view_solver_).ok ||
      !solve_accelerations(equations_, context_, x, *view_ws_, *view_solver_)) {
    throw SolverFailure(t, x_.t - t_begin_, "the interpolated point cannot be projected",
                        "Try smaller tolerances");
  }
}

}  // namespace mbs::bdf
