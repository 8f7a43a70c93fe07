#include "engine/integrators/bdf/history.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace mbs::bdf {

History::History(int size) : phi_(Matrix::Zero(size, highest_order + 2)) {}

void History::start(const Vector& y, const Vector& y_dot, double h) {
  phi_.setZero();
  phi_.col(0) = y;
  phi_.col(1) = h * y_dot;
  psi_.fill(0.0);
  at(psi_, 1) = h;
  h_ = h_before_ = h;
  k_ = 1;
  k_before_ = 0;
  ns_ = 0;
}

// The differences are those of y + tau y' + tau^2/2 y'' over points h apart.
void History::start(const Vector& y, const Vector& y_dot, const Vector& y_dot2, double h) {
  start(y, y_dot, h);
  phi_.col(1) = h * y_dot - (0.5 * h * h) * y_dot2;
  phi_.col(2) = (h * h) * y_dot2;
  at(psi_, 2) = 2.0 * h;
  at(psi_, 3) = 3.0 * h;
  k_ = k_before_ = 2;
}

void History::start(const Matrix& points, double h) {
  start(Vector(points.col(0)), Vector::Zero(points.rows()), h);
  Matrix difference = points;
  const auto count = points.cols();
  for (Eigen::Index i = 1; i < count; ++i) {
    for (Eigen::Index j = 0; j + i < count; ++j) difference.col(j) -= difference.col(j + 1);
    phi_.col(i) = difference.col(0);
  }
  for (int i = 1; i <= highest_order + 2; ++i) at(psi_, i) = i * h;
  k_ = k_before_ = static_cast<int>(count) - 1;
}

void History::prepare(double h, int k) {
  psi_before_ = psi_;
  if (h != h_before_ || k != k_before_) ns_ = 0;
  ns_ = std::min(ns_ + 1, k_before_ + 2);
  h_ = h;
  k_ = k;
  if (k + 1 >= ns_) {
    at(beta_, 1) = at(alpha_, 1) = at(sigma_, 1) = 1.0;
    at(gamma_, 1) = 0.0;
    double next = h;
    for (int i = 2; i <= k + 1; ++i) {
      const double before = at(psi_, i - 1);
      at(psi_, i - 1) = next;
      at(beta_, i) = at(beta_, i - 1) * next / before;
      next = before + h;
      at(alpha_, i) = h / next;
      at(sigma_, i) = (i - 1) * at(sigma_, i - 1) * at(alpha_, i);
      at(gamma_, i) = at(gamma_, i - 1) + at(alpha_, i - 1) / h;
    }
    at(psi_, k + 1) = next;
  }
  double leading = 0.0, alpha0 = 0.0;
  for (int i = 1; i <= k; ++i) {
    leading += 1.0 / i;
    alpha0 += at(alpha_, i);
  }
  cj_ = leading / h;
  const double last = at(alpha_, k + 1);
  ck_ = std::max(std::abs(last - leading + alpha0), last);
  scaled_from_ = ns_ + 1;
  for (int i = scaled_from_; i <= k + 1; ++i) phi_.col(i - 1) *= at(beta_, i);
}

void History::undo() {
  for (int i = scaled_from_; i <= k_ + 1; ++i) phi_.col(i - 1) /= at(beta_, i);
  psi_ = psi_before_;
}

void History::predict(Vector& y, Vector& y_dot) const {
  y = phi_.col(0);
  y_dot.setZero();
  for (int i = 2; i <= k_ + 1; ++i) {
    y += phi_.col(i - 1);
    y_dot += at(gamma_, i) * phi_.col(i - 1);
  }
}

void History::predict(int begin, int count, int order, Vector& y) const {
  auto range = y.segment(begin, count);
  range.setZero();
  for (int i = 1; i <= std::min(order, k_) + 1; ++i) {
    range += phi_.col(i - 1).segment(begin, count);
  }
}

void History::find_error(int begin, int count, const Vector& y, Vector& e) const {
  auto range = e.segment(begin, count);
  range = y.segment(begin, count);
  for (int i = 1; i <= k_ + 1; ++i) range -= phi_.col(i - 1).segment(begin, count);
}

void History::accept(const Vector& e, bool keep_next) {
  if (keep_next) phi_.col(k_ + 1) = e;
  phi_.col(k_) += e;
  for (int i = k_; i >= 1; --i) phi_.col(i - 1) += phi_.col(i);
  k_before_ = k_;
  h_before_ = h_;
}

void History::interpolate(double dt, Vector& y, Vector* y_dot) const {
  y = phi_.col(0);
  if (y_dot != nullptr) y_dot->setZero();
  double c = 1.0, d = 0.0, factor = dt / at(psi_, 1);
  for (int i = 2; i <= k_before_ + 1; ++i) {
    d = d * factor + c / at(psi_, i - 1);
    c *= factor;
    factor = (dt + at(psi_, i - 1)) / at(psi_, i);
    y += c * phi_.col(i - 1);
    if (y_dot != nullptr) *y_dot += d * phi_.col(i - 1);
  }
}

void History::save(ByteWriter& out) const {
  out.raw(phi_.data(), sizeof(double) * static_cast<std::size_t>(phi_.size()));
  for (const Coefficients* c : {&psi_, &alpha_, &beta_, &sigma_, &gamma_, &psi_before_}) {
    out.put(*c);
  }
  for (const double x : {h_, h_before_, cj_, ck_}) out.put(x);
  for (const int i : {k_, k_before_, ns_, scaled_from_}) out.put(i);
}

void History::restore(ByteReader& in) {
  in.raw(phi_.data(), sizeof(double) * static_cast<std::size_t>(phi_.size()));
  for (Coefficients* c : {&psi_, &alpha_, &beta_, &sigma_, &gamma_, &psi_before_}) in.get(*c);
  for (double* x : {&h_, &h_before_, &cj_, &ck_}) in.get(*x);
  for (int* i : {&k_, &k_before_, &ns_, &scaled_from_}) in.get(*i);
  const auto within = [](int i, int least, int most) { return i >= least && i <= most; };
  if (!within(k_, 1, highest_order) || !within(k_before_, 0, highest_order) ||
      !within(ns_, 0, highest_order + 2) || !within(scaled_from_, 1, highest_order + 3)) {
    throw std::runtime_error("the stored state belongs to other options of the integrator");
  }
}

}  // namespace mbs::bdf
