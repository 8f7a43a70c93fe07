// `hybrid` near singular positions: a four-bar that folds into one line but for a small excess of
// its rocker, once a turn. It integrates all coordinates, goes over to partitioning near that
// position and comes back, every turn.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "engine/integrators/reduction/integrator.hpp"
#include "tests/integrators/problem_run.hpp"
#include "tests/multibody/assembled.hpp"
#include "tests/multibody/run_model.hpp"

namespace mbs::test {
namespace {

constexpr double pi = std::numbers::pi;

// The linkage of the template with another excess, 5 s from its start: almost five turns.
struct FourBar {
  FourBar(double excess, const std::string& coordinates)
      : model(text(excess), coordinates), run(model.equations, model.start(), 5.0) {
    run.parameters = model.parameters;
    run.inputs = model.inputs;
  }
  static std::string text(double excess) {
    std::string whole = template_text("four_bar");
    const std::string value = "value=\"1 mm\"";
    char with[60];
    std::snprintf(with, sizeof with, "value=\"%.17g m\"", excess);
    return whole.replace(whole.find(value), value.size(), with);
  }
  double crank(const State& x) const { return model.output(x, "crank_angle"); }

  Assembled model;
  ProblemRun run;
};

// No force acts, J(phi) phi'^2 is constant: the time at which the crank comes to phi, by
// quadrature.
class TimeOfAngle {
 public:
  explicit TimeOfAngle(double excess) : c_(0.5 + excess) {}
  double operator()(double phi) const { return integral(begin, phi, 0) / rate; }

 private:
  static constexpr double a = 0.4, b = 0.9, begin = 1.0, rate = 6.0;

