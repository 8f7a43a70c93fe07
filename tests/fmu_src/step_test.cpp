// Steps: times, inputs with derivatives, failures of the solver.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/fmu_src/fmu.hpp"

namespace mbs::test {
namespace {

class Steps : public testing::TestWithParam<int> {
 protected:
  const Fmu fmu{rig_text};
  Instance instance{fmu, GetParam()};
};
INSTANTIATE_TEST_SUITE_P(fmi, Steps, testing::Values(2, 3));

TEST_P(Steps, AcceptTimesThatDifferByRounding) {
  const double h = 1.0 / 60.0;
  ASSERT_EQ(instance.start(), ok);
  double sum = 0.0;
  for (int i = 0; i < 600; ++i) {
    const double t = i % 3 == 0 ? i * h : i % 3 == 1 ? sum : i * h * (1.0 + 4e-16);
    ASSERT_EQ(instance.step(t, h), ok) << i << ": " << instance.said();
    EXPECT_EQ(instance["time"], t + h);
    sum += h;
  }
}

TEST_P(Steps, AcceptAnyStartTime) {
  for (const double t0 : {-2.5, 1e6}) {
    ASSERT_EQ(instance.start(t0), ok);
    EXPECT_EQ(instance["time"], t0);
    EXPECT_EQ(instance.step(t0, 0.1), ok);
    EXPECT_EQ(instance["time"], t0 + 0.1);
    ASSERT_EQ(instance.reset(), ok);
  }
}

TEST_P(Steps, WrongStepsAreRefusedAndChangeNothing) {
  ASSERT_EQ(instance.set_up_and_enter(0.0, 1.0), ok);
  ASSERT_EQ(instance.exit(), ok);
  ASSERT_EQ(instance.step(0.0, 0.1), ok);
  const std::vector<double> before = instance.all();
  const double nan = std::nan("");
  for (const auto& [t, h] : {std::pair(0.1, 0.0),
                             {0.1, -0.1},
                             {0.1, nan},
                             {nan, 0.1},
                             {0.1, INFINITY},
                             {0.2, 0.1},
                             {0.0, 0.1},
                             {0.1001, 0.1},
                             {0.1, 1e-20},
                             {0.1, 0.91}}) {
    EXPECT_EQ(instance.step(t, h), error) << t << " " << h;
  }
  expect_same_bits(instance.all(), before);
  EXPECT_EQ(instance.step(0.1, 0.9 + 1e-10), ok) << "rounding at the stop time is no error";
}

TEST_P(Steps, MayBeTinyOrHuge) {
  ASSERT_EQ(instance.start(), ok);
  EXPECT_EQ(instance.step(0.0, 1e-9), ok);
  EXPECT_EQ(instance["time"], 1e-9);
  EXPECT_EQ(instance.step(1e-9, 20.0), ok);
  EXPECT_EQ(instance.step(20.000000001, 1e-9), ok);
  EXPECT_LT(instance["drift"], 1e-7);
}

// Unchanged inputs do not restart the integrator (D6).
TEST_P(Steps, SmallStepsCostNoIntegrationWhileInputsRest) {
  Instance one(fmu, GetParam());
  ASSERT_EQ(instance.start(), ok);
  ASSERT_EQ(one.start(), ok);
  for (int i = 0; i < 500; ++i) {
    ASSERT_EQ(instance.set("M", 0.3), ok);
    ASSERT_EQ(instance.step(i * 0.001, 0.001), ok);
  }
  ASSERT_EQ(one.step(0.0, 499 * 0.001 + 0.001), ok);
  expect_same_bits(instance.all(), one.all());
}

TEST_P(Steps, SettingWithoutAStepLeavesTheOutputs) {
  ASSERT_EQ(instance.start(), ok);
  ASSERT_EQ(instance.step(0.0, 0.1), ok);
  Instance other(fmu, GetParam());
  ASSERT_EQ(other.start(), ok);
  ASSERT_EQ(other.step(0.0, 0.1), ok);
  ASSERT_EQ(instance.set("M", 8.0), ok);  // before any output has been asked for
  for (const char* name : {"x", "alpha", "N", "direct"})
    expect_same_bits({instance[name]}, {other[name]});
}

TEST_P(Steps, FollowTheLagOfAConstantInput) {
  ASSERT_EQ(instance.set_up_and_enter(0.0, 1.0, 1e-10), ok);
  ASSERT_EQ(instance.exit(), ok);
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(instance.set("M", i < 5 ? 0.3 : 1.0), ok);
    ASSERT_EQ(instance.step(i * 0.01, 0.01), ok);
  }
  const double at_change = 0.3 * (1.0 - std::exp(-0.05 / 0.02));
  EXPECT_NEAR(instance["lag"], 1.0 + (at_change - 1.0) * std::exp(-0.05 / 0.02), 1e-9);
}

TEST(Fmi2, InputDerivativesReachTheRightHandSide) {
  const Fmu fmu(rig_text);
  Instance instance(fmu, 2);
  ASSERT_EQ(instance.set_up_and_enter(0.0, 1.0, 1e-10), ok);
  ASSERT_EQ(instance.exit(), ok);
  const std::uint32_t M = fmu.description["M"];
  const auto derivative = [&](std::uint32_t reference, int order, double value) {
    return runtime().fmi2.SetRealInputDerivatives(instance.handle, &reference, 1, &order, &value);
  };
  // M = 0.3 + 2 t + 3 t^2: lag' = (M - lag)/tau with lag(0) = 0 has the solution below.
  const double tau = 0.02, c = 3.0, b = 2.0 - 2.0 * c * tau, a = 0.3 - b * tau;
  const auto lag = [&](double t) { return a + b * t + c * t * t - a * std::exp(-t / tau); };
  for (int i = 0; i < 10; ++i) {
    const double t = i * 0.05;
    ASSERT_EQ(instance.set("M", 0.3 + 2.0 * t + 3.0 * t * t), ok);
    ASSERT_EQ(derivative(M, 1, 2.0 + 6.0 * t), fmi2OK);
    ASSERT_EQ(derivative(M, 2, 6.0), fmi2OK);
    ASSERT_EQ(instance.step(t, 0.05), ok);
    EXPECT_NEAR(instance["lag"], lag(t + 0.05), 1e-8);
  }
  // A value alone: the slopes of the last step are over.
  ASSERT_EQ(instance.set("M", 1.0), ok);
  const double before = instance["lag"];
  ASSERT_EQ(instance.step(0.5, 0.05), ok);
  EXPECT_NEAR(instance["lag"], 1.0 + (before - 1.0) * std::exp(-0.05 / tau), 1e-8);

  EXPECT_EQ(derivative(M, 0, 1.0), fmi2Error);
  EXPECT_EQ(derivative(M, 3, 1.0), fmi2Error);
  EXPECT_EQ(derivative(M, 1, std::nan("")), fmi2Error);
  EXPECT_EQ(derivative(fmu.description["d"], 1, 1.0), fmi2Error);
}

TEST(Fmi2, InputDerivativesHoldForOneStep) {
  const Fmu fmu(rig_text);
  Instance instance(fmu, 2);
  ASSERT_EQ(instance.set_up_and_enter(0.0, 1.0, 1e-10), ok);
  const std::uint32_t M = fmu.description["M"];
  const auto derivative = [&](int order, double value) {
    return runtime().fmi2.SetRealInputDerivatives(instance.handle, &M, 1, &order, &value);
  };
  ASSERT_EQ(instance.set("M", 0.2), ok);
  ASSERT_EQ(derivative(1, 4.0), fmi2OK);
  ASSERT_EQ(instance.exit(), ok);
  const double tau = 0.02, h = 0.05;
  // Over the step M = 0.2 + 4 t ...
  ASSERT_EQ(instance.step(0.0, h), ok);
  const double ramp = (0.2 + 4.0 * (h - tau)) - (0.2 - 4.0 * tau) * std::exp(-h / tau);
  EXPECT_NEAR(instance["lag"], ramp, 1e-8);
  EXPECT_NEAR(instance["M"], 0.4, 1e-15);
  // ... and then it stays at its last value without another call,
  ASSERT_EQ(instance.step(h, h), ok);
  const double constant = 0.4 + (ramp - 0.4) * std::exp(-h / tau);
  EXPECT_NEAR(instance["lag"], constant, 1e-8);
  EXPECT_NEAR(instance["M"], 0.4, 1e-15);
  // or goes on from there with the next derivative alone.
  ASSERT_EQ(derivative(1, -2.0), fmi2OK);
  ASSERT_EQ(instance.step(2 * h, h), ok);
  EXPECT_NEAR(instance["M"], 0.3, 1e-15);
  const double b = -2.0, a = 0.4 - b * tau;
  EXPECT_NEAR(instance["lag"], a + b * h + (constant - a) * std::exp(-h / tau), 1e-8);
}

// r' = r^2 reaches infinity at t = 1.
const char* const explosive = R"xml(<mbs name="Explosive" version="1" planar="xy">
  <body name="b" mass="1 kg" inertia="1 kg.m^2"/>
  <state name="r" start="1" der="r^2 / (1 s)"/>
  <output name="y" value="r"/></mbs>)xml";

