// A stop opens where its force comes to zero, also where that force begins smaller than the
// integrator resolves: 2 kg x'' = 12 N/s t - f, f close to zero, x = 1 m/s^3 t^3.

#include <gtest/gtest.h>

#include "tests/events/simulated.hpp"

namespace mbs::test {
namespace {

TEST(LiftOff, TinyForceKeepsAStopClosedUntilItIsZero) {
  for (const char* coordinates : {"absolute", "joint", "mixed"}) {
    for (const std::string method : {"extrapolation", "midpoint", "radau", "bdf"}) {
      SCOPED_TRACE(coordinates + (" " + method));
      CoSimulationDriver simulation = simulated(
          R"(<body name="block" mass="2 kg" inertia="1 kg.m^2"/>
<prismatic name="way" a="ground" b="block" axis="x"/><end_stop name="stop" joint="way" lower="0"/>
<force joint="way" value="12 N/s*time - 4e-11 N"/><output name="x" of="way" quantity="q"/>)",
          coordinates, "rtol=\"1e-7\" atol=\"1e-9\" method=\"" + method + "\"");
      simulation.advance(1.0);
      EXPECT_NEAR(simulation.output(0), 1.0, 1e-6);
      ASSERT_EQ(simulation.events().size(), 1u);
      EXPECT_NEAR(simulation.events()[0].t, 4e-11 / 12.0, 1e-13);
    }
  }
}

// A ball is lifted next to a heavy joint, 0.1 kg y'' = 2 N/s h - 3 N/s^2 h^2 with h = t - 0.5
// s, is back on its floor at h = 4/3 s, also where its first flight has grazed it.
TEST(LiftOff, BallThatHasGrazedReturnsToTheFloorLater) {
  for (const char* rtol : {"1e-4", "1e-6"}) {
    for (const std::string method : {"extrapolation", "midpoint", "radau", "bdf", "reduction"}) {
      SCOPED_TRACE(method + rtol);
      CoSimulationDriver simulation = simulated(
          R"(<gravity g="0, -10 m/s^2"/>
<body name="heavy" mass="1e5 kg" inertia="1 kg.m^2"/><prismatic name="way" a="ground" b="heavy" axis="x"/>
<particle name="ball" mass="0.1 kg"/><free name="fall" a="ground" b="ball"/>
<contact name="floor" a="ground" b="ball" normal="y"/>
<force on="ball" value="0, 1 N + 2 N/s*(time - 0.5 s) - 3 N/s^2*(time - 0.5 s)^2"/>
<output name="y" of="ball" quantity="position" component="y"/>)",
          "absolute",
          "max_step=\"0.1 s\" atol=\"1e-8\" rtol=\"" + std::string(rtol) + "\" method=\"" + method +
              "\"");
      simulation.advance(1.0);
      EXPECT_NEAR(simulation.output(0), 10.0 * (0.125 / 3.0 - 0.0625 / 4.0), 1e-4);
      simulation.advance(2.2);
      ASSERT_GE(simulation.events().size(), 1u);
      EXPECT_NEAR(simulation.events()[0].t, 0.5 + 4.0 / 3.0, 1e-3);
      EXPECT_NEAR(simulation.output(0), 0.0, 1e-8);
    }
  }
}

}  // namespace
}  // namespace mbs::test
