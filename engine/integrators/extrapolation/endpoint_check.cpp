#include "engine/integrators/extrapolation/endpoint_check.hpp"

#include <algorithm>

namespace mbs::extrapolation {
namespace {

// Of what the last row changes in the difference between both ends: 1.2 has been seen.
constexpr double share = 2.0;
// Of few rows of the half-explicit Euler method: more is a bend that some of them have seen.
constexpr int few_rows = 3;
constexpr double most_doubt = 10.0;

// At the bound of stability.
constexpr double more_caution = 5.0, most_caution = 50.0, forgetting = 0.998;

// What is left of d by half of the unseen interval, or by t_b from two d: a bend leaves half.
constexpr double left_by_a_bend = 0.6;
// What is left of the error where forces were seen and there is neither bend nor jump: some
// (1 - 1/n)^n, on the truck 0.18 and more.
constexpr double left_by_none = 0.15;
constexpr double below_one = 0.9;  // the error that a shorter step aims at
constexpr double shorter = 0.5;    // a step that shows something else

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

// Of the difference that error_ holds, which becomes the error.
double EndpointDiscontinuityCheck::size(Discretisation& rule, const ErrorNorm& norm,
                                        double half_h) {
  rule.to_accelerations(error_.segment(p_, v_));
  error_.tail(v_ + r_) *= half_h;
  return norm(error_);
}

// What smooth forces may leave at an end, by what the last row changes.
double EndpointDiscontinuityCheck::doubt(int rows, double half_h, bool at_end, Discretisation& rule,
                                         const ErrorNorm& norm) {
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
  // Both at once, since there is hardly ever more to do.
  error_.tail(v_ + r_) = end_ - begin_;
  EndpointResult most;
  most.error = size(rule, norm, half_h);
  if (!(most.error > 1.0)) return most;
  for (const bool at_end : {true, false}) {
    error_.tail(v_ + r_) = at_end ? end_ : begin_;
    const double error = size(rule, norm, half_h);
    if (!(error > 1.0) || (most.refuses && error <= most.error)) continue;
    const int worst = norm.largest(error_);
    const double doubts = doubt(rows, half_h, at_end, rule, norm);
    const bool certain = power_ == 1 && rows <= few_rows && error > most_doubt;
    if (certain || error > caution_ * doubts) {
      most = {true, at_end, error, certain ? 2.0 * most_caution : error / doubts, worst};
    }
  }
  return most;
}

void EndpointDiscontinuityCheck::mistaken(double doubts) {
  caution_ = std::min(std::max(caution_, more_caution * doubts), most_caution);
}

void EndpointDiscontinuityCheck::stepped() {
  caution_ = std::max(1.0, forgetting * caution_);
}

void DiscontinuityLocator::begin(double t) {
  begin_ = t;
  forget();
}

bool DiscontinuityLocator::mistaken(const EndpointResult& unseen) const {
  return probes_ && (unseen.at_end || !unseen.refuses) &&
         unseen.error > left_by_none * first_.error;
}

void DiscontinuityLocator::forget() {
  probes_ = false;
  attempts_ = 0;
}

double DiscontinuityLocator::next(double t_end, int n, const EndpointResult& unseen) {
  const double H = t_end - begin_;
  if (!unseen.at_end) {
    forget();
    return begin_ + H * std::max(below_one / unseen.error, 1.0 / n);
  }
  const double d = unseen.error * n / H, before = d_, t_before = t_;
  t_ = t_end;
  d_ = d;
  probes_ = false;
  if (++attempts_ == 1) {
    first_ = unseen;
    const double seen = t_end - H / n;
    probes_ = unseen.doubts <= most_caution;  // it may be nothing
    return probes_ ? seen : 0.5 * (seen + t_end);
  }
  if (d <= left_by_a_bend * before && t_before > t_end) {
    const double bend = t_end - d * (t_before - t_end) / (before - d);
    if (bend > begin_) return bend;
  }
  forget();
  return begin_ + shorter * H;
}

}  // namespace mbs::extrapolation
