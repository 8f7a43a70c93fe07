#pragma once

// xi' = A xi at a state that moves, from the residuals alone: for each change of the independent
// coordinates positions, velocities, accelerations and rates are solved for by dense least squares,
// and the rates of these coordinates differenced. What is independent is taken from `system`: where
// things move A depends on it, its coordinates being curved in each other's.

#include "engine/analysis/linearise.hpp"
#include "tests/multibody/assembled.hpp"

namespace mbs::test {

Matrix moving_linearisation(const Assembled& model, const State& x, const LinearSystem& system);

}  // namespace mbs::test
