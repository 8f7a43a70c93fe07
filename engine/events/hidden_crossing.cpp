#include "engine/events/hidden_crossing.hpp"

#include <algorithm>
#include <cmath>

namespace mbs {
namespace {

// Slopes are differences over this part of an interval. A function is resolved there when its
// cubic errs by this part of its distance from zero.
constexpr double slope_part = 1e-4, resolved_part = 0.05;
// Samples of the projected output: of an interval at least to this depth.
constexpr std::size_t least_depth = 6;

}  // namespace

HiddenCrossing::HiddenCrossing(const Equations& equations, Context context,
                               const IndicatorSides& rules, double rtol)
    : equations_(equations), context_(context), rules_(rules), rtol_(rtol), x_(equations.sizes()) {
  const Vector none = Vector::Zero(equations.sizes().phi);
  if (none.size() > 0) ws_ = equations.make_workspace();
  for (Sample& sample : samples_) sample.phi = sample.slope = none;
}

double HiddenCrossing::find(Integrator& integrator, double a, double t, const Vector& phi,
                            const Known& known) {
  projects_ = false;
  bool any = false;
  for (int i = 0; i < phi.size() && !any; ++i) any = watches(known, i);
  Sample &low = samples_[0], &high = samples_[1];
  const double delta = slope_part * (t - a);
  if (!any || !(a + delta > a && t - delta < t)) return t;
  low.t = a;
  low.phi = phi;
  high.t = t;
  sample(integrator, high);
  projects_ = dense_output_misses_forces(integrator, known, low, high);
  if (projects_) {
    sample(integrator, low);
    sample(integrator, high);
  }
  sample_slope(integrator, low, delta);
  sample_slope(integrator, high, -delta);
  return find(integrator, known, low, high, 2);
}

bool HiddenCrossing::is_resolved(const Known& known, int i, double value, double estimate,
                                 double least) const {
  const double unresolved = std::max(rtol_ * known.largest[i], rules_.band(i, known.largest[i]));
  return std::abs(value - estimate) <= std::max(unresolved, resolved_part * least);
}

// In the middle between two samples.
bool HiddenCrossing::dense_output_misses_forces(Integrator& integrator, const Known& known,
                                                const Sample& low, const Sample& high) {
  const auto is_force = [&](int i) { return watches(known, i) && rules_.is_contact_force(i, x_); };
  bool any = false;
  for (int i = 0; i < samples_[0].phi.size() && !any; ++i) any = is_force(i);
  if (!any) return false;
  Sample &dense = samples_[2], &motion = samples_[3];
  dense.t = motion.t = 0.5 * (low.t + high.t);
  sample(integrator, dense);
  projects_ = true;
  sample(integrator, motion);
  projects_ = false;
  for (int i = 0; i < samples_[0].phi.size(); ++i) {
    if (!is_force(i)) continue;
    const double least =
        std::min({std::abs(low.phi[i]), std::abs(high.phi[i]), std::abs(motion.phi[i])});
    if (!is_resolved(known, i, motion.phi[i], dense.phi[i], least)) return true;
  }
  return false;
}

bool HiddenCrossing::watches(const Known& known, int i) const {
  return !rules_.is_time_event(i) && std::abs(known.sides[i]) == 1;
}

void HiddenCrossing::sample(Integrator& integrator, Sample& at) {
  integrator.interpolate(at.t, projects_, x_);
  equations_.switching(context_, x_, *ws_);
  at.phi = ws_->phi;
}

void HiddenCrossing::sample_slope(Integrator& integrator, Sample& at, double delta) {
  integrator.interpolate(at.t + delta, projects_, x_);
  equations_.switching(context_, x_, *ws_);
  at.slope = (ws_->phi - at.phi) / delta;
}

// samples_ from `next` on are free.
double HiddenCrossing::find(Integrator& integrator, const Known& known, const Sample& low,
                            const Sample& high, std::size_t next) {
  const double length = high.t - low.t;
  Sample& between = samples_[next];
  between.t = low.t + 0.5 * length;
  bool turns = false;
  for (int i = 0; i < samples_[0].phi.size() && !turns; ++i) {
    if (!watches(known, i)) continue;
    const int side = known.sides[i];
    const double a = side * low.phi[i], b = side * high.phi[i], slope_a = side * low.slope[i],
                 slope_b = side * high.slope[i];
    if (!(a > 0.0 && b > 0.0 && slope_a < 0.0 && slope_b > 0.0)) continue;
    const double meet = (b - a - slope_b * length) / (slope_a - slope_b);
    turns = a + slope_a * meet <= 0.0;
    if (turns) between.t = low.t + std::clamp(meet, 0.1 * length, 0.9 * length);
  }
  sample(integrator, between);
  const double part = (between.t - low.t) / length;
  bool resolved = !turns && !(projects_ && next < least_depth);
  for (int i = 0; i < samples_[0].phi.size(); ++i) {
    if (!watches(known, i)) continue;
    const int side = known.sides[i];
    const double a = side * low.phi[i], b = side * high.phi[i], value = side * between.phi[i];
    if (!(a > 0.0 && b > 0.0)) continue;
    if (value <= (rules_.guards(i) ? -rules_.slack(i, x_, known.largest[i]) : 0.0))
      return between.t;
    if (value <= 0.0) continue;  // of a guard: rounding
    // Hermite's cubic
    const double u = 1.0 - part;
    const double cubic = u * u * ((1.0 + 2.0 * part) * a + part * length * side * low.slope[i]) +
                         part * part * ((1.0 + 2.0 * u) * b - u * length * side * high.slope[i]);
    resolved = resolved && is_resolved(known, i, value, cubic, std::min({a, b, value}));
  }
  if (resolved || next + 1 == samples_.size() || !(between.t > low.t && between.t < high.t))
    return high.t;
  sample_slope(integrator, between, slope_part * std::min(between.t - low.t, high.t - between.t));
  const double first = find(integrator, known, low, between, next + 1);
  return first < between.t ? first : find(integrator, known, between, high, next + 1);
}

}  // namespace mbs
