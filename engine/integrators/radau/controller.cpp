#include "engine/integrators/radau/controller.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/snapshot.hpp"
#include "engine/integrators/radau/options.hpp"

namespace mbs::radau {

ErrorNorm make_norm(const Tolerances& given, const Sizes& sizes) {
  const int n = sizes.p + sizes.v + sizes.r;
  const Vector rtol =
      given.rtol_each.size() > 0 ? given.rtol_each : Vector::Constant(n, given.rtol);
  const Vector atol =
      given.atol_each.size() > 0 ? given.atol_each : Vector::Constant(n, given.atol);
  Tolerances of_estimate;
  of_estimate.rtol_each = 0.1 * rtol.array().pow(2.0 / 3.0);
  of_estimate.atol_each = of_estimate.rtol_each.array() * atol.array() / rtol.array();
  return {of_estimate, sizes.p, sizes.v, sizes.r, n};
}

double newton_tolerance(const ErrorNorm& norm, double c) {
  const double rtol = norm.smallest_rtol();
  return std::max(10.0 * std::numeric_limits<double>::epsilon() / rtol,
                  std::min(0.03, c * std::sqrt(rtol)));
}

void Controller::start(double h) {
  h_ = h;
  first_ = true;
  rejected_ = keep_jacobian_ = false;
  accepted_ = 0;
}

double Controller::optimal(double h, double error, int iterations) const {
  const double twice = 2.0 * options_.iterations;
  const double fac =
      std::min(options_.safety, options_.safety * (1.0 + twice) / (iterations + twice));
  const double quotient = std::clamp(std::pow(error, 0.25) / fac, 1.0 / options_.most_growth,
                                     1.0 / options_.most_shrinkage);
  return h / quotient;
}

void Controller::accepted(double h, double error, int iterations, double theta) {
  error = std::max(error, 1e-10);
  double next = optimal(h, error, iterations);
  ++accepted_;
  if (options_.predictive) {
    if (accepted_ > 1) {
      const double quotient = std::clamp(
          h_accepted_ / h * std::pow(error * error / error_accepted_, 0.25) / options_.safety,
          1.0 / options_.most_growth, 1.0 / options_.most_shrinkage);
      next = std::min(next, h / quotient);
    }
    h_accepted_ = h;
    error_accepted_ = std::max(1e-2, error);
  }
  if (rejected_) next = std::min(next, h);
  keep_jacobian_ = theta <= options_.jacobian_reuse;
  const double change = next / h;
  h_ = keep_jacobian_ && change >= options_.keep_step_from && change <= options_.keep_step_to
           ? h
           : next;
  first_ = rejected_ = false;
}

void Controller::rejected(double h, double error, int iterations) {
  h_ = first_ ? 0.1 * h : optimal(h, error, iterations);
  rejected_ = true;
}

void Controller::failed(double h, double factor) {
  h_ = factor * h;
  rejected_ = true;
}

void Controller::save(ByteWriter& out) const {
  out.put(h_);
  for (const bool flag : {first_, rejected_, keep_jacobian_}) out.put(flag);
  out.put(accepted_);
  out.put(h_accepted_);
  out.put(error_accepted_);
}

void Controller::restore(ByteReader& in) {
  in.get(h_);
  for (bool* flag : {&first_, &rejected_, &keep_jacobian_}) *flag = get_bool(in);
  in.get(accepted_);
  in.get(h_accepted_);
  in.get(error_accepted_);
}

}  // namespace mbs::radau
