#pragma once

// SUNDIALS' serial vector with operations of our own, compiled as our integrators are. Debian's
// packages are compiled without optimisation (functions keep every value on the stack), and with
// its own operations CVODE would spend two thirds of its time in them.

#include "tests/bench/peers/solver.hpp"
#include "tests/bench/peers/sundials.hpp"

namespace mbs::test {

// Clones have the same operations.
NVector make_vector(Eigen::Index size, SUNContext context, Vectors kind = Vectors::optimised);

}  // namespace mbs::test
