// The reductions to independent coordinates: the battery of all integrators for each method.

#include "engine/integrators/reduction/integrator.hpp"

#include "tests/integrators/battery_accuracy.hpp"
#include "tests/integrators/battery_contract.hpp"
#include "tests/integrators/battery_events.hpp"

namespace mbs::test {

INSTANTIATE_TEST_SUITE_P(Reduction, IntegratorBattery,
                         testing::Values("reduction", "reduction method=svd",
                                         "reduction method=nullspace",
                                         "reduction method=nullspace position_correction=false",
                                         "reduction method=stabilized", "reduction method=hybrid"));

}  // namespace mbs::test
