// Factorisations at equal errors, of our methods by those of the known codes in peers.csv. Counts
// alone: they are the same everywhere, times are not.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/bench/peers/baseline.hpp"
#include "tests/bench/peers/known.hpp"
#include "tests/bench/peers/sweep.hpp"

namespace mbs::test {
namespace {

std::optional<Cost> factorisation_ratio(const Curve& ours, const std::vector<KnownRun>& known,
                                        const std::string& solver, double error) {
  Curve theirs;
  for (const KnownRun& run : known) {
    theirs.push_back({run.err_p, static_cast<double>(run.factorisations(solver))});
  }
  return ratio(smooth_cost(ours, error), smooth_cost(theirs, error));
}

class Peers : public testing::TestWithParam<const char*> {
 protected:
  void expect_at_most(double bound, const std::string& method, const std::string& solver) {
    const KnownRuns known(MBS_PEERS_CSV);
    const PeerProblem problem(GetParam());
    std::vector<Sweep> sweep(1);
    sweep[0].solver = make_our_solver(problem, method);
    sweep[0].most_rounds = 1;
    run_sweeps(sweep, 0.0);
    int levels = 0;
    for (int level = 3; level <= 9; ++level) {
      const auto ratio = factorisation_ratio(
          sweep[0].factorisations(), known.of(GetParam(), solver), solver, std::pow(10.0, -level));
      if (!ratio) continue;
      ++levels;
      // The fits themselves are that uncertain.
      EXPECT_LE(ratio->value, bound * (1.0 + 2.0 * ratio->relative_error)) << "err_p 1e-" << level;
    }
    EXPECT_GE(levels, 6);
  }
};

TEST_P(Peers, ExtrapolationNeedsNoMoreFactorisationsThanMexx) {
  expect_at_most(1.0, "extrapolation", "mexx-port");
}

TEST_P(Peers, MidpointNeedsHardlyMoreFactorisationsThanOdex) {
  expect_at_most(1.1, "midpoint", "odex-idx1");
}

// Fewer Jacobians than DASSL's (on the truck) only make what is saved against them smaller.
class PlainBdf : public testing::TestWithParam<BaselineCase> {};

TEST_P(PlainBdf, NeedsAsManyEvaluationsAsDassl) {
  const std::vector<BaselineRatio> ratios = baseline_ratios(GetParam());
  for (const BaselineRatio& r : ratios) {
    // The fits themselves are that uncertain.
    const auto slack = [](const Cost& cost) { return 1.0 + 2.0 * cost.relative_error; };
    for (const Cost& cost : {*r.steps, *r.residuals}) {
      EXPECT_LE(cost.value, 1.2 * slack(cost)) << "at err_p " << r.error;
      EXPECT_GE(cost.value, 0.8 / slack(cost)) << "at err_p " << r.error;
    }
    EXPECT_LE(r.jacobians->value, 1.2 * slack(*r.jacobians)) << "at err_p " << r.error;
  }
  EXPECT_GE(ratios.size(), 3U);
}

INSTANTIATE_TEST_SUITE_P(problems, PlainBdf, testing::ValuesIn(baseline_cases),
                         [](const auto& test) { return std::string(test.param.problem); });

INSTANTIATE_TEST_SUITE_P(problems, Peers, testing::Values("andrews", "insul16", "insul64"),
                         [](const auto& test) { return std::string(test.param); });

TEST(Curve, BothCostsOfAPowerLawAreThePowerLaw) {
  Curve curve;
  for (int k = 2; k <= 11; ++k) curve.push_back({std::pow(10.0, -k), 100.0 * std::pow(1.3, k)});
  for (const double error : {1e-3, 3e-6, 1e-9}) {
    const double exact = 100.0 * std::pow(1.3, -std::log10(error));
    EXPECT_NEAR(smooth_cost(curve, error)->value, exact, 1e-8 * exact);
    EXPECT_NEAR(cheapest_cost(curve, error)->value, exact, 1e-8 * exact);
  }
  EXPECT_FALSE(smooth_cost(curve, 1e-13));
  EXPECT_FALSE(cheapest_cost(curve, 1e-13));
}

TEST(Curve, OneLuckyRunMovesTheCheapestCostAndHardlyTheSmoothOne) {
  Curve curve;
  for (int k = 8; k <= 44; ++k) curve.push_back({std::pow(10.0, -k / 4.0), std::pow(1.1, k)});
  const double error = 1e-6, smooth = smooth_cost(curve, error)->value;
  curve[8].error *= 0.001;
  EXPECT_LT(cheapest_cost(curve, error)->value, 0.7 * smooth);
  EXPECT_NEAR(smooth_cost(curve, error)->value, smooth, 0.1 * smooth);
}

}  // namespace
}  // namespace mbs::test
