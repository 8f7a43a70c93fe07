// The extrapolation integrator: the battery of all integrators, and the orders it claims.

#include "engine/integrators/extrapolation/integrator.hpp"

#include "tests/integrators/battery_accuracy.hpp"
#include "tests/integrators/battery_contract.hpp"
#include "tests/integrators/battery_events.hpp"

namespace mbs::test {

INSTANTIATE_TEST_SUITE_P(Extrapolation, IntegratorBattery,
                         testing::Values("extrapolation", "midpoint"));

namespace {

// The pendulum of period 2 at some time, from a run at 1e-14.
struct Exact {
  ProblemRun run{"pendulum-period2"};
  State at(double t) {
    extrapolation::Integrator fine(*run.equations, run.context(), with_tolerance(1e-14),
                                   extrapolation::Method::euler);
    fine.start(run.consistent(run.x0));
    ProblemRun::advance(fine, t);
    return run.consistent(fine.state());
  }
};

using Method = extrapolation::Method;

// Orders of p, v, a, lambda.
struct Orders {
  double p, v, a, lambda;
};
struct Errors {
  double p = 0.0, v = 0.0, a = 0.0, lambda = 0.0;
  void add(const State& x, const State& exact) {
    p = std::max(p, (x.p - exact.p).norm());
    v = std::max(v, (x.v - exact.v).norm());
    a = std::max(a, (x.a - exact.a).norm());
    lambda = std::max(lambda, (x.lambda - exact.lambda).norm());
  }
};
Orders observed(const Errors& coarse, const Errors& fine, const char* what, int rows) {
  const Orders orders{std::log2(coarse.p / fine.p), std::log2(coarse.v / fine.v),
                      std::log2(coarse.a / fine.a), std::log2(coarse.lambda / fine.lambda)};
  std::printf("%s, %d rows: order of p %.2f, v %.2f, a %.2f, lambda %.2f\n", what, rows, orders.p,
              orders.v, orders.a, orders.lambda);
  return orders;
}
void expect_at_least(const Orders& orders, double y, double z) {
  EXPECT_GT(orders.p, y);
  EXPECT_GT(orders.v, y);
  EXPECT_GT(orders.a, z);
  EXPECT_GT(orders.lambda, z);
}

// Steps of fixed size and number of rows over a quarter of a period, without projection, where
// everything is known: p = (0, -1), v = (-sqrt(2 g), 0), a = (0, 2 g), lambda = 3 g / 2.
Orders global_orders(Method method, const std::string& scheme, int rows, int coarse) {
  ProblemRun run("pendulum-period2");
  const double g = run.parameters.values[0];
  State exact(run.equations->sizes());
  exact.p << 0.0, -1.0;
  exact.v << -std::sqrt(2.0 * g), 0.0;
  exact.a << 0.0, 2.0 * g;
  exact.lambda << 1.5 * g;
  Errors errors[2];
  for (int i = 0; i < 2; ++i) {
    const int steps = coarse << i;
    IntegratorOptions options = with_tolerance(1e-6);
    options.scheme = scheme;
    extrapolation::Integrator integrator(*run.equations, run.context(), options, method);
    integrator.start(run.consistent(run.x0));
    for (int n = 0; n < steps; ++n) integrator.fixed_step(0.5 / steps, rows);
    errors[i].add(integrator.state(), exact);
  }
  return observed(errors[0], errors[1], "global", rows);
}

TEST(ExtrapolationOrder, GlobalErrorsOfAllUnknownsHaveTheOrder) {
  for (int k = 2; k <= 6; ++k) {
    SCOPED_TRACE(k);
    const int coarse = k <= 3 ? 40 : k == 4 ? 20 : 10;
    expect_at_least(global_orders(Method::euler, "standard", k, coarse), k - 0.25, k - 0.25);
  }
}

// The midpoint rule gains two orders a row.
TEST(MidpointOrder, GlobalErrorsOfAllUnknownsHaveTheOrder) {
  for (int k = 2; k <= 5; ++k) {
    SCOPED_TRACE(k);
    const int coarse = k == 2 ? 40 : k == 3 ? 30 : k == 4 ? 10 : 5;
    const double order = 2 * k - (k == 5 ? 0.6 : 0.4);
    expect_at_least(global_orders(Method::midpoint, "auto", k, coarse), order, order);
  }
}

// One step from t = 0.2: local errors inside of it.
Orders dense_orders(Method method, int rows, double largest) {
  Exact exact;
  const State begin = exact.at(0.2);
  Errors errors[2];
  for (int i = 0; i < 2; ++i) {
    const double H = i == 0 ? largest : 0.5 * largest;
    extrapolation::Integrator integrator(*exact.run.equations, exact.run.context(),
                                         with_tolerance(1e-6), method);
    integrator.start(begin);
    integrator.fixed_step(H, rows);
    State x = begin;
    for (const double theta : {0.1, 0.35, 0.65, 0.9}) {
      const double t = 0.2 + theta * H;
      integrator.interpolate(t, false, x);
      errors[i].add(x, exact.at(t));
    }
  }
  return observed(errors[0], errors[1], "dense output", rows);
}

// p and v: O(H^(k+1)), a and lambda: O(H^k).
TEST(ExtrapolationOrder, DenseOutputOfAllUnknownsHasTheOrder) {
  for (int k = 2; k <= 6; ++k) {
    SCOPED_TRACE(k);
    const double largest = k <= 3 ? 0.02 : k == 4 ? 0.05 : 0.1;
    expect_at_least(dense_orders(Method::euler, k, largest), k + 1 - 0.3, k - 0.3);
  }
}

// O(H^(2k)) in the middle; a and lambda come near to it with more rows.
TEST(MidpointOrder, DenseOutputOfAllUnknownsHasTheOrder) {
  for (int k = 2; k <= 5; ++k) {
    SCOPED_TRACE(k);
    const double largest = k == 2 ? 0.04 : k == 3 ? 0.06 : 0.15;
    expect_at_least(dense_orders(Method::midpoint, k, largest), 2 * k - 0.4, 2 * k - 1 - 0.4);
  }
}

TEST(Extrapolation, TheOrderOfTheDenseOutputCanBeLimited) {
  Exact exact;
  const State begin = exact.at(0.2);
  for (const Method method : {Method::euler, Method::midpoint}) {
    double error[2];
    for (const int order : {0, 5}) {
      IntegratorOptions options = with_tolerance(1e-6);
      options.dense_order = order;
      extrapolation::Integrator integrator(*exact.run.equations, exact.run.context(), options,
                                           method);
      integrator.start(begin);
      integrator.fixed_step(0.1, 6);
      State x = begin;
      integrator.interpolate(0.22, false, x);
      error[order == 0 ? 0 : 1] = (x.p - exact.at(0.22).p).norm();
    }
    EXPECT_GT(error[1], 10.0 * error[0]);
    EXPECT_LT(error[1], 1e-4);
  }
}

TEST(Midpoint, WithoutDenseOutputItIsCheaperAndDoesNotInterpolate) {
  long evaluations[2];
  for (const bool dense : {false, true}) {
    ProblemRun run("insul64");
    IntegratorOptions options = with_tolerance(1e-7);
    options.dense = dense;
    const auto integrator = run.start("midpoint", options);
    ProblemRun::advance(*integrator, run.t_end);
    EXPECT_LT(error_of(integrator->state().p, run.reference->p), 1e-6);
    evaluations[dense ? 1 : 0] = integrator->statistics().matrix_evaluations;
    if (dense) continue;
    State x = integrator->state();
    integrator->interpolate(x.t, true, x);  // the end is there
    const double inside = 0.5 * (integrator->step_begin() + x.t);
    EXPECT_THROW(integrator->interpolate(inside, true, x), std::logic_error);
    std::vector<std::byte> bytes;
    ByteWriter out(bytes);
    integrator->save(out);
    const auto other = run.start("midpoint", options);
    ByteReader in(bytes);
    other->restore(in);
    EXPECT_TRUE(same_bits(other->state(), integrator->state()));
  }
  EXPECT_LT(evaluations[0], evaluations[1]);
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
  for (const auto& [problem, keyword] : {std::pair{"drum0", "standard"}, {"drum0.5", "modified"}}) {
    ProblemRun run(problem);
    const auto integrator = run.start("extrapolation", with_tolerance(1e-5));
    EXPECT_NE(integrator->describe().find(keyword), std::string::npos) << integrator->describe();
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
