#include "engine/integrators/base/step_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "engine/base/snapshot.hpp"
#include "engine/base/text.hpp"

namespace mbs {

void Run::check(double t, double t_stop) const {
  if (!started) throw std::logic_error("Integrator::step before start");
  if (!(t_stop > t)) {
    throw std::invalid_argument("a step from t = " + short_number(t) +
                                " cannot stop at t = " + short_number(t_stop));
  }
}

double Run::least_step(const IntegratorOptions& options, double t) const {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  return std::max(options.min_step, 16.0 * epsilon * std::max(std::abs(t), first_step));
}

std::string Run::exhausted(const IntegratorOptions& options, double h, double least) const {
  if (!(h >= least)) return "the step size is below its least value " + short_number(least);
  if (options.max_steps > 0 && attempts >= options.max_steps) {
    return "the limit max_steps = " + std::to_string(options.max_steps) + " is reached";
  }
  return {};
}

void Run::save(ByteWriter& out) const {
  out.put(started);
  out.put(chooses_first_step);
  out.put(attempts);
  out.put(first_step);
}

void Run::restore(ByteReader& in) {
  started = get_bool(in);
  chooses_first_step = get_bool(in);
  in.get(attempts);
  in.get(first_step);
  if (started && !chooses_first_step && !(first_step > 0.0)) {  // steps would have no least size
    throw std::runtime_error("the stored state belongs to another model");
  }
}

StepPlan plan_step(const IntegratorOptions& options, double t, double t_stop, double optimal) {
  const double left = t_stop - t;
  double size = optimal;
  if (options.max_step > 0.0) size = std::min(size, options.max_step);
  const bool last = left <= 1.01 * size && (options.max_step == 0.0 || left <= options.max_step);
  if (last) {
    size = left;
  } else if (left < 2.0 * size) {
    size = 0.5 * left;
  }
  return {size, last ? t_stop : t + size, size < 0.99 * optimal};
}

}  // namespace mbs
