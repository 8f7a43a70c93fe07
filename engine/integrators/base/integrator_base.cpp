#include "engine/integrators/base/integrator_base.hpp"

#include <algorithm>

#include "engine/base/text.hpp"
#include "engine/equations/initial.hpp"

namespace mbs {
namespace {

IntegratorOptions checked(const IntegratorOptions& options, const Sizes& sizes) {
  options.check(sizes);
  return options;
}

}  // namespace

IntegratorBase::IntegratorBase(const Equations& equations, Context context,
                               const IntegratorOptions& options)
    : equations_(equations),
      context_(context),
      options_(checked(options, equations.sizes())),
      solver_(equations.make_solver(options.linear)),
      projection_(equations, context, options),
      begin_(equations.sizes()),
      output_{equations.make_workspace(), equations.make_solver(options.linear),
              Projection(equations, context, options)} {
  solver_->measure_time(options.monitor);
  x_ = begin_;
}

void IntegratorBase::interpolate(double t, bool projected, State& x) {
  if (!(t >= t_begin_ && t <= x_.t)) {
    throw std::invalid_argument("interpolation at t = " + short_number(t) +
                                ", outside of the last step from " + short_number(t_begin_) +
                                " to " + short_number(x_.t));
  }
  x = t == t_begin_ && t < x_.t ? begin_ : x_;
  if (t == x_.t || t == t_begin_) return;
  x.t = t;
  evaluate_interpolant(t, x);
  if (!projected) return;
  auto& [ws, solver, projection] = output_;
  if (!projection.positions(x, *ws, *solver).ok || !projection.velocities(x, *ws, *solver).ok ||
      !solve_accelerations(equations_, context_, x, *ws, *solver)) {
    throw SolverFailure(t, x_.t - t_begin_, "the interpolated point cannot be projected",
                        "Try smaller tolerances");
  }
}

void IntegratorBase::save(ByteWriter& out) const {
  x_.save(out);
  begin_.save(out);
  out.put(t_begin_);
  statistics_.save(out);
  run_.save(out);
  save_method(out);
  output_.solver->save(out);
}

// Statistics come last: methods may evaluate and count while they restore their matrices.
void IntegratorBase::restore(ByteReader& in) {
  x_.restore(in);
  begin_.restore(in);
  in.get(t_begin_);
  Statistics statistics;
  statistics.restore(in);
  run_.restore(in);
  restore_method(in);
  output_.solver->restore(in);
  statistics_ = statistics;
  failure_ = {};
}

double IntegratorBase::begin_run(double step_hint) {
  const double wanted = step_hint > 0.0 ? step_hint : options_.initial_step;
  const bool chosen = wanted > 0.0;
  run_ = {true, !chosen, 0, chosen ? std::max(wanted, options_.min_step) : 0.0};
  return run_.first_step;
}

double IntegratorBase::set_first_step(double h) {
  run_.chooses_first_step = false;
  return run_.first_step = std::max(h, options_.min_step);
}

void IntegratorBase::begin_step(double t_stop) {
  run_.check(x_.t, t_stop);
  failure_ = {};
  warnings_.clear();
}

double IntegratorBase::longest_step(double t_stop) const {
  const double left = t_stop - x_.t;
  return options_.max_step > 0.0 ? std::min(left, options_.max_step) : left;
}

bool IntegratorBase::is_tiny(double t_stop, double natural) const {
  constexpr double tiny = 1e-7;
  const double longest = options_.max_step > 0.0 ? options_.max_step : natural;
  return t_stop - x_.t <= tiny * std::min(natural, longest);
}

void IntegratorBase::count_step(int order) {
  ++statistics_.steps;
  statistics_.last_step = x_.t - t_begin_;
  statistics_.last_order = order;
  statistics_.simulated += statistics_.last_step;
}

bool IntegratorBase::succeeded(const ProjectionResult& result) {
  if (!result.ok) failure_ = failure_of(result);
  return result.ok;
}

bool IntegratorBase::count(const ProjectionResult& result, bool positions) {
  statistics_.solves += result.iterations;
  if (result.factored) ++statistics_.factorisations;
  if (positions) {
    statistics_.projections += result.iterations;
  } else {
    ++statistics_.matrix_evaluations;
  }
  return succeeded(result);
}

bool IntegratorBase::fail(StepFailure::Reason reason) {
  failure_.reason = reason;
  return false;
}

void IntegratorBase::stop(double h, const std::string& event, int order,
                          const Explanation& why) const {
  const std::string with = order > 0 ? " (order " + std::to_string(order) + ")" : std::string();
  throw SolverFailure(x_.t, h, event + with + (why.reason.empty() ? "" : "; " + why.reason),
                      why.advice);
}

}  // namespace mbs
