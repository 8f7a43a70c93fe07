// Order and step control on made-up errors.

#include "engine/integrators/extrapolation/controller.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace mbs {
namespace {

using Verdict = OrderControl::Verdict;

// A problem whose error in row j with step H is (2 H / scale)^j / (n_1 ... n_j).
struct Steps {
  int accepted = 0, rejected = 0, rows = 0;
};
Steps integrate(OrderControl& control, double scale, int steps) {
  Steps s;
  bool first = true;
  while (s.accepted < steps && s.rejected < 1000) {
    control.begin_step(control.step(), first);
    double error = 1.0;
    for (int j = 1;; ++j) {
      error *= 2.0 * control.step() / (scale * h_expansion.steps(j));
      if (j == 1) continue;
      const Verdict verdict = control.judge(j, error);
      if (verdict == Verdict::go_on) continue;
      if (verdict == Verdict::accept) {
        control.accepted(j);
        ++s.accepted;
        s.rows = j;
        first = false;
      } else {
        control.rejected();
        ++s.rejected;
      }
      break;
    }
  }
  return s;
}

TEST(OrderControl, GrowsFromATinyStepAndStaysThere) {
  for (const double scale : {1e-6, 1.0, 1e6}) {
    OrderControl control(h_expansion, most_rows);
    control.start(1e-8, 1e-6 * scale);
    integrate(control, scale, 15);
    const double H = control.step();
    EXPECT_GT(H, 0.3 * scale);
    EXPECT_LT(H, 1.5 * scale);
    const Steps settled = integrate(control, scale, 20);
    EXPECT_EQ(settled.rejected, 0);
    EXPECT_NEAR(control.step() / H, 1.0, 0.5);
  }
}

TEST(OrderControl, ComesDownFromAHugeStep) {
  OrderControl control(h_expansion, most_rows);
  control.start(1e-6, 1e3);
  const Steps s = integrate(control, 1.0, 3);
  EXPECT_GT(s.rejected, 0);
  EXPECT_LT(s.rejected, 20);
  EXPECT_LT(control.step(), 2.0);
}

TEST(OrderControl, KeepsTheRowLimit) {
  for (int limit = 3; limit <= most_rows; ++limit) {
    OrderControl control(h_expansion, limit);
    control.start(1e-14, 1.0);
    EXPECT_LE(control.row(), limit - 1);
    control.begin_step(1.0, false);
    // errors that always promise convergence in the next row
    int j = 2;
    while (control.judge(j, 1.5 + 1.0 / j) == Verdict::go_on) ++j;
    EXPECT_LE(j, limit);
  }
}

TEST(OrderControl, GivesUpEarlyWhenThereIsNoHope) {
  OrderControl control(h_expansion, most_rows);
  control.start(1e-9, 1.0);
  const int k = control.row();
  ASSERT_EQ(k, 6);
  control.begin_step(1.0, false);
  EXPECT_EQ(control.judge(2, 1e9), Verdict::go_on);
  EXPECT_EQ(control.judge(3, 1e8), Verdict::go_on);
  EXPECT_EQ(control.judge(4, 1e7), Verdict::go_on);
  EXPECT_EQ(control.judge(5, 1e6), Verdict::reject);  // more than 4 n_6 n_7
  control.rejected();
  EXPECT_LT(control.step(), 0.2);
}

TEST(OrderControl, RejectsWhatDiverges) {
  OrderControl control(h_expansion, most_rows);
  control.start(1e-9, 1.0);
  control.begin_step(1.0, false);
  EXPECT_EQ(control.judge(2, 10.0), Verdict::go_on);
  EXPECT_EQ(control.judge(3, 50.0), Verdict::reject);
  control.rejected();
  EXPECT_EQ(control.step(), 0.5);
  control.begin_step(control.step(), false);
  control.failed();
  EXPECT_EQ(control.step(), 0.25);
}

TEST(OrderControl, DoesNotGrowRightAfterARejection) {
  OrderControl control(h_expansion, most_rows);
  control.start(1e-3, 1.0);
  control.begin_step(1.0, false);
  control.failed();
  control.begin_step(control.step(), false);
  int j = 2;
  while (control.judge(j, 1e-9) == Verdict::go_on) ++j;
  control.accepted(j);
  EXPECT_LE(control.step(), 0.5);
}

TEST(OrderControl, RefusesForeignBytes) {
  std::vector<std::byte> bytes;
  ByteWriter out(bytes);
  OrderControl high(h_expansion, most_rows);
  high.start(1e-14, 1.0);
  high.save(out);
  OrderControl low(h_expansion, 4);
  ByteReader in(bytes);
  EXPECT_THROW(low.restore(in), std::runtime_error);
}

}  // namespace
}  // namespace mbs