  // Reduced inertia by the angles' derivatives psi', chi' of coupler and rocker; masses a, b, c.
  double inertia(double phi) const {
    const double x = 1.0 - a * std::cos(phi), y = -a * std::sin(phi), d = std::hypot(x, y);
    const double psi = std::atan2(y, x) + std::acos((b * b + d * d - c_ * c_) / (2.0 * b * d));
    const double chi = std::atan2(a * std::sin(phi) + b * std::sin(psi),
                                  a * std::cos(phi) + b * std::cos(psi) - 1.0);
    const double psi_dot = a * std::sin(chi - phi) / (b * std::sin(psi - chi));
    const double chi_dot = a * std::sin(psi - phi) / (c_ * std::sin(psi - chi));
    const double speed =
        a * a + b * b / 4.0 * psi_dot * psi_dot + a * b * psi_dot * std::cos(phi - psi);
    return a * a * a / 3.0 + b * (speed + b * b / 12.0 * psi_dot * psi_dot) +
           c_ * c_ * c_ / 3.0 * chi_dot * chi_dot;
  }
  double f(double phi) const { return std::sqrt(inertia(phi) / inertia(begin)); }
  // Gauss with 5 points, halved until it does not change.
  double gauss(double from, double to) const {
    constexpr double at[] = {0.0, 0.5384693101056830910, 0.9061798459386639928};
    constexpr double weight[] = {0.5688888888888888889, 0.4786286704993664680,
                                 0.2369268850561890875};
    const double middle = 0.5 * (from + to), half = 0.5 * (to - from);
    double sum = weight[0] * f(middle);
    for (const int i : {1, 2})
      sum += weight[i] * (f(middle - half * at[i]) + f(middle + half * at[i]));
    return half * sum;
  }
  double integral(double from, double to, int depth) const {
    const double middle = 0.5 * (from + to), whole = gauss(from, to);
    const double parts = gauss(from, middle) + gauss(middle, to);
    if (depth > 40 || (depth > 6 && std::abs(whole - parts) < 1e-15)) return parts;
    return integral(from, middle, depth + 1) + integral(middle, to, depth + 1);
  }
  double c_;
};

TEST(ReductionSingular, QuadratureIsThatOfTheTemplatesPage) {
  const TimeOfAngle time(1e-3);
  EXPECT_NEAR(time(1.0 + 2.0 * pi), 1.01159928702947828, 1e-13);
  EXPECT_NEAR(time(32.0377764444882748), 5.0, 1e-12);
}

TEST(ReductionSingular, HybridGoesOverToPartitioningAndBack) {
  double hybrid = 0.0, partition = 0.0;  // errors in tolerances
  for (const double excess : {1e-3, 1e-5}) {
    const TimeOfAngle time(excess);
    for (const char* coordinates : {"absolute", "joint"}) {
      FourBar bar(excess, coordinates);
      for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
        SCOPED_TRACE(std::string(coordinates) + " " + std::to_string(1e3 * excess) + " mm");
        const auto integrator = bar.run.start("reduction method=hybrid", with_tolerance(tolerance));
        const auto& reduction = dynamic_cast<const reduction::Integrator&>(*integrator);
        int over = 0, back = 0, free = 0, off = 0;
        std::vector<std::string> warnings;
        double residual = 0.0;
        while (integrator->state().t < bar.run.t_end) {
          const bool before = reduction.near_singular();
          integrator->step(bar.run.t_end);
          const bool now = reduction.near_singular();
          over += now && !before ? 1 : 0;
          back += before && !now ? 1 : 0;
          for (const std::string& warning : integrator->warnings()) warnings.push_back(warning);
          // where the bars are in line, and nowhere else
          const double turn = std::remainder(bar.crank(integrator->state()) - pi, 2.0 * pi);
          if (now) {
            EXPECT_LT(std::abs(turn), 0.3);
          }
          if (std::abs(turn) < 0.01) {
            EXPECT_TRUE(now);
          }
          const double g = bar.run.position_residual(integrator->state());
          residual = std::max(residual, g);
          // partitioning leaves rounding, stabilisation a part of the tolerance
          if (before && now) {
            EXPECT_LT(g, 1e-11);
          }
          if (!before && !now) {
            ++free;
            off += g > 1e-3 * tolerance ? 1 : 0;
          }
        }
        EXPECT_EQ(over, 5);
        EXPECT_EQ(back, 5);
        EXPECT_EQ(reduction.passages(), 5);
        ASSERT_EQ(warnings.size(), 2u);  // of the first passage; the others are counted
        EXPECT_NE(warnings[0].find("near a singular position"), std::string::npos);
        EXPECT_NE(warnings[1].find("all coordinates again"), std::string::npos);
        EXPECT_NE(integrator->describe().find("5 times as partition"), std::string::npos);
        EXPECT_GT(off, free / 2) << "elsewhere it is stabilisation that works";
        EXPECT_LT(residual, 10.0 * tolerance);
        EXPECT_LE(reduction.largest_drift(), 10.0 * tolerance);
        const auto late = [&](const Integrator& at) {
          return (time(bar.crank(at.state())) - bar.run.t_end) / tolerance;
        };
        const auto other = bar.run.start("reduction method=partition", with_tolerance(tolerance));
        ProblemRun::advance(*other, bar.run.t_end);
        hybrid += std::abs(late(*integrator));
        partition += std::abs(late(*other));
        EXPECT_LT(std::abs(late(*integrator)), excess > 1e-4 ? 800.0 : 1500.0);
        std::printf(
            "%5.3f mm %-8s %.0e: %.0f tolerances late (partition %.0f), %d of %d steps off\n",
            1e3 * excess, coordinates, tolerance, late(*integrator), late(*other), off, free);
      }
    }
  }
  EXPECT_LT(hybrid, partition);
}

// IFToMM's N-four-bar: parallelograms that are truly singular twice a turn, ten times in 10 s.
TEST(ReductionSingular, ParallelogramsPassTheirSingularPositions) {
  for (const auto& [problem, tightest] : {std::pair{"fourbar2", 1e-9}, {"fourbar40", 1e-6}}) {
    for (const char* method : {"partition", "hybrid", "svd", "nullspace"}) {
      for (double tolerance = 1e-6; tolerance > 0.5 * tightest; tolerance *= 0.1) {
        ProblemRun run(problem);
        const auto integrator =
            run.start(std::string("reduction method=") + method, with_tolerance(tolerance));
        ProblemRun::advance(*integrator, 10.0);
        const double error = error_of(integrator->state().p, run.reference->p);
        std::printf("%-9s %-9s %.0e: %.0f tolerances\n", problem, method, tolerance,
                    error / tolerance);
        EXPECT_LT(error, 2500.0 * tolerance) << problem << " " << method;
        const long passages = dynamic_cast<const reduction::Integrator&>(*integrator).passages();
        if (method == std::string("hybrid")) {
          EXPECT_GT(passages, 0);
        } else {
          EXPECT_EQ(passages, 0);
        }
      }
    }
  }
}

// Which of both it is belongs to what is saved.
TEST(ReductionSingular, RestoredWithinAPassageIsAsIfNeverStopped) {
  FourBar bar(1e-3, "absolute");
  const std::string keyword = "reduction method=hybrid";
  const auto integrator = bar.run.start(keyword, with_tolerance(1e-7));
  const auto& reduction = dynamic_cast<const reduction::Integrator&>(*integrator);
  while (!reduction.near_singular()) integrator->step(bar.run.t_end);
  std::vector<std::byte> bytes;
  ByteWriter out(bytes);
  integrator->save(out);
  const auto other =
      make_variant(keyword, *bar.run.equations, bar.run.context(), with_tolerance(1e-7));
  ByteReader in(bytes);
  other->restore(in);
  while (reduction.near_singular() || integrator->state().t < 1.0) {
    integrator->step(bar.run.t_end);
    other->step(bar.run.t_end);
    ASSERT_TRUE(same_bits(integrator->state(), other->state()));
  }
  EXPECT_EQ(dynamic_cast<const reduction::Integrator&>(*other).passages(), 1);
  EXPECT_FALSE(dynamic_cast<const reduction::Integrator&>(*other).near_singular());
}

// Stabilisation alone makes its steps ever shorter there, and `hybrid` does not.
TEST(ReductionSingular, StabilizedFailsThereAndNamesHybrid) {
  FourBar bar(1e-5, "absolute");
  const auto integrator = bar.run.start("reduction method=stabilized", with_tolerance(1e-10));
  try {
    ProblemRun::advance(*integrator, bar.run.t_end);
    FAIL() << "stabilized has passed the singular position";
  } catch (const SolverFailure& failure) {
    EXPECT_NE(std::string(failure.what()).find("hybrid"), std::string::npos) << failure.what();
    EXPECT_NEAR(bar.crank(integrator->state()), pi, 0.05);
  }
}

}  // namespace
}  // namespace mbs::test
