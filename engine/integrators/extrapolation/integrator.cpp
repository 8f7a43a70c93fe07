#include "engine/integrators/extrapolation/integrator.hpp"

#include <algorithm>
#include <cmath>

#include "engine/equations/initial.hpp"
#include "engine/integrators/base/first_step.hpp"
#include "engine/integrators/extrapolation/explicit_midpoint.hpp"
#include "engine/integrators/extrapolation/half_explicit_euler.hpp"

namespace mbs::extrapolation {
namespace {

std::unique_ptr<Discretisation> make_rule(const Options& method,
                                          const DiscretisationContext& context) {
  if (method.method == Method::euler) {
    return std::make_unique<HalfExplicitEuler>(context, method.scheme);
  }
  return std::make_unique<ExplicitMidpoint>(context, method.dense);
}

}  // namespace

Integrator::Integrator(const Equations& equations, Context context,
                       const IntegratorOptions& options, Method method)
    : IntegratorBase(equations, context, options),
      method_(read_options(options, method)),
      layout_(equations.sizes()),
      norm_(options, equations.sizes().p, equations.sizes().v, equations.sizes().r),
      ws_(equations.make_workspace()),
      rule_(make_rule(method_, {equations, context, *ws_, *solver_, statistics_})),
      tableau_(rule_->expansion(), layout_.size(), method_.max_rows),
      kinks_(rule_->expansion(), layout_.ny(), method_.max_rows),
      endpoints_(rule_->expansion(), equations.sizes(), method_.max_rows),
      control_(rule_->expansion(), method_.max_rows, rule_->saved()),
      now_(equations.sizes()),
      next_(equations.sizes()),
      dense_(layout_, rule_->expansion(), method_),
      stiffness_(equations, context, options) {}

std::string_view Integrator::name() const {
  return method_.method == Method::euler ? "extrapolation" : "midpoint";
}

std::string Integrator::describe() const {
  const std::string choice = rule_->choice();
  return std::string(name()) + (choice.empty() ? "" : ", " + choice) +
         "; linear solver: " + solver_->name();
}

void Integrator::start(const State& x0, double step_hint) {
  ++statistics_.starts;
  run_ = {};
  failure_ = {};
  jumps_crossed_ = 0;
  now_.x = x0;
  const bool factored = layout_.lambda > 0;
  if (!projects(now_.x) || !done(rule_->arrive(now_, factored)) ||
      !done(rule_->prepare(now_, factored))) {
    x_ = x0;
    give_up(0.0, "the state to start from cannot be brought onto the constraints");
  }
  begin_ = x_ = now_.x;
  t_begin_ = x_.t;
  dense_.start(now_);
  stiffness_.start(x_);
  control_.start(norm_.smallest_rtol(), begin_run(step_hint));
  endpoints_.set_margin(1.0);
}

void Integrator::step(double t_stop) {
  begin_step(t_stop);
  if (run_.chooses_first_step) {
    control_.start(norm_.smallest_rtol(), set_first_step(choose_step(t_stop)));
  }
  const double natural = control_.step();
  const int natural_row = control_.row();
  if (is_tiny(t_stop, natural)) {  // a from (2.1) would have an error of about epsilon |v| / h
    shift(t_stop);
    return;
  }
  const double least = run_.least_step(options_, x_.t);
  locator_.begin(x_.t);
  bool endpoints_alone = true;  // have caused all rejections so far
  bool smooth = true;           // no attempt has shown a kink
  double located = x_.t;        // beyond it: where a discontinuity may lie, the end to try
  for (int tries = 0;; ++tries) {
    const bool crosses = tries > 0 && may_cross_jump(least);
    const double optimal = crosses ? 2.0 * least : control_.step();
    const StepPlan plan = located > x_.t && !crosses ? StepPlan{located - x_.t, located, true}
                                                     : plan_step(options_, x_.t, t_stop, optimal);
    located = x_.t;
    const bool cut = endpoints_alone && plan.cut;
    const std::string exhausted = run_.exhausted(options_, optimal, least);
    if (!exhausted.empty()) give_up(plan.size, exhausted);
    if (crosses) ++jumps_crossed_;
    ++run_.attempts;
    control_.begin_step(plan.end - x_.t, cut || dense_.rows() == 0 || tries >= 2);
    switch (attempt(plan.end, crosses  ? Expected::jump
                              : smooth ? Expected::smooth
                                       : Expected::kinks)) {
      case Attempt::accepted:
        if (crosses || (cut && control_.step() >= plan.size && control_.step() < natural)) {
          control_.resume(natural, natural_row);
        }
        if (!crosses) jumps_crossed_ = 0;
        count_step(rule_->expansion().power * dense_.rows());
        stiffness_.check(x_, warnings_);
        return;
      case Attempt::endpoint:
        ++statistics_.rejected;
        smooth = false;
        located =
            locator_.next(plan.end, rule_->expansion().steps(endpoint_rows_), endpoint_result_);
        control_.shortened(located - x_.t);
        continue;
      case Attempt::kink:
        ++statistics_.rejected;
        control_.rejected_for_kink();
        smooth = false;
        break;
      case Attempt::rejected:
        ++statistics_.rejected;
        control_.rejected();
        break;
      case Attempt::failed:
        ++statistics_.failed;
        control_.failed();
        break;
    }
    endpoints_alone = false;
    locator_.forget();
  }
}

// The second derivative is that of two half-explicit Euler steps: both rules have slopes at two
// points that lie h apart.
double Integrator::choose_step(double t_stop) {
  const int ny = layout_.ny();
  const auto y = dense_.end().value.head(ny);
  norm_.set_scale(y, y);
  const FirstStep known{norm_(y), norm_(dense_.end().slope.head(ny)), longest_step(t_stop), 0.01,
                        1.0 / (control_.row() + 1)};
  return first_step(known, x_.t, [&](double h) -> std::optional<double> {
    if (!add_row(1, x_.t + 2.0 * h)) return {};
    auto change = tableau_.first().head(ny);
    change = dense_.slopes(1).col(1).head(ny) - dense_.slopes(1).col(0).head(ny);
    return norm_(change) / h;
  });
}

void Integrator::fixed_step(double H, int rows) {
  const double t_end = x_.t + H;
  for (int j = 1; j <= rows; ++j) {
    if (!add_row(j, t_end)) give_up(H, "a fixed step fails");
  }
  if (!finish(rows, t_end, false) || !accept(rows, false)) give_up(H, "a fixed step fails");
  ++statistics_.steps;
}

void Integrator::evaluate_interpolant(double t, State& x) {
  const double H = x_.t - t_begin_;
  dense_.evaluate(H, (t - t_begin_) / H, x);
}

}  // namespace mbs::extrapolation
