#include "engine/integrators/extrapolation/endpoint_check.hpp"

#include <algorithm>

namespace mbs::extrapolation {
namespace {

// Uncertainty by the change of the difference between both ends; 1.2 times it was observed.
constexpr double share = 2.0;
// With few rows of the half-explicit Euler method a larger ratio is a kink that some of them see.
constexpr int few_rows = 3;
constexpr double certain_error = 10.0;

// The margin at the bound of stability.
constexpr double margin_growth = 5.0, largest_margin = 50.0, margin_decay = 0.998;

// A kink leaves half of d when half of the interval without evaluations is left, or when t_b is
// found by two d.
constexpr double left_by_a_kink = 0.6;
// Without kink or jump some (1 - 1/n)^n of the error is left at the last point with forces, on the
// truck 0.18 and more.
constexpr double left_by_none = 0.15;
constexpr double below_one = 0.9;  // the error that a shorter step aims at
constexpr double shorter = 0.5;    // a step whose errors do not fit a kink

}  // namespace

EndpointDiscontinuityCheck::EndpointDiscontinuityCheck(const Expansion& expansion,
                                                       const Sizes& sizes, int max_rows)
    : expansion_{1, expansion.step_numbers},
      power_(expansion.power),
      p_(sizes.p),
      v_(sizes.v),
      r_(sizes.r),
      first_(Matrix::Zero(v_ + r_, max_rows)),
      last_(first_),
      begin_(Vector::Zero(v_ + r_)),
      end_(begin_),
      error_(Vector::Zero(p_ + v_ + r_)) {}

void EndpointDiscontinuityCheck::add_row(int j, const Nearest& nearest) {
  first_.col(j - 1) = nearest.first;
  last_.col(j - 1) = nearest.last;
}

// The size of the error that the difference in error_ makes; error_ becomes that error.
double EndpointDiscontinuityCheck::size(Discretisation& rule, const ErrorNorm& norm,
                                        double half_h) {
  rule.to_accelerations(error_.segment(p_, v_));
  error_.tail(v_ + r_) *= half_h;
  return norm(error_);
}

// The difference that smooth forces may leave at an end, by the change of the last row.
double EndpointDiscontinuityCheck::uncertainty(int rows, double half_h, bool at_end,
                                               Discretisation& rule, const ErrorNorm& norm) {
  std::array<double, most_rows> c{}, before{};
  extrapolation_weights(expansion_, 1, rows, c);
  extrapolation_weights(expansion_, 1, rows - 1, before);
  const auto add_change = [&](const Matrix& nearest, double factor) {
    auto change = error_.tail(v_ + r_);
    for (int j = 1; j <= rows; ++j) {
      const auto i = static_cast<std::size_t>(j - 1);
      change += factor * (c[i] - before[i]) * nearest.col(j - 1);
    }
  };
  error_.setZero();
  add_change(at_end ? last_ : first_, 1.0);
  const double change = size(rule, norm, half_h);
  error_.setZero();
  add_change(last_, 1.0);
  add_change(first_, rows % 2 == 0 ? 1.0 : -1.0);
  return std::min(change, share * size(rule, norm, half_h));
}

EndpointResult EndpointDiscontinuityCheck::judge(int rows, double H, const StepPoint& begin,
                                                 const StepPoint& end, Discretisation& rule,
                                                 const ErrorNorm& norm) {
  const double half_h = 0.5 * H / expansion_.steps(rows);
  std::array<double, most_rows> c{};
  extrapolation_weights(expansion_, 1, rows, c);
  rule.pack_nearest(begin, begin_);
  rule.pack_nearest(end, end_);
  for (int j = 1; j <= rows; ++j) {
    const double weight = c[static_cast<std::size_t>(j - 1)];
    begin_ -= weight * first_.col(j - 1);
    end_ -= weight * last_.col(j - 1);
  }
  // Both ends are judged at once first: mostly nothing more is needed.
  error_.tail(v_ + r_) = end_ - begin_;
  EndpointResult most;
  most.error = size(rule, norm, half_h);
  if (!(most.error > 1.0)) return most;
  for (const bool at_end : {true, false}) {
    error_.tail(v_ + r_) = at_end ? end_ : begin_;
    const double error = size(rule, norm, half_h);
    if (!(error > 1.0) || (most.rejects && error <= most.error)) continue;
    const int worst = norm.largest(error_);
    const double uncertain = uncertainty(rows, half_h, at_end, rule, norm);
    const bool certain = power_ == 1 && rows <= few_rows && error > certain_error;
    if (certain || error > margin_ * uncertain) {
      most = {true, at_end, error, certain ? 2.0 * largest_margin : error / uncertain, worst};
    }
  }
  return most;
}

void EndpointDiscontinuityCheck::false_alarm(double ratio) {
  margin_ = std::min(std::max(margin_, margin_growth * ratio), largest_margin);
}

void EndpointDiscontinuityCheck::stepped() {
  margin_ = std::max(1.0, margin_decay * margin_);
}

void DiscontinuityLocator::begin(double t) {
  begin_ = t;
  forget();
}

bool DiscontinuityLocator::refuted_by(const EndpointResult& result) const {
  return probes_ && (result.at_end || !result.rejects) &&
         result.error > left_by_none * first_.error;
}

void DiscontinuityLocator::forget() {
  probes_ = false;
  attempts_ = 0;
}

double DiscontinuityLocator::next(double t_end, int n, const EndpointResult& result) {
  const double H = t_end - begin_;
  if (!result.at_end) {
    forget();
    return begin_ + H * std::max(below_one / result.error, 1.0 / n);
  }
  const double d = result.error * n / H, before = d_, t_before = t_;
  t_ = t_end;
  d_ = d;
  probes_ = false;
  if (++attempts_ == 1) {
    first_ = result;
    const double seen = t_end - H / n;
    probes_ = result.ratio <= largest_margin;  // it may be a false alarm
    return probes_ ? seen : 0.5 * (seen + t_end);
  }
  if (d <= left_by_a_kink * before && t_before > t_end) {
    const double kink = t_end - d * (t_before - t_end) / (before - d);
    if (kink > begin_) return kink;
  }
  forget();
  return begin_ + shorter * H;
}

}  // namespace mbs::extrapolation
