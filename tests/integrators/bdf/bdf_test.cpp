// The BDF integrator: the battery, its order, its forms and its options.

#include "engine/integrators/bdf/integrator.hpp"

#include "tests/integrators/battery_accuracy.hpp"
#include "tests/integrators/battery_contract.hpp"
#include "tests/integrators/battery_events.hpp"
#include "tests/integrators/bdf/driven_point.hpp"

namespace mbs::test {

INSTANTIATE_TEST_SUITE_P(Bdf, IntegratorBattery,
                         testing::Values("bdf",
                                         "bdf formalism=residual jacobian=groups phases=all "
                                         "krylov_steps=1 drop_tolerance=0.001 broyden=0.5"));

namespace {

std::unique_ptr<bdf::Integrator> make(ProblemRun& run, double tolerance,
                                      std::vector<MethodOption> options) {
  IntegratorOptions all = with_tolerance(tolerance);
  all.method_options = std::move(options);
  return std::make_unique<bdf::Integrator>(*run.equations, run.context(), all);
}

// Largest errors of p, v and lambda on 0.5 ... 1 with fixed steps h at order k, from exact points
// of the past.
Eigen::Vector3d fixed_error(const DrivenPoint& point, double h, int k,
                            std::vector<MethodOption> options) {
  const Inputs inputs(0);
  const Parameters parameters;
  IntegratorOptions all = with_tolerance(1e-9);
  all.method_options = std::move(options);
  bdf::Integrator bdf(point, {inputs, parameters}, all);
  std::vector<State> past;
  for (int i = 0; i <= k; ++i) past.push_back(point.at(0.5 - i * h));
  bdf.start_fixed(past, h);
  Eigen::Vector3d worst = Eigen::Vector3d::Zero();
  while (bdf.state().t < 1.0 - 0.5 * h) {
    bdf.step(1e9);
    const State& x = bdf.state();
    const State exact = point.at(x.t);
    worst = worst.cwiseMax(Eigen::Vector3d((x.p - exact.p).norm(), (x.v - exact.v).norm(),
                                           (x.lambda - exact.lambda).norm()));
  }
  return worst;
}

void expect_order(const DrivenPoint& point, const std::vector<MethodOption>& options,
                  bool multipliers) {
  for (int k = 1; k <= 5; ++k) {
    const double h = k <= 2 ? 1.0 / 128 : 1.0 / 64;
    const Eigen::Vector3d coarse = fixed_error(point, h, k, options);
    const Eigen::Vector3d fine = fixed_error(point, 0.5 * h, k, options);
    for (int i = 0; i < (multipliers ? 3 : 2); ++i) {
      const double order = std::log2(coarse[i] / fine[i]);
      EXPECT_GT(order, k - 0.35) << "order " << k << ", p v lambda " << i << ": " << coarse[i]
                                 << " " << fine[i];
      EXPECT_LT(order, k + 1.0) << "order " << k << ", p v lambda " << i;
    }
  }
}

TEST(Bdf, OrderIsOneToFiveInAllComponents) {
  expect_order(DrivenPoint(1.0), {}, true);
  expect_order(DrivenPoint(1.0), {{"bdf", "formalism", "explicit"}}, true);
  expect_order(DrivenPoint(1.0), {{"bdf", "form", "lambda_derivative"}}, false);
}

TEST(Bdf, AStiffIndexTwoProblemKeepsTheOrder) {
  expect_order(DrivenPoint(1e4), {}, true);
}

TEST(Bdf, PositionsOfTheSecondFormDoNotDriftBeyondTheTolerance) {
  ProblemRun run("pendulum-period2");
  for (const double tolerance : {1e-4, 1e-7}) {
    const auto bdf = make(run, tolerance, {{"bdf", "form", "lambda_derivative"}});
    bdf->start(run.consistent(run.x0));
    double drift = 0.0, velocity = 0.0;
    while (bdf->state().t < 40.0) {
      bdf->step(40.0);
      drift = std::max(drift, run.position_residual(bdf->state()));
      velocity = std::max(velocity, run.velocity_residual(bdf->state()));
    }
    EXPECT_LE(drift, tolerance);
    EXPECT_LE(velocity, tolerance);
    EXPECT_GT(drift, 1e-3 * tolerance) << "it should drift a little";
  }
}

TEST(Bdf, AllFormsAndJacobiansReachTheSameSolution) {
  const std::vector<std::vector<MethodOption>> choices = {
      {{"bdf", "corrector", "dassl"}},
      {{"bdf", "corrector", "dassl"}, {"bdf", "jacobian", "differences"}},
      {{"bdf", "jacobian", "groups"}},
      {{"bdf", "jacobian", "groups"}, {"bdf", "form", "lambda_derivative"}},
      {{"bdf", "form", "lambda_derivative"}},
      {{"bdf", "formalism", "explicit"}},
      {{"bdf", "formalism", "explicit"}, {"bdf", "jacobian", "differences"}},
      {{"bdf", "eliminate", "false"}},
      {{"bdf", "scaling", "factor"}, {"bdf", "update", "none"}},
      {{"bdf", "phases", "all"}, {"bdf", "krylov_steps", "2"}},
      {{"bdf", "phases", "krylov"}},
      {{"bdf", "broyden", "1"}}};
  for (const char* problem : {"andrews", "truckCp", "chain10"}) {
    ProblemRun run(problem);
    for (const auto& options : choices) {
      const auto bdf = make(run, 1e-6, options);
      bdf->start(run.consistent(run.x0));
      ProblemRun::advance(*bdf, run.t_end);
      std::string keywords;
      for (const MethodOption& option : options) keywords += " " + option.name + "=" + option.value;
      EXPECT_LT(error_of(bdf->state().p, run.reference->p), 3e-4) << problem << keywords;
    }
  }
}

TEST(Bdf, ARestartKeepsTheStepSize) {
  ProblemRun run("insul16");
  const auto bdf = make(run, 1e-6, {});
  bdf->start(run.consistent(run.x0));
  ProblemRun::advance(*bdf, 0.05);
  const double h = bdf->statistics().last_step;
  const long before = bdf->statistics().steps;
  bdf->start(bdf->state(), h);
  while (bdf->statistics().last_step < 0.5 * h) bdf->step(run.t_end);
  EXPECT_LE(bdf->statistics().steps - before, 12);
}

TEST(Bdf, OptionsAreRefusedWithValueAndBound) {
  ProblemRun run("pendulum");
  const auto message = [&](const char* name, const char* value) -> std::string {
    try {
      make(run, 1e-6, {{"bdf", name, value}});
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_NE(message("form", "index3").find("index3"), std::string::npos);
  EXPECT_NE(message("broyden", "1.5").find("1.5"), std::string::npos);
  EXPECT_NE(message("krylov_steps", "11").find("11"), std::string::npos);
  EXPECT_NE(message("frm", "ggl").find("frm"), std::string::npos);
  IntegratorOptions options;
  options.max_order = 6;
  EXPECT_THROW(bdf::Integrator(*run.equations, run.context(), options), std::invalid_argument);
  ProblemRun chain("insul16");  // a massless point
  EXPECT_THROW(make(chain, 1e-6, {{"bdf", "formalism", "explicit"}}), std::invalid_argument);
  EXPECT_NE(make(run, 1e-6, {})->describe().find("Gear-Gupta-Leimkuhler"), std::string::npos);
}

}  // namespace
}  // namespace mbs::test
