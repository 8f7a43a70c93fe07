#include "engine/integrators/base/step_plan.hpp"

#include <algorithm>
#include <cmath>

#include "engine/base/text.hpp"

namespace mbs {

void check_step(bool started, double t, double t_stop) {
  if (!started) throw std::logic_error("Integrator::step before start");
  if (!(t_stop > t)) {
    throw std::invalid_argument("a step from t = " + short_number(t) +
                                " cannot stop at t = " + short_number(t_stop));
  }
}

double least_step(const IntegratorOptions& options, double t, double scale) {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  return std::max(options.min_step, 16.0 * epsilon * std::max(std::abs(t), scale));
}

StepPlan plan_step(const IntegratorOptions& options, double t, double t_stop, double wished) {
  const double left = t_stop - t;
  double size = wished;
  if (options.max_step > 0.0) size = std::min(size, options.max_step);
  const bool lands = left <= 1.01 * size && (options.max_step == 0.0 || left <= options.max_step);
  if (lands) {
    size = left;
  } else if (left < 2.0 * size) {
    size = 0.5 * left;
  }
  return {size, lands ? t_stop : t + size, size < 0.99 * wished};
}

std::string why_not(const IntegratorOptions& options, double wished, double least, long attempts) {
  if (!(wished >= least)) return "the step size is below its least value " + short_number(least);
  if (options.max_steps > 0 && attempts >= options.max_steps) {
    return "the limit max_steps = " + std::to_string(options.max_steps) + " is reached";
  }
  return {};
}

}  // namespace mbs