TEST_P(Steps, ReportAFailureOfTheSolver) {
  const Fmu bomb(explosive);
  Instance i(bomb, GetParam());
  ASSERT_EQ(i.start(), ok);
  ASSERT_EQ(i.step(0.0, 0.5), ok);
  EXPECT_NEAR(i["y"], 2.0, 1e-4);
  const int status = i.step(0.5, 2.0);
  EXPECT_EQ(status, GetParam() == 2 ? discard : error);
  EXPECT_NE(i.said().find("t = "), std::string::npos) << i.said();
  EXPECT_TRUE(std::isfinite(i["y"]));
  if (GetParam() == 2) {
    double last = 0.0;
    EXPECT_EQ(runtime().fmi2.GetRealStatus(i.handle, fmi2LastSuccessfulTime, &last), fmi2OK);
    EXPECT_GT(last, 0.5);
    EXPECT_LT(last, 1.001);
    EXPECT_EQ(i["time"], last);
    int terminated = -1;
    EXPECT_EQ(runtime().fmi2.GetBooleanStatus(i.handle, fmi2Terminated, &terminated), fmi2OK);
    EXPECT_EQ(terminated, 0);
    fmi2Status of_step = fmi2OK;
    EXPECT_EQ(runtime().fmi2.GetStatus(i.handle, fmi2DoStepStatus, &of_step), fmi2OK);
    EXPECT_EQ(of_step, fmi2Discard);
    EXPECT_EQ(runtime().fmi2.GetRealStatus(i.handle, fmi2Terminated, &last), fmi2Discard);
  }
  // Calls that are still allowed (FMI 2.0.5, 4.2.4; FMI 3.0.2, 2.3): y' = r^2, d r'/d r = 2 r, y''
  // = 2 r^3.
  const double r = i["y"], one = 1.0;
  const std::uint32_t y = bomb.description["y"], known = bomb.description["r"];
  const std::uint32_t unknown = bomb.description["der(r)"];
  const std::uint32_t both[] = {y, y};
  const int orders[] = {1, 2};
  double slope = NAN, derivatives[2] = {NAN, NAN};
  if (GetParam() == 2) {
    const Functions2& f = runtime().fmi2;
    EXPECT_EQ(f.GetDirectionalDerivative(i.handle, &unknown, 1, &known, 1, &one, &slope), fmi2OK);
    EXPECT_EQ(f.GetRealOutputDerivatives(i.handle, both, 2, orders, derivatives), fmi2OK);
  } else {
    const Functions3& f = runtime().fmi3;
    EXPECT_EQ(f.GetDirectionalDerivative(i.handle, &unknown, 1, &known, 1, &one, 1, &slope, 1),
              fmi3OK);
    EXPECT_EQ(f.GetOutputDerivatives(i.handle, both, 2, orders, derivatives, 2), fmi3OK);
  }
  EXPECT_NEAR(slope, 2.0 * r, 1e-12 * r);
  EXPECT_NEAR(derivatives[0], r * r, 1e-9 * r * r);  // by differences
  EXPECT_NEAR(derivatives[1], 2.0 * r * r * r, 1e-6 * r * r * r);
  // In other states the same values can be read.
  void* state = nullptr;
  ASSERT_EQ(i.get_state(&state), ok);
  Instance other(bomb, GetParam());
  ASSERT_EQ(other.set_state(state), ok);
  expect_same_bits(other.all(), i.all());
  EXPECT_EQ(i.terminate(), GetParam() == 2 ? ok : error);
  EXPECT_EQ(other.step(other["time"], 1e-3), error);
  EXPECT_EQ(other.free_state(&state), ok);
  EXPECT_EQ(i.reset(), ok);
  EXPECT_EQ(i.start(), ok);
  EXPECT_EQ(i.step(0.0, 0.5), ok);
}

