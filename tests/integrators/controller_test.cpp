// Order and step control on made-up errors.

#include "engine/integrators/extrapolation/controller.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace mbs::extrapolation {
namespace {

using Verdict = Controller::Verdict;

// A problem whose error in row j with step H is (2 H / scale)^j / (n_1 ... n_j).
struct Steps {
  int accepted = 0, rejected = 0, rows = 0;
};
Steps integrate(Controller& control, double scale, int steps) {
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

TEST(ExtrapolationController, GrowsFromATinyStepAndStaysThere) {
  for (const double scale : {1e-6, 1.0, 1e6}) {
    Controller control(h_expansion, most_rows);
    control.start(1e-8, 1e-6 * scale);
    integrate(control, scale, 15);
    const double H = control.step();
    EXPECT_GT(H, 0.3 * scale);
    EXPECT_LT(H, 1.5 * scale);
    const Steps steady = integrate(control, scale, 20);
    EXPECT_EQ(steady.rejected, 0);
    EXPECT_NEAR(control.step() / H, 1.0, 0.5);
  }
}

TEST(ExtrapolationController, ComesDownFromAHugeStep) {
  Controller control(h_expansion, most_rows);
  control.start(1e-6, 1e3);
  const Steps s = integrate(control, 1.0, 3);
  EXPECT_GT(s.rejected, 0);
  EXPECT_LT(s.rejected, 20);
  EXPECT_LT(control.step(), 2.0);
}

TEST(ExtrapolationController, KeepsTheRowLimit) {
  for (int limit = 3; limit <= most_rows; ++limit) {
    Controller control(h_expansion, limit);
    control.start(1e-14, 1.0);
    EXPECT_LE(control.row(), limit - 1);
    control.begin_step(1.0, false);
    // errors that always promise convergence in the next row
    int j = 2;
    while (control.judge(j, 1.5 + 1.0 / j) == Verdict::go_on) ++j;
    EXPECT_LE(j, limit);
  }
}

TEST(ExtrapolationController, RejectsEarlyWhenTheErrorCannotFall) {
  Controller control(h_expansion, most_rows);
  control.start(1e-9, 1.0);
  const int k = control.row();
  ASSERT_EQ(k, 6);
  control.begin_step(1.0, false);
  EXPECT_EQ(control.judge(2, 1e8), Verdict::go_on);
  EXPECT_EQ(control.judge(3, 1e6), Verdict::go_on);
  EXPECT_EQ(control.judge(4, 1e4), Verdict::go_on);
  EXPECT_EQ(control.judge(5, 1e3), Verdict::reject);  // more than 4 n_6 n_7
  control.rejected();
  EXPECT_LT(control.step(), 0.6);
}

// Errors e_j = c theta^j / (n_1 ... n_j), which is what the control expects, from the row on that
// shows it.
TEST(ExtrapolationController, PredictsARejectionAndFindsTheStep) {
  const auto error = [](double c, double theta, int j) {
    for (int i = 1; i <= j; ++i) c *= theta / h_expansion.steps(i);
    return c;
  };
  const auto rows = [&](double c, double theta, double& step) {
    Controller control(h_expansion, most_rows);
    control.start(1e-10, 1.0);
    EXPECT_EQ(control.row(), 7);
    control.begin_step(1.0, false);
    int j = 2;
    while (control.judge(j, error(c, theta, j)) == Verdict::go_on) ++j;
    control.rejected();
    step = control.step();
    return j;
  };
  double step = 0.0;
  EXPECT_LT(error(1e3, 3.0, 8), 100.0);
  EXPECT_GT(rows(1e3, 3.0, step), 5);
  EXPECT_GT(error(1e3, 10.0, 8), 100.0);
  EXPECT_EQ(rows(1e3, 10.0, step), 3);
  // Row k or k - 1 has an error of 0.65 or a little less with that step.
  const auto err = [&](int k) { return error(1e3, 10.0 * step, k); };
  EXPECT_TRUE((err(7) < 0.66 && err(7) > 0.2) || (err(6) < 0.66 && err(6) > 0.2)) << step;
}

TEST(ExtrapolationController, TakesAnyRowAfterARejection) {
  Controller control(h_expansion, most_rows);
  control.start(1e-10, 1.0);
  control.begin_step(1.0, false);
  EXPECT_EQ(control.judge(2, 10.0), Verdict::go_on);
  EXPECT_EQ(control.judge(3, 0.5), Verdict::go_on);
  control.failed();
  control.begin_step(control.step(), false);
  EXPECT_EQ(control.judge(2, 10.0), Verdict::go_on);
  EXPECT_EQ(control.judge(3, 0.5), Verdict::accept);
  control.accepted(3);
  EXPECT_LE(control.step(), 0.5);
  EXPECT_LE(control.row(), 3);
}

TEST(ExtrapolationController, RejectsADivergingTable) {
  Controller control(h_expansion, most_rows);
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

TEST(ExtrapolationController, DoesNotGrowRightAfterARejection) {
  Controller control(h_expansion, most_rows);
  control.start(1e-3, 1.0);
  control.begin_step(1.0, false);
  control.failed();
  control.begin_step(control.step(), false);
  int j = 2;
  while (control.judge(j, 1e-9) == Verdict::go_on) ++j;
  control.accepted(j);
  EXPECT_LE(control.step(), 0.5);
}

TEST(ExtrapolationController, RefusesForeignBytes) {
  std::vector<std::byte> bytes;
  ByteWriter out(bytes);
  Controller high(h_expansion, most_rows);
  high.start(1e-14, 1.0);
  high.save(out);
  Controller low(h_expansion, 4);
  ByteReader in(bytes);
  EXPECT_THROW(low.restore(in), std::runtime_error);
}

}  // namespace
}  // namespace mbs::extrapolation
