// The second value by which the midpoint rule detects kinks within a step, for y' = f(t): with
// smooth forces it is as small as the error, and with a kink as large as the error that the
// tableau's own estimate does not show.

#include "engine/integrators/extrapolation/kink_detector.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace mbs::extrapolation {
namespace {

using Slope = std::function<double(double)>;
using Confidence = KinkDetector::Confidence;

constexpr double tolerance = 1e-10;

// A step from t = 0 to H in so many rows.
struct Step {
  double value = 0.0, estimate = 0.0;  // y(H), and its error in tolerances
  double d = 0.0;
  bool refused = false;
};
Step step(const Slope& f, double H, int rows) {
  const Expansion& expansion = h2_dense_expansion;
  Tolerances options;
  options.rtol = 0.0;
  options.atol = tolerance;
  ErrorNorm norm(options, 0, 1, 0);
  const Vector zero = Vector::Zero(1);
  norm.set_scale(zero, zero);
  KinkDetector within(expansion, 1, rows);
  Tableau tableau(expansion, 1, rows);
  Step done;
  for (int j = 1; j <= rows; ++j) {
    const int n = expansion.steps(j);
    const double h = H / n;
    double even = 0.0, odd = h * f(0.0);  // y at the last point of either kind
    Vector W = zero;
    for (int i = 1; i < n; ++i) {
      const double slope = f(i * h);
      if (i % 2 == 1) W[0] += 2.0 * h * ((double(i) / n - 1.0) * slope + odd / H);
      (i % 2 == 1 ? even : odd) += 2.0 * h * slope;
    }
    tableau.first()[0] = even;
    tableau.add_row(j);
    within.add_row(j, W, norm);
  }
  done.value = tableau.value(rows)[0];
  done.estimate = norm(tableau.error());
  done.d = within.size(rows);
  done.refused = within.detects(rows, done.estimate, Confidence::smooth);
  return done;
}

TEST(KinkDetector, SmoothForcesLeaveAValueOfTheOrderOfTheError) {
  const Slope f = [](double t) { return std::cos(3.0 * t) + std::exp(t); };
  for (int rows = 2; rows <= 5; ++rows) {
    const double H = rows < 4 ? 0.2 : 0.6;
    const double order = std::log2(step(f, H, rows).d / step(f, 0.5 * H, rows).d);
    EXPECT_GT(order, 2 * rows + 1 - 0.4) << rows;
  }
}

TEST(KinkDetector, SmoothForcesAreAccepted) {
  const Slope f = [](double t) { return std::cos(3.0 * t) + std::exp(t); };
  int accepted = 0;
  for (int rows = 3; rows <= 8; ++rows)
    for (double H = 0.05; H < 3.0; H *= 1.1) {
      const Step smooth = step(f, H, rows);
      if (smooth.estimate > 1.0) continue;
      ++accepted;
      EXPECT_FALSE(smooth.refused) << rows << " rows, H = " << H << ", d = " << smooth.d;
    }
  EXPECT_GT(accepted, 50);
}

// f = J |t - s| for all s but those next to an end, and J from small to large: where the tableau
// accepts a step that is wrong by more than ten tolerances, and how many of these are left.
TEST(KinkDetector, KinksAreDetected) {
  constexpr double H = 1.0;
  for (int rows = 3; rows <= 8; ++rows) {
    int wrong = 0, left = 0;
    double most = 0.0;
    for (double J = 1e-8; J < 2e-5; J *= 1.25)
      for (double s = 0.0712; s < 0.9; s += 0.00137) {
        const Step bent = step([&](double t) { return J * std::abs(t - s); }, H, rows);
        const double exact = 0.5 * J * (s * s + (H - s) * (H - s));
        const double error = std::abs(bent.value - exact) / tolerance;
        if (bent.estimate > 1.0 || error < 10.0) continue;
        ++wrong;
        most = std::max(most, error);
        if (!bent.refused) ++left;
      }
    EXPECT_GT(wrong, 1000) << rows;
    EXPECT_GT(most, 900.0) << rows;
    EXPECT_LT(left, wrong / 5) << rows;
  }
}

TEST(KinkDetector, ConfidenceFallsAfterARejection) {
  // d from 100 to 2: smooth forces may leave that
  Tolerances options;
  options.rtol = 0.0;
  options.atol = 1.0;
  ErrorNorm norm(options, 0, 1, 0);
  Vector W = Vector::Zero(1);
  norm.set_scale(W, W);
  KinkDetector within(h2_expansion, 1, 3);
  W[0] = 100.0;
  within.add_row(1, W, norm);
  W[0] = 26.5;  // extrapolates to 2
  within.add_row(2, W, norm);
  EXPECT_NEAR(within.size(1), 100.0, 1e-12);
  EXPECT_NEAR(within.size(2), 2.0, 1e-12);
  EXPECT_FALSE(within.detects(2, 0.1, Confidence::smooth));
  EXPECT_FALSE(within.detects(2, 0.1, Confidence::after_another_row));
  EXPECT_TRUE(within.detects(2, 0.1, Confidence::none));
}

}  // namespace
}  // namespace mbs::extrapolation
