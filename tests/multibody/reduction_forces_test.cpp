// Constraint forces of the five reductions: equal to those of `extrapolation` and `radau` at the
// tolerance's level, on templates with holonomic and nonholonomic constraints, at six tolerances.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/integrators/problem_run.hpp"
#include "tests/multibody/assembled.hpp"
#include "tests/multibody/run_model.hpp"

namespace mbs::test {
namespace {

struct Case {
  std::string name, coordinates;
  double end;
  double bound;   // of the reductions, errors by tolerance and size of the force
  double others;  // of extrapolation and radau
};

// A multiplier is a function of p and v. Those that an integrator shows are the ones of its own p
// and v: to rounding where it projects, to a few tolerances where it damps the drift (`own`). The
// rest is what this function, and the motion before, make of the errors of p and v; that is the
// model's and the same for every integrator: extrapolation's largest is given for comparison. The
// four-bar passes its singular position, where forces go as the inverse square of a distance of
// 0.04.
const Case cases[] = {
    {"knife_edge", "absolute", 2.0, 5.0, 5.0},    {"rolling_disc", "absolute", 2.0, 50.0, 250.0},
    {"rolling_disc", "joint", 2.0, 50.0, 250.0},  {"slider_crank", "absolute", 0.05, 50.0, 500.0},
    {"slider_crank", "joint", 0.05, 50.0, 500.0}, {"double_pendulum", "absolute", 3.0, 20.0, 20.0},
    {"gimbal", "absolute", 1.0, 200.0, 50.0},     {"four_bar", "absolute", 1.5, 1500.0, 1000.0},
    {"four_bar", "joint", 1.5, 1500.0, 1000.0},
};

constexpr int points = 10;

std::vector<State> follow(ProblemRun& run, const std::string& keyword, double tolerance,
                          double end) {
  std::vector<State> at;
  const auto integrator = run.start(keyword, with_tolerance(tolerance));
  for (int i = 1; i <= points; ++i) {
    ProblemRun::advance(*integrator, end * i / points);
    at.push_back(integrator->state());
  }
  return at;
}

// Largest |lambda - reference| by the largest size of that multiplier, at least a hundredth of that
// of all.
double distance(const std::vector<State>& path, const std::vector<State>& reference) {
  Vector size = Vector::Zero(reference[0].lambda.size());
  for (const State& x : reference) size = size.cwiseMax(x.lambda.cwiseAbs());
  size = size.cwiseMax(0.01 * size.maxCoeff());
  double most = 0.0;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const Vector error = path[i].lambda - reference[i].lambda;
    most = std::max(most, error.cwiseQuotient(size).cwiseAbs().maxCoeff());
  }
  return most;
}

class ReductionForces : public testing::TestWithParam<Case> {};

TEST_P(ReductionForces, AreThoseOfExtrapolationAndRadauAtTheTolerancesLevel) {
  const Case& c = GetParam();
  const Assembled model(template_text(c.name), c.coordinates);
  ProblemRun run(model.equations, model.start(), c.end);
  run.parameters = model.parameters;
  run.inputs = model.inputs;
  const auto reference = follow(run, "extrapolation", 1e-12, c.end);
  EXPECT_LT(distance(follow(run, "radau", 1e-12, c.end), reference), 1e-8);
  for (const char* keyword :
       {"extrapolation", "radau", "reduction method=partition", "reduction method=stabilized",
        "reduction method=hybrid", "reduction method=svd", "reduction method=nullspace"}) {
    const bool ours = std::string_view(keyword).starts_with("reduction");
    std::printf("%-15s %-8s %-28s", c.name.c_str(), c.coordinates.c_str(), keyword);
    for (double tolerance = 1e-4; tolerance > 0.5e-9; tolerance *= 0.1) {
      const std::vector<State> path = follow(run, keyword, tolerance, c.end);
      const double error = distance(path, reference);
      std::vector<State> exact;
      for (const State& x : path) exact.push_back(run.consistent(x));
      const double own = distance(path, exact) / tolerance;
      std::printf(" %5.0f (%.1g)", error / tolerance, own);
      const std::string method(keyword);
      if (method.ends_with("stabilized")) {
        EXPECT_LT(own, c.name == "four_bar" ? 60.0 : 5.0) << tolerance;
      } else if (ours) {
        EXPECT_LT(own, method.ends_with("hybrid") ? 5.0 : 1e-4) << keyword << " at " << tolerance;
      }
      EXPECT_LT(error, (ours ? c.bound : c.others) * tolerance) << keyword << " at " << tolerance;
    }
    std::printf("\n");
  }
}

INSTANTIATE_TEST_SUITE_P(Templates, ReductionForces, testing::ValuesIn(cases), [](const auto& one) {
  return one.param.name + "_" + one.param.coordinates;
});

}  // namespace
}  // namespace mbs::test
