#include "tests/bench/peers/baseline.hpp"

#include <cmath>

#include "tests/bench/peers/known.hpp"
#include "tests/bench/peers/sweep.hpp"

namespace mbs::test {

const std::vector<BaselineCase> baseline_cases = {{"andrews", "ida-ggl-dense"},
                                                  {"truckC", "dassl-ggl"},
                                                  {"insul16", "dassl-ggl"},
                                                  {"insul32", "dassl-ggl"},
                                                  {"insul64", "dassl-ggl"}};

std::vector<BaselineRatio> baseline_ratios(const BaselineCase& of) {
  const KnownRuns known(MBS_PEERS_CSV);
  const PeerProblem problem(of.problem);
  const auto unknowns =
      static_cast<long>(2 * (problem.start.p.size() + problem.start.lambda.size()));
  std::vector<Sweep> sweep(1);
  sweep[0].solver = make_our_solver(problem, "bdf", {{"bdf", "corrector", "dassl"}});
  sweep[0].most_rounds = 1;
  sweep[0].accurate_enough = 1e-8;
  run_sweeps(sweep, 0.0);
  const auto point = [](double error, long count) {
    return CurvePoint{error, static_cast<double>(count)};
  };
  struct Curves {
    Curve steps, residuals, jacobians;
  } ours, theirs;
  for (const PeerRun& run : sweep[0].runs) {
    ours.steps.push_back(point(run.err_p, run.steps));
    ours.residuals.push_back(point(run.err_p, run.evaluations));
    ours.jacobians.push_back(point(run.err_p, run.jacobians));
  }
  for (const KnownRun& run : known.of(of.problem, of.solver)) {
    theirs.steps.push_back(point(run.err_p, run.steps));
    theirs.residuals.push_back(point(run.err_p, run.right_hand_sides - run.jacobians * unknowns));
    theirs.jacobians.push_back(point(run.err_p, run.jacobians));
  }
  std::vector<BaselineRatio> ratios;
  for (int level = 3; level <= 8; ++level) {
    const double error = std::pow(10.0, -level);
    const auto at = [&](const Curve Curves::*which) {
      return ratio(smooth_cost(ours.*which, error), smooth_cost(theirs.*which, error));
    };
    BaselineRatio next{error, at(&Curves::steps), at(&Curves::residuals), at(&Curves::jacobians)};
    if (next.steps && next.residuals && next.jacobians) ratios.push_back(next);
  }
  return ratios;
}

}  // namespace mbs::test
