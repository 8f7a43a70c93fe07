#include "engine/integrators/reduction/controller.hpp"

#include <algorithm>
#include <cmath>

#include "engine/base/snapshot.hpp"

namespace mbs::reduction {
namespace {

constexpr double target = 0.2;
constexpr double most_growth = 2.0, least_growth = 1.1;

}  // namespace

void Controller::start(double h) {
  h_ = h;
  k_ = 1;
  steps_at_order_ = rejections_ = 0;
  starting_ = true;
}

// h_m / h
double Controller::optimal(double error, int m) {
  return std::pow(target / std::max(error, 1e-30), 1.0 / (m + 1));
}

void Controller::set_order(int k) {
  if (k != k_) steps_at_order_ = 0;
  k_ = k;
}

void Controller::accepted(double h, double below, double own, double above, int nodes) {
  ++steps_at_order_;
  double growth = optimal(own, k_);
  if (rejections_ > 0) growth = std::min(growth, 1.0);
  rejections_ = 0;
  const double lower = k_ > 1 && below >= 0.0 ? optimal(below, k_ - 1) : 0.0;
  if (lower > growth || growth < least_growth) starting_ = false;
  if (starting_) {
    if (k_ < most_order_ && nodes > k_) set_order(k_ + 1);
  } else if (lower > growth) {
    growth = lower;
    set_order(k_ - 1);
  } else if (above >= 0.0 && k_ < most_order_ && nodes > k_ && optimal(above, k_ + 1) > growth) {
    growth = optimal(above, k_ + 1);
    set_order(k_ + 1);
  }
  if (growth >= least_growth) {
    h_ = h * std::min(growth, most_growth);
  } else if (growth < 1.0) {
    h_ = h * std::clamp(growth, 0.5, 0.9);
  } else {
    h_ = h;
  }
}

void Controller::rejected(double h, double below, double own) {
  starting_ = false;
  ++rejections_;
  double growth = optimal(own, k_);
  if (k_ > 1 && below >= 0.0 && optimal(below, k_ - 1) > growth) {
    growth = optimal(below, k_ - 1);
    set_order(k_ - 1);
  }
  if (rejections_ >= 3) {
    set_order(1);
    growth = std::min(growth, 0.5);
  }
  h_ = h * std::clamp(growth, 0.2, 0.9);
}

void Controller::failed(double h) {
  starting_ = false;
  ++rejections_;
  h_ = 0.5 * h;
}

void Controller::resume(double h, int order) {
  h_ = h;
  k_ = order;
}

void Controller::save(ByteWriter& out) const {
  out.put(h_);
  out.put(k_);
  out.put(steps_at_order_);
  out.put(rejections_);
  out.put(starting_);
}

void Controller::restore(ByteReader& in) {
  in.get(h_);
  in.get(k_);
  expect_within(k_, 1, most_order_);
  in.get(steps_at_order_);
  in.get(rejections_);
  starting_ = get_bool(in);
}

}  // namespace mbs::reduction
