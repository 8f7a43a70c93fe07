// Events in an FMU (D11): the log, counters as outputs, one that ends the simulation.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/fmu_src/fmu.hpp"

namespace mbs::test {
namespace {

// x = sin(w t) / w with w^2 = 40, which turns after a quarter of its period, and ends at x < -0.1.
constexpr const char* oscillator = R"(<?xml version="1.0" encoding="UTF-8"?>
<mbs name="Swing" version="1" planar="xy">
  <body name="mass" mass="1 kg"/>
  <prismatic name="rail" a="ground" b="mass" axis="x" qd="1 m/s"/>
  <frame name="wall" pos="-1 m, 0"/>
  <spring name="spring" a="wall" b="mass" stiffness="40 N/m" length="1 m"/>
  <event name="turn" when="rail.qd == 0"/>
  <event name="end" when="rail.q &lt; -0.1 m" terminate="true"/>
  <output name="x" of="rail" quantity="q"/>
  <output name="turns" of="turn" quantity="events"/>
  <output name="last" of="turn" quantity="event_time"/>
  <solver rtol="1e-9" atol="1e-9"/>
</mbs>)";
const double w = std::sqrt(40.0), quarter = 0.5 * std::numbers::pi / w;
const double last = (std::numbers::pi + std::asin(0.1 * w)) / w;

class FmuEvents : public testing::TestWithParam<int> {
 protected:
  const Fmu fmu{oscillator};
  Instance instance{fmu, GetParam()};
  int turns() {
    std::int32_t value = -1;
    EXPECT_EQ(instance.get_integer("turns", value), ok);
    return value;
  }
};
INSTANTIATE_TEST_SUITE_P(fmi, FmuEvents, testing::Values(2, 3));

TEST_P(FmuEvents, are_logged_and_counted) {
  ASSERT_EQ(instance.start(), ok);
  ASSERT_EQ(instance.step(0.0, 0.2), ok);
  EXPECT_EQ(turns(), 0);
  instance.messages.clear();
  ASSERT_EQ(instance.step(0.2, 0.1), ok);
  EXPECT_EQ(turns(), 1);
  EXPECT_NEAR(instance["last"], quarter, 1e-8);
  ASSERT_EQ(instance.messages.size(), 1u);
  EXPECT_EQ(instance.messages[0].category, "logEvents");
  EXPECT_EQ(instance.messages[0].status, ok);
  EXPECT_NE(instance.said().find("event 'turn' at t = 0.248"), std::string::npos);
}

TEST_P(FmuEvents, can_end_the_simulation) {
  ASSERT_EQ(instance.start(), ok);
  ASSERT_EQ(instance.step(0.0, 0.5), ok);
  if (GetParam() == 2) {
    EXPECT_EQ(instance.step(0.5, 0.5), discard);
    const Functions2& f = runtime().fmi2;
    fmi2Boolean terminated = fmi2False;
    fmi2Real reached = 0.0;
    fmi2Status status = fmi2OK;
    ASSERT_EQ(f.GetBooleanStatus(instance.handle, fmi2Terminated, &terminated), fmi2OK);
    ASSERT_EQ(f.GetRealStatus(instance.handle, fmi2LastSuccessfulTime, &reached), fmi2OK);
    ASSERT_EQ(f.GetStatus(instance.handle, fmi2DoStepStatus, &status), fmi2OK);
    EXPECT_EQ(terminated, fmi2True);
    EXPECT_EQ(status, fmi2Discard);
    EXPECT_NEAR(reached, last, 1e-8);
  } else {
    fmi3Boolean event_needed = true, terminate = false, early = true;
    fmi3Float64 reached = 0.0;
    EXPECT_EQ(runtime().fmi3.DoStep(instance.handle, 0.5, 0.5, false, &event_needed, &terminate,
                                    &early, &reached),
              fmi3OK);
    EXPECT_TRUE(terminate);
    EXPECT_FALSE(event_needed);
    EXPECT_FALSE(early);
    EXPECT_NEAR(reached, last, 1e-8);
  }
  EXPECT_NEAR(instance["x"], -0.1, 1e-8);
  EXPECT_NEAR(instance["time"], last, 1e-8);
  EXPECT_EQ(instance.step(instance["time"], 0.1), error) << "there is no way on";
  if (GetParam() == 3) {
    EXPECT_NE(instance.said().find("ended the simulation"), std::string::npos);
  }
  ASSERT_EQ(instance.reset(), ok);
  ASSERT_EQ(instance.start(), ok);
  EXPECT_EQ(instance.step(0.0, 0.5), ok);
}

TEST_P(FmuEvents, come_again_after_a_state_is_restored) {
  ASSERT_EQ(instance.start(), ok);
  ASSERT_EQ(instance.step(0.0, 0.2), ok);
  void* state = nullptr;
  ASSERT_EQ(instance.get_state(&state), ok);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(instance.step(0.2, 0.1), ok);
    EXPECT_EQ(turns(), 1);
    EXPECT_NEAR(instance["last"], quarter, 1e-8);
    ASSERT_EQ(instance.set_state(state), ok);
    EXPECT_EQ(turns(), 0);
  }
  EXPECT_EQ(instance.free_state(&state), ok);
}

}  // namespace
}  // namespace mbs::test
