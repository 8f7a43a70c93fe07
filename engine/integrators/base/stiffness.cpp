#include "engine/integrators/base/stiffness.hpp"

#include <algorithm>
#include <cmath>

#include "engine/base/snapshot.hpp"
#include "engine/base/text.hpp"
#include "engine/equations/initial.hpp"

namespace mbs {
namespace {

constexpr int iterations = 8, counted = 4;
constexpr double difference = 1e-7;  // of the size of y
constexpr double longer = 4.0;
constexpr double bound = 1.0;
constexpr int tests_to_warn = 5;  // positive tests more than negative ones

}  // namespace

StiffnessDetector::StiffnessDetector(const Equations& equations, Context context,
                                     const IntegratorOptions& options)
    : equations_(equations),
      context_(context),
      layout_(equations.sizes()),
      norm_(options, equations.sizes().p, equations.sizes().v, equations.sizes().r),
      small_(difference / norm_.smallest_rtol()),
      ws_(equations.make_workspace()),
      solver_(equations.make_solver(options.linear)),
      point_(equations.sizes()) {
  y_ = here_ = there_ = Vector::Zero(layout_.ny());
  direction_ = Vector::Ones(layout_.ny());
  points_.assign(window + 1, y_);
}

void StiffnessDetector::start(const State& x) {
  while (count_ > 0 && times_[static_cast<std::size_t>(count_ - 1)] >= x.t) --count_;
  record(x);
  if (warm_) return;
  point_ = x;
  slopes(here_);
  warm_ = true;
}

void StiffnessDetector::record(const State& x) {
  const auto at = static_cast<std::size_t>(count_ % (window + 1));
  times_[at] = x.t;
  layout_.pack_y(x, points_[at]);
  count_ = static_cast<int>(at) + 1;
}

// The slopes at point_.
bool StiffnessDetector::slopes(Vector& f) {
  if (layout_.s > 0 && !equations_.solve_auxiliary(context_, point_, *ws_)) return false;
  if (!solve_accelerations(equations_, context_, point_, *ws_, *solver_)) return false;
  if (layout_.r > 0) equations_.force(context_, point_, want_b, *ws_);
  f.head(layout_.p) = ws_->p_dot;
  f.segment(layout_.p, layout_.v) = point_.a;
  f.tail(layout_.r) = ws_->b;
  return f.allFinite();
}

// The largest deviation, in tolerances, at the points between the nodes of the polynomial.
double StiffnessDetector::deviation() {
  norm_.set_scale(points_.front(), points_.back());
  double largest = 0.0;
  for (std::size_t i = 1; i < window; i += 2) {
    there_ = points_[i];
    for (std::size_t j = 0; j <= window; j += 2) {
      double weight = 1.0;
      for (std::size_t k = 0; k <= window; k += 2) {
        if (k != j) weight *= (times_[i] - times_[k]) / (times_[j] - times_[k]);
      }
      there_ -= weight * points_[j];
    }
    largest = std::max(largest, norm_(there_));
  }
  return largest;
}

double StiffnessDetector::spectral_radius(const State& x) {
  point_ = x;
  if (!slopes(here_)) return 0.0;
  layout_.pack_y(x, y_);
  double product = 1.0;
  for (int k = 0; k < iterations; ++k) {
    const double size = norm_(direction_);
    if (!(size > 0.0) || !std::isfinite(size)) {
      direction_.setOnes();
      return 0.0;
    }
    direction_ *= small_ / size;
    point_ = x;
    there_ = y_ + direction_;
    layout_.unpack_y(there_, point_);
    if (!slopes(there_)) return 0.0;
    direction_ = (there_ - here_) / small_;
    if (k >= iterations - counted) product *= norm_(direction_);
  }
  return std::pow(product, 1.0 / counted);
}

void StiffnessDetector::check(const State& x, std::vector<std::string>& warnings) {
  if (warned_) return;
  record(x);
  if (count_ <= window) return;
  const double mean = (times_[window] - times_[0]) / window;
  const double allowed = window * std::pow(std::max(1.0, deviation()), -1.0 / 6.0);
  std::swap(points_.front(), points_.back());  // the end is the beginning of the next ten
  times_.front() = times_.back();
  count_ = 1;
  const double rate = allowed >= longer ? spectral_radius(x) : 0.0;
  stiff_ = mean * rate >= bound ? stiff_ + 1 : std::max(0, stiff_ - 1);
  if (stiff_ < tests_to_warn) return;
  warned_ = true;
  warnings.push_back(
      "the model is stiff for this method: h |lambda| = " + short_number(mean * rate) +
      " (mean step " + short_number(mean) + " s, |lambda| = " + short_number(rate) +
      " 1/s by differences of right-hand sides) is at the bound of stability, while the "
      "tolerances would allow steps " +
      short_number(allowed) +
      " times as long or more; method=\"radau\" or \"bdf\" is made for that");
}

void StiffnessDetector::save(ByteWriter& out) const {
  out.put(warned_);
  out.put(stiff_);
  out.put(count_);
  for (int i = 0; i < count_; ++i) {
    out.put(times_[static_cast<std::size_t>(i)]);
    out.put(points_[static_cast<std::size_t>(i)]);
  }
  out.put(direction_);
}

void StiffnessDetector::restore(ByteReader& in) {
  warned_ = get_bool(in);
  in.get(stiff_);
  expect_within(stiff_, 0, tests_to_warn);
  in.get(count_);
  expect_within(count_, 0, window + 1);
  for (int i = 0; i < count_; ++i) {
    in.get(times_[static_cast<std::size_t>(i)]);
    in.get(points_[static_cast<std::size_t>(i)]);
  }
  in.get(direction_);
}

}  // namespace mbs
