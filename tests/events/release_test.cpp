// A stop lets go where its force comes to zero, also where that force begins smaller than what the
// integrator resolves: 2 kg x'' = 12 N/s t - f, f next to nothing, x = 1 m/s^3 t^3.

#include <gtest/gtest.h>

#include "tests/events/simulated.hpp"

namespace mbs::test {
namespace {

TEST(Release, AForceNextToNothingHoldsUntilItIsGone) {
  for (const char* coordinates : {"absolute", "joint", "mixed"}) {
    for (const std::string method : {"extrapolation", "midpoint", "radau", "bdf"}) {
      SCOPED_TRACE(coordinates + (" " + method));
      Simulation simulation = simulated(
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

}  // namespace
}  // namespace mbs::test
