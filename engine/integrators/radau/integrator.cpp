#include "engine/integrators/radau/integrator.hpp"

#include "engine/equations/initial.hpp"
#include "engine/integrators/base/first_step.hpp"

namespace mbs::radau {

Integrator::Integrator(const Equations& equations, Context context,
                       const IntegratorOptions& options)
    : IntegratorBase(equations, context, options),
      choice_(read_options(options, equations.sizes())),
      layout_(equations.sizes()),
      norm_(make_norm(options, equations.sizes())),
      ws_(equations.make_workspace()),
      stage_solver_({equations_, context_, choice_, statistics_}, layout_, norm_,
                    choice_.kappa > 0.0
                        ? choice_.kappa
                        : newton_tolerance(norm_, is_large(equations.sizes()) ? 1.0 : 0.1),
                    failure_),
      control_(choice_),
      now_(x_, layout_),
      trial_(equations.sizes()),
      slope_(Vector::Zero(layout_.ny())),
      scratch_(layout_.size()),
      polynomial_(layout_.size()),
      rank_monitor_(equations.sizes()),
      invariants_(equations, context) {
  make_newton_system();
}

std::string Integrator::describe() const {
  return "radau, " +
         std::string(choice_.form == Form::projected ? "projected-strangeness-free form"
                                                     : "strangeness-index-1 form") +
         ", " + stage_solver_.system().describe() +
         (redundant_ > 0 ? "; " + std::to_string(redundant_) +
                               " constraints are redundant: multipliers of least norm"
                         : std::string()) +
         "; linear solver of projections: " + solver_->name();
}

void Integrator::start(const State& x0, double step_hint) {
  ++statistics_.starts;
  run_ = {};
  failure_ = {};
  has_polynomial_ = at_singular_point_ = false;
  stage_solver_.start();
  trial_ = x0;
  treat_redundancy(x0);
  if (!arrive(trial_)) {
    x_ = x0;
    give_up(0.0, "the state to start from cannot be brought onto the constraints");
  }
  accept(trial_);
  begin_ = x_;
  t_begin_ = x_.t;
  control_.start(begin_run(step_hint));
}

void Integrator::step(double t_stop) {
  begin_step(t_stop);
  stage_solver_.begin();
  if (run_.chooses_first_step) control_.start(set_first_step(choose_step(t_stop)));
  const double natural = control_.step();
  if (is_tiny(t_stop, natural)) {
    shift(t_stop);
    return;
  }
  const double least = run_.least_step(options_, x_.t);
  for (int tries = 0;; ++tries) {
    const StepPlan plan = plan_step(options_, x_.t, t_stop, control_.step());
    const std::string exhausted = run_.exhausted(options_, control_.step(), least);
    if (!exhausted.empty()) give_up(plan.size, exhausted);
    ++run_.attempts;
    switch (attempt(plan.end, false)) {
      case Attempt::accepted:
        if (tries == 0 && plan.cut && control_.step() >= plan.size && control_.step() < natural) {
          control_.resume(natural);
        }
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

void Integrator::fixed_step(double H) {
  if (attempt(x_.t + H, true) != Attempt::accepted) give_up(H, "a fixed step fails");
}

double Integrator::choose_step(double t_stop) {
  norm_.set_scale(now_.y());
  const FirstStep known{norm_(now_.unknowns), norm_(now_.slope), longest_step(t_stop), 0.01, 0.25};
  return first_step(known, x_.t, [&](double h) -> std::optional<double> {
    trial_ = x_;
    trial_.t = x_.t + h;
    auto y = scratch_.head(layout_.ny());
    y = now_.y() + h * now_.slope;
    layout_.unpack_y(y, trial_);
    if (!arrive(trial_)) return {};
    y = slope_ - now_.slope;
    return norm_(y) / h;
  });
}

void Integrator::evaluate_interpolant(double t, State& x) {
  polynomial_.evaluate((t - t_begin_) / (x_.t - t_begin_), scratch_);
  layout_.unpack(scratch_, x);
}

}  // namespace mbs::radau
