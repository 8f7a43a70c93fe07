#include "engine/integrators/reduction/integrator.hpp"

#include <algorithm>

#include "engine/base/text.hpp"
#include "engine/integrators/base/first_step.hpp"

namespace mbs::reduction {

Integrator::Integrator(const Equations& equations, Context context,
                       const IntegratorOptions& options)
    : IntegratorBase(equations, context, options),
      method_(read_options(options)),
      layout_(equations.sizes()),
      norm_(options, equations.sizes().p, equations.sizes().v, equations.sizes().r),
      ws_(equations.make_workspace()),
      choice_(equations, context, options, method_.method),
      adams_(layout_.ny(), layout_.slopes()),
      control_(options.order_within(1, Adams::most_order, "reduction")),
      next_(equations.sizes()),
      g_scale_(Vector::Ones(equations.sizes().g)),
      y_(Vector::Zero(layout_.ny())),
      y_next_(y_),
      slope_(Vector::Zero(layout_.slopes())),
      drift_(Vector::Zero(layout_.lambda)),
      y0_(y_),
      y1_(y_),
      y_at_(y_),
      slope_at_(slope_),
      stiffness_(equations, context, options) {
  const Vector& sizes = equations.structure().g_scale;
  if (sizes.size() >= g_scale_.size()) g_scale_ = sizes.head(g_scale_.size());
}

std::string Integrator::describe() const {
  std::string text = "reduction, " + std::string(keyword(method_.method));
  if (drifts() && statistics_.steps > 0) {
    text += ", constraint residual at most " + short_number(largest_drift_);
  }
  if (passages() > 0) {
    text += ", " + std::to_string(passages()) + " times as partition near singular positions";
  }
  return text + "; linear solver: " + solver_->name();
}

// The hint is the step size of a higher order, which is of no use for a first step of order 1.
void Integrator::start(const State& x0, double /*step_hint*/) {
  ++statistics_.starts;
  run_ = {};
  failure_ = {};
  order_ = 0;
  choice_.start();
  next_ = x0;
  alpha_ = method_.alpha;
  beta_ = method_.beta;
  if (!count(projection_.positions(next_, *ws_, *solver_)) ||
      !count(projection_.velocities(next_, *ws_, *solver_)) ||
      !evaluate(next_, {false, false, false}, slope_)) {
    x_ = x0;
    give_up(0.0, "the state to start from cannot be brought onto the constraints");
  }
  begin_ = x_ = next_;
  t_begin_ = x_.t;
  stiffness_.start(x_);
  layout_.pack_y(x_, y_);
  adams_.clear();
  adams_.push(x_.t, slope_);
  require(choice_.choose(x_, *ws_, statistics_));
  choice_.check_singularity(*ws_, warnings_);
  control_.start(begin_run(0.0));
}

void Integrator::step(double t_stop) {
  begin_step(t_stop);
  if (run_.chooses_first_step) control_.start(set_first_step(choose_step(t_stop)));
  adapt_stabilisation();
  const double natural = control_.step();
  const int natural_order = control_.order();
  const double least = run_.least_step(options_, x_.t);
  for (int tries = 0;; ++tries) {
    const StepPlan plan = plan_step(options_, x_.t, t_stop, control_.step());
    const bool cut = tries == 0 && plan.cut;
    const std::string exhausted = run_.exhausted(options_, control_.step(), least);
    if (!exhausted.empty()) give_up(plan.size, exhausted);
    ++run_.attempts;
    constexpr double near = 0.05;  // a node so close to another one adds rounding errors alone
    switch (attempt(plan.end, cut && plan.size < near * natural)) {
      case Attempt::accepted:
        if (cut && control_.step() >= plan.size && control_.step() < natural) {
          control_.resume(natural, std::min(natural_order, adams_.nodes()));
        }
        count_step(order_);
        stiffness_.check(x_, warnings_);
        return;
      case Attempt::rejected:
        ++statistics_.rejected;
        break;
      case Attempt::failed:
        ++statistics_.failed;
        control_.failed(plan.size);
        // The coordinates may be the cause. At the end of all attempts the message needs the matrix
        // of the failure instead.
        if (tries == 0 && control_.step() > 4.0 * least) choose_at_begin();
        break;
    }
  }
}

double Integrator::choose_step(double t_stop) {
  norm_.set_scale(y_, y_);
  const int ny = layout_.ny();
  adams_.plan(x_.t + 1.0, 1);
  adams_.extrapolate(slope_at_);
  const FirstStep known{norm_(y_), norm_(slope_at_.head(ny)), longest_step(t_stop), 0.1, 0.5};
  return first_step(known, x_.t, [&](double h) -> std::optional<double> {
    next_ = x_;
    next_.t = x_.t + h;
    y_next_ = y_ + h * slope_at_.head(ny);
    layout_.unpack_y(y_next_, next_);
    if (!evaluate(next_, predicted(), slope_)) return {};
    slope_ -= slope_at_;
    return norm_(slope_.head(ny)) / h;
  });
}

void Integrator::evaluate_interpolant(double t, State& x) {
  layout_.pack_y(begin_, y0_);
  layout_.pack_y(x_, y1_);
  adams_.interpolate(t, t_begin_, y0_, y1_, order_, y_at_, slope_at_);
  layout_.unpack_y(y_at_, x);
  x.a = slope_at_.segment(layout_.p, layout_.v);
  layout_.unpack_algebraic(slope_at_, x);
}

}  // namespace mbs::reduction
