#include "engine/integrators/bdf/controller.hpp"

#include <algorithm>
#include <cmath>

#include "engine/base/snapshot.hpp"

namespace mbs::bdf {
namespace {

double growth(double estimate, int order) {
  return std::pow(2.0 * estimate + 1e-4, -1.0 / (order + 1));
}

}  // namespace

void Controller::start(double h, int order) {
  h_ = h;
  k_ = order;
  order_change_ = 0;
  raising_ = true;
  fixed_ = false;
}

void Controller::fix(double h, int order) {
  start(h, order);
  raising_ = false;
  fixed_ = true;
}

bool Controller::accepts(double h, const History& history, const ErrorNorm& norm, const Vector& e) {
  const int k = k_;
  const double size = norm(e);
  est_ = history.sigma(k + 1) * size;
  term_ = (k + 1) * est_;
  k_new_ = k;
  term_lower_ = 0.0;
  if (k > 1) {
    d_ = history.difference(k + 1) + e;
    const double lower = history.sigma(k) * norm(d_);
    term_lower_ = k * lower;
    bool take = false;
    if (k > 2) {
      d_ += history.difference(k);
      const double term_two_lower = (k - 1) * history.sigma(k - 1) * norm(d_);
      take = std::max(term_lower_, term_two_lower) <= term_;
    } else {
      take = term_lower_ <= 0.5 * term_;
    }
    if (take) {
      k_new_ = k - 1;
      est_ = lower;
    }
  }
  error_ = history.error_constant() * size;
  if (error_ <= 1.0) return true;
  if (fixed_) return false;
  raising_ = false;
  ++error_failures_;
  if (error_failures_ == 1) {
    k_ = k_new_;
    h_ = h * std::clamp(0.9 * growth(est_, k_), 0.25, 0.9);
  } else {
    k_ = error_failures_ == 2 ? k_new_ : 1;
    h_ = 0.25 * h;
  }
  return false;
}

void Controller::failed(double h) {
  raising_ = false;
  h_ = 0.25 * h;
}

int Controller::next_order(const History& history, const ErrorNorm& norm, const Vector& e) {
  const int k = k_;
  if (k_new_ == k - 1) return k - 1;
  if (k == max_order_ || k + 1 >= history.constant_steps() || order_change_ == 1) return k;
  d_ = e - history.difference(k + 2);
  const double higher = norm(d_) / (k + 2), term_higher = (k + 2) * higher;
  if (k > 1) {
    if (term_lower_ <= std::min(term_, term_higher)) {
      est_ = term_lower_ / k;
      return k - 1;
    }
    if (term_higher >= term_) return k;
  } else if (term_higher >= 0.5 * term_) {
    return k;
  }
  est_ = higher;
  return k + 1;
}

void Controller::accepted(double h, History& history, const ErrorNorm& norm, const Vector& e) {
  const int k = k_;
  if (fixed_) {
    history.accept(e, k < highest_order);
    return;
  }
  if (k_new_ == k - 1 || k == max_order_) raising_ = false;
  if (raising_) {
    k_ = k + 1;
    h_ = 2.0 * h;
  } else {
    k_ = next_order(history, norm, e);
    const double r = growth(est_, k_);
    h_ = r >= 2.0 ? 2.0 * h : r <= 1.0 ? h * std::clamp(r, 0.5, 0.9) : h;
  }
  order_change_ = k_ - k;
  history.accept(e, k < max_order_);
}

void Controller::save(ByteWriter& out) const {
  out.put(h_);
  out.put(k_);
  out.put(order_change_);
  out.put(raising_);
  out.put(fixed_);
}

void Controller::restore(ByteReader& in) {
  in.get(h_);
  in.get(k_);
  expect_within(k_, 1, max_order_);
  in.get(order_change_);
  raising_ = get_bool(in);
  fixed_ = get_bool(in);
}

}  // namespace mbs::bdf
