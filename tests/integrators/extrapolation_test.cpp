// The extrapolation integrator: the battery of all integrators, and the orders it claims.

#include "engine/integrators/extrapolation/extrapolation.hpp"

#include "tests/integrators/battery_accuracy.hpp"
#include "tests/integrators/battery_contract.hpp"

namespace mbs::test {

INSTANTIATE_TEST_SUITE_P(Extrapolation, IntegratorBattery, testing::Values("extrapolation"));

namespace {

// The pendulum of period 2 at some time, from a run at 1e-14.
struct Exact {
  ProblemRun run{"pendulum-period2"};
  State at(double t) {
    Extrapolation fine(*run.equations, run.given(), with_tolerance(1e-14),
                       Extrapolation::Method::euler);
    fine.start(run.consistent(run.x0));
    ProblemRun::advance(fine, t);
    return run.consistent(fine.state());
  }
};

double observed_order(double coarse, double fine, double ratio) {
  return std::log(coarse / fine) / std::log(ratio);
}

// Steps of fixed size and number of rows over a quarter of a period, without projection, where
// everything is known: p = (0, -1), v = (-sqrt(2 g), 0), a = (0, 2 g), lambda = 3 g / 2.
TEST(ExtrapolationOrder, GlobalErrorsOfAllUnknowns) {
  ProblemRun run("pendulum-period2");
  const double g = run.parameters.values[0];
  State exact(run.equations->sizes());
  exact.p << 0.0, -1.0;
  exact.v << -std::sqrt(2.0 * g), 0.0;
  exact.a << 0.0, 2.0 * g;
  exact.lambda << 1.5 * g;
  for (int k = 2; k <= 6; ++k) {
    double p[2], v[2], a[2], lambda[2];
    const int coarse = k <= 3 ? 40 : k == 4 ? 20 : 10;
    for (int i = 0; i < 2; ++i) {
      const int steps = coarse << i;
      Extrapolation integrator(*run.equations, run.given(), with_tolerance(1e-6),
                               Extrapolation::Method::euler);
      integrator.start(run.consistent(run.x0));
      for (int n = 0; n < steps; ++n) integrator.fixed_step(0.5 / steps, k);
      const State& x = integrator.state();
      p[i] = (x.p - exact.p).norm();
      v[i] = (x.v - exact.v).norm();
      a[i] = (x.a - exact.a).norm();
      lambda[i] = (x.lambda - exact.lambda).norm();
    }
    std::printf("rows %d: order of p %.2f, v %.2f, a %.2f, lambda %.2f\n", k,
                observed_order(p[0], p[1], 2), observed_order(v[0], v[1], 2),
                observed_order(a[0], a[1], 2), observed_order(lambda[0], lambda[1], 2));
    EXPECT_GT(observed_order(p[0], p[1], 2), k - 0.25) << k;
    EXPECT_GT(observed_order(v[0], v[1], 2), k - 0.25) << k;
    EXPECT_GT(observed_order(a[0], a[1], 2), k - 0.25) << k;
    EXPECT_GT(observed_order(lambda[0], lambda[1], 2), k - 0.25) << k;
  }
}

// One step from t = 0.2: local errors inside of it. p and v: O(H^(k+1)), a and lambda: O(H^k).
TEST(ExtrapolationOrder, DenseOutputOfAllUnknowns) {
  Exact exact;
  const State begin = exact.at(0.2);
  const std::vector<double> thetas{0.1, 0.35, 0.65, 0.9};
  for (int k = 2; k <= 6; ++k) {
    const double largest = k <= 3 ? 0.02 : k == 4 ? 0.05 : 0.1;
    double p[2] = {}, v[2] = {}, a[2] = {}, lambda[2] = {};
    for (int i = 0; i < 2; ++i) {
      const double H = i == 0 ? largest : 0.5 * largest;
      Extrapolation integrator(*exact.run.equations, exact.run.given(), with_tolerance(1e-6),
                               Extrapolation::Method::euler);
      integrator.start(begin);
      integrator.fixed_step(H, k);
      State x = begin;
      for (const double theta : thetas) {
        const double t = 0.2 + theta * H;
        integrator.interpolate(t, false, x);
        const State y = exact.at(t);
        p[i] = std::max(p[i], (x.p - y.p).norm());
        v[i] = std::max(v[i], (x.v - y.v).norm());
        a[i] = std::max(a[i], (x.a - y.a).norm());
        lambda[i] = std::max(lambda[i], (x.lambda - y.lambda).norm());
      }
    }
    std::printf("rows %d: order of the dense p %.2f, v %.2f, a %.2f, lambda %.2f\n", k,
                observed_order(p[0], p[1], 2), observed_order(v[0], v[1], 2),
                observed_order(a[0], a[1], 2), observed_order(lambda[0], lambda[1], 2));
    EXPECT_GT(observed_order(p[0], p[1], 2), k + 1 - 0.3) << k;
    EXPECT_GT(observed_order(v[0], v[1], 2), k + 1 - 0.3) << k;
    EXPECT_GT(observed_order(a[0], a[1], 2), k - 0.3) << k;
    EXPECT_GT(observed_order(lambda[0], lambda[1], 2), k - 0.3) << k;
  }
}

TEST(Extrapolation, TheStandardSchemeRefusesMuchDryFrictionAndNamesTheOther) {
  for (const char* problem : {"drum1.25", "drum1.5"}) {
    ProblemRun run(problem);
    IntegratorOptions options = with_tolerance(1e-5);
    options.initial_step = 1e-3;
    options.max_steps = 20000;
    options.scheme = "standard";
    const auto integrator = run.start("extrapolation", options);
    try {
      ProblemRun::advance(*integrator, run.t_end);
      FAIL() << problem << " cannot work with the standard scheme";
    } catch (const SolverFailure& failure) {
      EXPECT_NE(std::string(failure.what()).find("F = df/dlambda"), std::string::npos)
          << failure.what();
      EXPECT_NE(std::string(failure.what()).find("modified"), std::string::npos);
    }
  }
}

TEST(Extrapolation, TheSchemeIsChosenByTheSizeOfF) {
  for (const auto& [problem, word] : {std::pair{"drum0", "standard"}, {"drum0.5", "modified"}}) {
    ProblemRun run(problem);
    const auto integrator = run.start("extrapolation", with_tolerance(1e-5));
    EXPECT_NE(integrator->describe().find(word), std::string::npos) << integrator->describe();
  }
  ProblemRun run("andrews");  // no friction, nothing to choose
  EXPECT_EQ(run.start("extrapolation", with_tolerance(1e-5))->describe().find("scheme"),
            std::string::npos);
}

TEST(Extrapolation, MaxOrderLimitsTheRows) {
  ProblemRun run("andrews");
  IntegratorOptions options = with_tolerance(1e-9);
  options.max_order = 5;
  const auto integrator = run.start("extrapolation", options);
  while (integrator->state().t < run.t_end) {
    integrator->step(run.t_end);
    EXPECT_LE(integrator->statistics().last_order, 5);
  }
  EXPECT_LT(error_of(integrator->state().p, run.reference->p), 1e-7);
}

TEST(Extrapolation, AStepHintReplacesTheChosenStep) {
  ProblemRun run("pendulum");
  const auto chosen = run.start("extrapolation", with_tolerance(1e-6));
  chosen->step(10.0);
  EXPECT_GT(chosen->statistics().last_step, 1e-5);
  EXPECT_LT(chosen->statistics().last_step, 0.5);
  const auto hinted = run.start("extrapolation", with_tolerance(1e-6));
  hinted->start(run.consistent(run.x0), 0.0125);
  hinted->step(10.0);
  EXPECT_EQ(hinted->statistics().last_step, 0.0125);
}

}  // namespace
}  // namespace mbs::test
