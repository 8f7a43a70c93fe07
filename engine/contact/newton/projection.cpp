#include "engine/contact/newton/projection.hpp"

#include <algorithm>
#include <cmath>

namespace mbs {
namespace {

constexpr int max_newton = 60;
constexpr double rounding = 4e-16;

// A function of two variables with its derivatives.
struct Smoothed {
  double value = 0.0, by_first = 0.0, by_second = 0.0;
};

// p (p - y) = tau
Smoothed positive_part(double y, double tau) {
  if (tau == 0.0) return {std::max(0.0, y), y > 0.0 ? 1.0 : 0.0, 0.0};
  const double root = std::sqrt(y * y + 4.0 * tau);
  const double p = y > 0.0 ? 0.5 * (y + root) : 2.0 * tau / (root - y);
  return {p, p / root, 1.0 / root};
}

// The part t = |p_T|/r of the limit for q = |y_T|/r and d = tau/(2 r^2), by the slip w = q - t:
//   q = w + h(w),  t = h(w) = w/(d + R),  R = sqrt(d^2 + w^2),  h' = d/(R (d + R))
Smoothed used_part(double q, double d) {
  if (d == 0.0) return q < 1.0 ? Smoothed{q, 1.0, 0.0} : Smoothed{1.0, 0.0, 0.0};
  if (q == 0.0) return {0.0, 1.0 / (1.0 + 2.0 * d), 0.0};
  double w = q > 1.0
                 ? 0.5 * (q - 1.0 + std::hypot(q - 1.0, 2.0 * std::sqrt(d)))
                 : 4.0 * d * q / ((1.0 - q + std::hypot(q - 1.0, 2.0 * std::sqrt(d))) * (1.0 + q));
  w = std::min(w, q);
  double slope = 0.0, R = 0.0;
  for (int k = 0; k < max_newton; ++k) {
    R = std::hypot(d, w);
    slope = d / (R * (d + R));
    const double change = (q - w - w / (d + R)) / (1.0 + slope);
    w = std::clamp(w + change, 0.0, q);
    if (std::abs(change) <= rounding * w) break;
  }
  R = std::hypot(d, w);
  slope = d / (R * (d + R));
  return {w / (d + R), slope / (1.0 + slope), -w / (R * (d + R) * (1.0 + slope))};
}

}  // namespace

ConeProjection project(const ConeShape& cone, const ConeVector& y, double tau) {
  const Eigen::Index n = y.size(), first = cone.normal ? 1 : 0, m = n - first;
  ConeProjection result{ConeVector::Zero(n), ConeMatrix::Zero(n, n), ConeVector::Zero(n)};
  Smoothed normal;
  if (cone.normal) {
    normal = positive_part(y[0], tau);
    result.p[0] = normal.value;
    result.by_y(0, 0) = normal.by_first;
    result.by_tau[0] = normal.by_second;
  }
  const double r = cone.limit + cone.mu * normal.value;
  if (m == 0 || !(r > 0.0)) return result;
  const ConeVector y_T = y.tail(m);
  const double size = y_T.norm(), q = size / r, d = 0.5 * tau / (r * r);
  const Smoothed part = used_part(q, d);
  const ConeVector direction = size > 0.0 ? ConeVector(y_T / size) : ConeVector::Zero(m);
  result.p.tail(m) = r * part.value * direction;
  const double along = part.by_first, across = q > 0.0 ? part.value / q : along;
  result.by_y.bottomRightCorner(m, m) =
      across * ConeMatrix::Identity(m, m) + (along - across) * direction * direction.transpose();
  const double by_r = part.value - q * along - 2.0 * d * part.by_second;
  result.by_tau.tail(m) = part.by_second / (2.0 * r) * direction;
  if (cone.normal) {
    const ConeVector turn = by_r * cone.mu * direction;
    result.by_y.bottomLeftCorner(m, 1) = turn * normal.by_first;
    result.by_tau.tail(m) += turn * normal.by_second;
  }
  return result;
}

}  // namespace mbs
