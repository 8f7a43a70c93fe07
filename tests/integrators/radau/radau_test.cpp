// The Integrator integrator: the battery of all integrators.

#include "engine/integrators/radau/integrator.hpp"

#include "tests/integrators/battery_accuracy.hpp"
#include "tests/integrators/battery_contract.hpp"
#include "tests/integrators/battery_events.hpp"

namespace mbs::test {

INSTANTIATE_TEST_SUITE_P(Radau, IntegratorBattery,
                         testing::Values("radau", "radau algebraic=qr differential=qr",
                                         "radau step_control=classical start_values=constant",
                                         "radau selectors=adapted newton_stage=0",
                                         "radau algebraic=svd selectors=every_step newton_stage=2",
                                         "radau structure=sparse", "radau form=index1"));

}  // namespace mbs::test
