// The reductions over long times: 1000 turns through dead points, energy side by side, what is left
// of the constraints.

#include <cmath>
#include <numbers>

#include "engine/integrators/reduction/integrator.hpp"
#include "tests/integrators/integrator_battery.hpp"

namespace mbs::test {
namespace {

std::string keyword(const std::string& method) {
  return "reduction method=" + method;
}

// Between two dead points the slider is the better coordinate once, then the crank again: four
// changes a turn. A change costs no order: the history is carried over.
TEST(ReductionLong, SliderCrankTurnsAThousandTimes) {
  ProblemRun run("slider_crank");
  const auto integrator = run.start(keyword("partition"), with_tolerance(1e-7));
  const long begin = integrator->statistics().selectors;
  long most_a_turn = 0, least_a_turn = 1000, before_turn = begin;
  int lost = 0, lost_else = 0, order = 0, turns = 0;
  bool changed = false;
  double size = 0.0, g = 0.0;
  while (turns < 1000) {
    const long before = integrator->statistics().selectors;
    integrator->step(1e9);
    const Statistics& s = integrator->statistics();
    if (s.last_order < order - 1 || s.last_step < 0.4 * size) ++(changed ? lost : lost_else);
    changed = s.selectors > before;
    order = s.last_order;
    size = s.last_step;
    g = std::max(g, run.position_residual(integrator->state()));
    // a quarter turn on, where no change is due
    if (integrator->state().p[0] < (turns + 1.0) * 2.0 * std::numbers::pi) continue;
    ++turns;
    most_a_turn = std::max(most_a_turn, s.selectors - before_turn);
    least_a_turn = std::min(least_a_turn, s.selectors - before_turn);
    before_turn = s.selectors;
  }
  EXPECT_EQ(integrator->statistics().selectors - begin, 4000);
  EXPECT_EQ(most_a_turn, 4);
  EXPECT_EQ(least_a_turn, 4);
  EXPECT_EQ(integrator->statistics().failed, 0);
  // two orders or more than half of the step: as seldom as elsewhere
  std::printf("%d of 4000 steps after a change are much shorter, %d of the %ld others\n", lost,
              lost_else, integrator->statistics().steps - 4000);
  EXPECT_LT(lost, 40);
  EXPECT_LT(g, 1e-12);
}

TEST(ReductionLong, SliderCrankTurnsAThousandTimesWithAllMethods) {
  for (const char* method : {"stabilized", "hybrid", "svd", "nullspace"}) {
    ProblemRun run("slider_crank");
    const auto integrator = run.start(keyword(method), with_tolerance(1e-7));
    const long begin = integrator->statistics().selectors;
    double first = 0.0, last = 0.0;
    while (integrator->state().p[0] < 2000.0 * std::numbers::pi) {
      integrator->step(1e9);
      double& g = integrator->state().p[0] < 1000.0 * std::numbers::pi ? first : last;
      g = std::max(g, run.position_residual(integrator->state()));
    }
    EXPECT_EQ(integrator->statistics().failed, 0) << method;
    EXPECT_LT(last, 1.5 * first + 1e-13) << method << ": residuals do not grow";
    EXPECT_LT(last, 10.0 * 1e-7) << method;
    if (method == std::string("hybrid")) {
      EXPECT_EQ(integrator->statistics().selectors - begin, 4000);
    }
  }
}

// The reduction survey expects the null-space method to keep energy better than partitioning.
// Single runs scatter by more than that; over 17 tolerances it does, by half, and no more.
TEST(ReductionLong, NullspaceKeepsEnergyBetterThanPartitionOnTheWhole) {
  double sum[2] = {0.0, 0.0};
  int count = 0;
  for (double e = 5.0; e <= 9.01; e += 0.25, ++count) {
    const double tolerance = std::pow(10.0, -e);
    for (const int i : {0, 1}) {
      ProblemRun run("pendulum-period2");
      const auto integrator =
          run.start(keyword(i == 0 ? "partition" : "nullspace"), with_tolerance(tolerance));
      ProblemRun::advance(*integrator, 200.0);
      const auto E = run.equations->energy(run.context(), integrator->state(), *run.ws);
      sum[i] += std::log(std::abs(E.kinetic + E.potential) / tolerance);
    }
  }
  const double ratio = std::exp((sum[1] - sum[0]) / count);
  std::printf("energy after 100 periods, nullspace / partition: %.2f\n", ratio);
  EXPECT_LT(ratio, 0.8);
  EXPECT_GT(ratio, 0.1);
}

// partition and svd: at the tolerance of Newton's method, a hundredth of that of p; nullspace:
// velocities at rounding, positions within 10 tolerances however they are treated.
TEST(ReductionLong, ConstraintResidualsKeepThePromisesOfTheMethods) {
  for (const char* problem : {"andrews", "pendulum-period2", "chain10", "truckCp"}) {
    for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
      for (const char* method :
           {"partition", "svd", "nullspace", "nullspace position_correction=false"}) {
        ProblemRun run(problem);
        const auto integrator = run.start(keyword(method), with_tolerance(tolerance));
        const double end = run.reference ? run.reference->t : 20.0;
        double g = 0.0, G_v = 0.0;
        while (integrator->state().t < end) {
          integrator->step(end);
          const State& x = integrator->state();
          g = std::max(g, run.position_residual(x));
          G_v = std::max(G_v, run.velocity_residual(x) / (1.0 + x.v.cwiseAbs().maxCoeff()));
        }
        const bool free = std::string(method).find("false") != std::string::npos;
        EXPECT_LT(g, (free ? 10.0 : 0.05) * tolerance) << problem << " " << method << tolerance;
        EXPECT_LT(G_v, 1e-13) << problem << " " << method << tolerance;
      }
    }
  }
}

}  // namespace
}  // namespace mbs::test