TEST_P(Steps, AnEarlierStateCanBeRestoredAfterAFailure) {
  const Fmu bomb(explosive);
  Instance i(bomb, GetParam());
  ASSERT_EQ(i.start(), ok);
  ASSERT_EQ(i.step(0.0, 0.5), ok);
  void* state = nullptr;
  ASSERT_EQ(i.get_state(&state), ok);
  ASSERT_EQ(i.step(0.5, 0.25), ok);
  const std::vector<double> expected = i.all();
  ASSERT_NE(i.step(0.75, 2.0), ok);
  ASSERT_EQ(i.set_state(state), ok);
  ASSERT_EQ(i.step(0.5, 0.25), ok);
  expect_same_bits(i.all(), expected);
  EXPECT_EQ(i.free_state(&state), ok);
}

TEST_P(Steps, AnOutputThatIsNotANumberComesWithAWarning) {
  const Fmu odd(R"xml(<mbs name="Odd" version="1" planar="xy">
    <body name="b" mass="1 kg" inertia="1 kg.m^2"/> <free name="f" b="b"/>
    <input name="u" start="1"/> <output name="root" value="sqrt(u)"/></mbs>)xml");
  Instance i(odd, GetParam());
  ASSERT_EQ(i.set_up_and_enter(), ok);
  double value = 0.0;
  EXPECT_EQ(i.get("root", value), ok);
  EXPECT_EQ(i.set("u", -1.0), ok);
  EXPECT_EQ(i.get("root", value), warning);
  EXPECT_TRUE(std::isnan(value));
  EXPECT_NE(i.said().find("'root'"), std::string::npos);
}

}  // namespace
}  // namespace mbs::test
