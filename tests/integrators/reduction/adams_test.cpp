// The Adams formulas alone: printed coefficients, orders on nodes of uneven spacing, dense output.

#include "engine/integrators/reduction/adams.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace mbs::test {
namespace {

Vector one(double x) {
  return Vector::Constant(1, x);
}

// Hairer, Norsett, Wanner I, table III.1.1 and (III.1.9): gamma_j of Adams-Bashforth, gamma*_j of
// Adams-Moulton; on equidistant nodes the corrector weighs the defect by gamma_k, and errors by
// gamma*_k = gamma_k - gamma_{k-1}.
TEST(ReductionAdams, CoefficientsOnEquidistantNodesAreThePrintedOnes) {
  const double gamma[] = {1.0,
                          1.0 / 2,
                          5.0 / 12,
                          3.0 / 8,
                          251.0 / 720,
                          95.0 / 288,
                          19087.0 / 60480,
                          5257.0 / 17280,
                          1070017.0 / 3628800};
  const double h = 0.25;
  reduction::Adams adams(1, 1);
  for (int j = 0; j < 12; ++j) adams.push(j * h, one(0.0));
  for (int k = 1; k <= 8; ++k) {
    adams.plan(12 * h, k);
    Vector y = one(0.0);
    adams.correct(one(1.0), y);
    EXPECT_NEAR(y[0], h * gamma[k], 1e-14) << k;
    EXPECT_NEAR(adams.error(one(1.0), k)[0], h * (gamma[k - 1] - gamma[k]), 1e-14) << k;
  }
}

// Slopes of a polynomial of degree k - 1: the predictor of order k is exact, whatever the spacing.
TEST(ReductionAdams, PredictorsAreExactForPolynomials) {
  for (int k = 1; k <= 12; ++k) {
    reduction::Adams adams(1, 1);
    double t = -1.0;
    for (int j = 0; j < k; ++j) {
      adams.push(t, one(std::pow(t, k - 1)));
      t += 0.05 + 0.02 * ((3 * j) % 4);
    }
    const double from = adams.newest();
    adams.plan(t, k);
    Vector y(1);
    adams.predict(one(std::pow(from, k) / k), y);
    EXPECT_NEAR(y[0], std::pow(t, k) / k, 1e-14) << k;
    Vector slope(1);
    adams.extrapolate(slope);
    EXPECT_NEAR(slope[0], std::pow(t, k - 1), 1e-13) << k;
    EXPECT_NEAR(adams.error(one(std::pow(t, k - 1)), k)[0], 0.0, 1e-14) << k;
  }
}

struct Errors {
  double step, middle, slope;  // the largest at nodes, between, and of slopes between
};

// y' = c y cos t, y = exp(c sin t), in steps of alternating size, PECE from an exact history.
Errors run(int k, int steps, double c, double t_end) {
  const auto y_at = [c](double t) { return std::exp(c * std::sin(t)); };
  const auto f = [c](double t, double y) { return c * y * std::cos(t); };
  std::vector<double> t{0.0};
  const double h = t_end / steps;
  for (int n = -k + 1; n < 0; ++n) t.insert(t.begin(), 0.0);
  for (int n = static_cast<int>(t.size()) - 2, i = 0; n >= 0; --n, ++i) {
    t[static_cast<std::size_t>(n)] =
        t[static_cast<std::size_t>(n + 1)] - h * (i % 2 == 0 ? 0.8 : 1.2);
  }
  reduction::Adams adams(1, 1);
  for (const double s : t) adams.push(s, one(f(s, y_at(s))));
  Vector y = one(1.0), y_new(1), between(1), slope(1);
  Errors result{};
  double now = 0.0;
  for (int n = 0; n < steps; ++n) {
    const double next = n == steps - 1 ? t_end : now + h * (n % 2 == 0 ? 1.2 : 0.8);
    adams.plan(next, k);
    adams.predict(y, y_new);
    adams.correct(one(f(next, y_new[0])), y_new);
    adams.push(next, one(f(next, y_new[0])));
    result.step = std::max(result.step, std::abs(y_new[0] - y_at(next)));
    for (const double theta : {0.2, 0.5, 0.9}) {
      const double s = now + theta * (next - now);
      adams.interpolate(s, now, y, y_new, k, between, slope);
      result.middle = std::max(result.middle, std::abs(between[0] - y_at(s)));
      result.slope = std::max(result.slope, std::abs(slope[0] - f(s, y_at(s))));
    }
    y = y_new;
    now = next;
  }
  return result;
}

// Order k + 1 by local extrapolation, everywhere. High orders in long steps, before rounding.
TEST(ReductionAdams, KeepsItsOrderOnUnevenNodes) {
  for (int k = 1; k <= 12; ++k) {
    const int coarse = k <= 4 ? 80 : k <= 9 ? 40 : 30;
    const double c = k <= 9 ? 1.0 : 0.3, t_end = k <= 9 ? 2.0 : 4.0;
    const Errors a = run(k, coarse, c, t_end), b = run(k, 2 * coarse, c, t_end);
    const double step = std::log2(a.step / b.step);
    const double middle = std::log2(a.middle / b.middle);
    const double slope = std::log2(a.slope / b.slope);
    std::printf("order %2d: observed %5.2f, between steps %5.2f, slopes %5.2f\n", k, step, middle,
                slope);
    EXPECT_GT(middle, k + 1 - 0.5) << k;
    EXPECT_GT(slope, k + 1 - 0.6) << k;
    EXPECT_GT(step, k + 1 - 0.6) << k;
  }
}

TEST(ReductionAdams, DenseOutputMeetsBothEndsWithTheirSlopes) {
  reduction::Adams adams(1, 1);
  for (int j = 0; j < 6; ++j) adams.push(0.1 * j * j, one(std::cos(0.1 * j * j)));
  const Vector y0 = one(std::sin(1.6) + 0.01), y1 = one(std::sin(2.5));  // y0 is off the polynomial
  Vector y(1), slope(1), near(1);
  for (const double t : {1.6, 2.5}) {
    adams.interpolate(t, 1.6, y0, y1, 4, y, slope);
    EXPECT_NEAR(y[0], t == 1.6 ? y0[0] : y1[0], 1e-14);
    EXPECT_NEAR(slope[0], std::cos(t), 1e-14);
    const double inside = t == 1.6 ? 1.6 + 1e-6 : 2.5 - 1e-6;
    adams.interpolate(inside, 1.6, y0, y1, 4, near, slope);
    EXPECT_NEAR((near[0] - y[0]) / (inside - t), std::cos(t), 1e-5);
  }
}

TEST(ReductionAdams, ANodeCanReplaceAnother) {
  reduction::Adams a(1, 1), b(1, 1);
  for (const double t : {0.0, 0.3, 0.7}) {
    a.push(t, one(std::cos(t)));
    b.push(t, one(std::cos(t)));
  }
  a.push(0.9, one(std::cos(0.9)));
  b.push(0.70001, one(17.0));
  b.push(0.9, one(std::cos(0.9)), false);
  EXPECT_EQ(b.nodes(), 5);
  reduction::Adams c(1, 1);
  for (const double t : {0.0, 0.3, 0.7}) c.push(t, one(std::cos(t)));
  c.push(0.70001, one(17.0));
  c.push(0.9, one(std::cos(0.9)), true);
  ASSERT_EQ(c.nodes(), 4);
  Vector y_a(1), y_c(1);
  a.plan(1.2, 4);
  c.plan(1.2, 4);
  a.predict(one(0.0), y_a);
  c.predict(one(0.0), y_c);
  EXPECT_EQ(y_a[0], y_c[0]);
}

TEST(ReductionAdams, RestoredItContinuesToTheBit) {
  reduction::Adams a(2, 3);
  for (int j = 0; j < 17; ++j) a.push(0.1 * j, Vector::LinSpaced(3, std::sin(j), 1.0 / (j + 1)));
  std::vector<std::byte> bytes;
  ByteWriter out(bytes);
  a.save(out);
  reduction::Adams b(2, 3);
  ByteReader in(bytes);
  b.restore(in);
  EXPECT_TRUE(in.at_end());
  Vector y_a(2), y_b(2);
  a.plan(1.75, 11);
  b.plan(1.75, 11);
  a.predict(Vector::Ones(2), y_a);
  b.predict(Vector::Ones(2), y_b);
  EXPECT_EQ(y_a, y_b);
}

}  // namespace
}  // namespace mbs::test
