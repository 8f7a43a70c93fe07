// The BDF integrator: the battery, and what only it has.

#include "engine/integrators/bdf/bdf.hpp"
#include "tests/integrators/battery_accuracy.hpp"
#include "tests/integrators/battery_contract.hpp"

namespace mbs::test {

INSTANTIATE_TEST_SUITE_P(Bdf, IntegratorBattery, testing::Values("bdf"));

}  // namespace mbs::test
