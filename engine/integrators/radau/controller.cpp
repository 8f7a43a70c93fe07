#include "engine/integrators/radau/controller.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/integrators/radau/options.hpp"

namespace mbs::radau {

Norm::Norm(const IntegratorOptions& options, const Sizes& sizes) {
  const int n = sizes.p + sizes.v + sizes.r;
  const Vector rtol =
      options.rtol_each.size() > 0 ? options.rtol_each : Vector::Constant(n, options.rtol);
  const Vector atol =
      options.atol_each.size() > 0 ? options.atol_each : Vector::Constant(n, options.atol);
  rtol_ = 0.1 * rtol.array().pow(2.0 / 3.0);
  atol_ = rtol_.array() * atol.array() / rtol.array();
  inverse_ = Vector::Ones(n);
}

double Norm::kappa(double c) const {
  const double least = rtol_.size() > 0 ? rtol_.minCoeff() : 1e-4;
  return std::max(10.0 * std::numeric_limits<double>::epsilon() / least,
                  std::min(0.03, c * std::sqrt(least)));
}

void Norm::set_scale(const Vector& y) {
  inverse_ = (atol_.array() + rtol_.array() * y.array().abs()).inverse();
}

double Norm::operator()(const Eigen::Ref<const Vector>& d) const {
  if (d.size() == 0) return 0.0;
  return std::sqrt(d.cwiseProduct(inverse_).squaredNorm() / static_cast<double>(d.size()));
}

int Norm::largest(const Eigen::Ref<const Vector>& d) const {
  int worst = -1;
  double most = -1.0;
  for (int i = 0; i < d.size(); ++i) {
    const double size = std::abs(d[i] * inverse_[i]);
    if (std::isnan(size)) return i;
    if (size > most) {
      most = size;
      worst = i;
    }
  }
  return worst;
}

void Controller::start(double h) {
  h_ = h;
  first_ = true;
  rejected_ = keep_jacobian_ = false;
  accepted_ = 0;
}

double Controller::wish(double h, double error, int iterations) const {
  const double twice = 2.0 * options_.iterations;
  const double fac =
      std::min(options_.safety, options_.safety * (1.0 + twice) / (iterations + twice));
  const double quotient = std::clamp(std::pow(error, 0.25) / fac, 1.0 / options_.most_growth,
                                     1.0 / options_.most_shrinkage);
  return h / quotient;
}

void Controller::accepted(double h, double error, int iterations, double theta) {
  error = std::max(error, 1e-10);
  double wanted = wish(h, error, iterations);
  ++accepted_;
  if (options_.predictive) {
    if (accepted_ > 1) {
      const double quotient = std::clamp(
          h_accepted_ / h * std::pow(error * error / error_accepted_, 0.25) / options_.safety,
          1.0 / options_.most_growth, 1.0 / options_.most_shrinkage);
      wanted = std::min(wanted, h / quotient);
    }
    h_accepted_ = h;
    error_accepted_ = std::max(1e-2, error);
  }
  if (rejected_) wanted = std::min(wanted, h);
  keep_jacobian_ = theta <= options_.thet;
  const double change = wanted / h;
  h_ = keep_jacobian_ && change >= options_.quot1 && change <= options_.quot2 ? h : wanted;
  first_ = rejected_ = false;
}

void Controller::rejected(double h, double error, int iterations) {
  h_ = first_ ? 0.1 * h : wish(h, error, iterations);
  rejected_ = true;
}

void Controller::failed(double h, double factor) {
  h_ = factor * h;
  rejected_ = true;
}

void Controller::save(ByteWriter& out) const {
  out.put(h_);
  for (const bool flag : {first_, rejected_, keep_jacobian_}) out.put<std::uint8_t>(flag);
  out.put(accepted_);
  out.put(h_accepted_);
  out.put(error_accepted_);
}

void Controller::restore(ByteReader& in) {
  in.get(h_);
  for (bool* flag : {&first_, &rejected_, &keep_jacobian_}) {
    std::uint8_t value = 0;
    in.get(value);
    *flag = value != 0;
  }
  in.get(accepted_);
  in.get(h_accepted_);
  in.get(error_accepted_);
}

}  // namespace mbs::radau
