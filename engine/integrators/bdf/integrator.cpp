#include "engine/integrators/bdf/integrator.hpp"

#include <algorithm>

namespace mbs::bdf {
namespace {

ErrorNorm make_norm(const Tolerances& tolerances, const System& system, CorrectorKind kind) {
  const Sizes& n = system.sizes();
  const int count = kind == CorrectorKind::dassl ? std::max(1, system.size()) : 0;
  return {tolerances, n.p, n.v, n.r, count};
}

}  // namespace

Integrator::Integrator(const Equations& equations, Context context,
                       const IntegratorOptions& options)
    : IntegratorBase(equations, context, options),
      method_(read_options(options)),
      system_(equations, context, method_.form, method_.formalism),
      norm_(make_norm(options, system_, method_.corrector)),
      corrector_(system_, method_, context, options, statistics_),
      history_(system_.size()),
      control_(options.order_within(1, highest_order, "bdf"), system_.size()) {
  for (Vector* x : {&y_, &y_dot_, &e_, &d_, &y_end_, &y_at_, &y_dot_at_}) {
    x->setZero(system_.size());
  }
}

void Integrator::step(double t_stop) {
  begin_step(t_stop);
  control_.begin_step();
  if (run_.chooses_first_step) choose_start(t_stop);
  constexpr double near = 0.05;  // of a step: the polynomial of the last step reaches that far
  double natural = control_.step();
  if (options_.max_step > 0.0) natural = std::min(natural, options_.max_step);
  if (stepped_ && t_stop - t_history_ <= near * natural) {
    shift(t_stop);
    return;
  }
  const double least = run_.least_step(options_, x_.t);
  const double t_before = x_.t;
  begin_ = x_;
  for (int tries = 0;; ++tries) {
    const StepPlan plan = plan_step(options_, t_history_, t_stop, control_.step());
    const std::string exhausted = run_.exhausted(options_, control_.step(), least);
    if (!exhausted.empty()) give_up(plan.size, exhausted);
    ++run_.attempts;
    switch (attempt(plan.end)) {
      case Attempt::accepted: {
        // A step that a stop time has cut short does not change the step size for good.
        const double h = plan.size, next = control_.step();
        if (tries == 0 && h < natural && next >= h && next < natural && h >= 0.5 * natural) {
          control_.resume(std::min(natural, 2.0 * h));
        }
        if (t_history_ <= t_before) {  // after a shift
          control_.begin_step();
          continue;
        }
        t_begin_ = t_before;
        count_step(history_.order());
        return;
      }
      case Attempt::rejected:
        ++statistics_.rejected;
        break;
      case Attempt::failed:
        ++statistics_.failed;
        break;
    }
  }
}

void Integrator::evaluate_interpolant(double t, State& x) {
  history_.interpolate(t - t_history_, y_at_, &y_dot_at_);
  system_.unpack(t, y_at_, y_dot_at_, x);
  if (system_.sizes().n > 0) equations_.normalise(x);
}

}  // namespace mbs::bdf
