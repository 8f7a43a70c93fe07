#pragma once

#include "tests/harness/ode.hpp"

namespace mbs::test {

// CVODE's Adams method with fixed-point iteration.
std::unique_ptr<Ode> make_cvode(OdeFunction function, std::size_t size, const OdeOptions& options);

}  // namespace mbs::test
