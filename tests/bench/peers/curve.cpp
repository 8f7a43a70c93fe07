#include "tests/bench/peers/curve.hpp"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

namespace mbs::test {
namespace {

constexpr double lost = 0.1;

Curve useful(const Curve& curve) {
  Curve points;
  std::copy_if(curve.begin(), curve.end(), std::back_inserter(points),
               [](const CurvePoint& point) { return point.error > 0.0 && point.error < lost; });
  return points;
}

}  // namespace

std::optional<Cost> smooth_cost(const Curve& curve, double error) {
  const Curve points = useful(curve);
  const auto count = static_cast<Eigen::Index>(points.size());
  if (count < 4) return std::nullopt;
  const auto [least, most] = std::minmax_element(
      points.begin(), points.end(), [](const auto& a, const auto& b) { return a.error < b.error; });
  // A parabola is still sound a third of a decade beyond its points.
  constexpr double beyond = 2.0;
  if (error < least->error / beyond || error > most->error * beyond) return std::nullopt;
  Eigen::MatrixXd A(count, 3);
  Eigen::VectorXd b(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const CurvePoint& point = points[static_cast<std::size_t>(i)];
    const double x = std::log10(point.error);
    A.row(i) << 1.0, x, x * x;
    b[i] = std::log(point.cost);
  }
  const Eigen::Matrix3d normal = A.transpose() * A;
  const Eigen::Vector3d c = A.householderQr().solve(b);
  const double variance = (A * c - b).squaredNorm() / static_cast<double>(count - 3);
  const double x = std::log10(error);
  const Eigen::Vector3d at(1.0, x, x * x);
  return Cost{std::exp(at.dot(c)), std::sqrt(variance * at.dot(normal.ldlt().solve(at)))};
}

std::optional<Cost> cheapest_cost(const Curve& curve, double error) {
  const Curve points = useful(curve);
  std::optional<Cost> best;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const CurvePoint &a = points[i], &b = points[i + 1];
    if (std::min(a.error, b.error) > error || std::max(a.error, b.error) < error) continue;
    const double part =
        a.error == b.error ? 0.0 : std::log(a.error / error) / std::log(a.error / b.error);
    const double cost = std::exp((1.0 - part) * std::log(a.cost) + part * std::log(b.cost));
    if (!best || cost < best->value) best = Cost{cost};
  }
  return best;
}

std::optional<Cost> ratio(const std::optional<Cost>& a, const std::optional<Cost>& b) {
  if (!a || !b) return std::nullopt;
  return Cost{a->value / b->value, std::hypot(a->relative_error, b->relative_error)};
}

}  // namespace mbs::test
