#pragma once

// The problems one by one; `make_problem` gives them their initial values, ends and references.

#include <memory>

#include "engine/equations/equations.hpp"

namespace mbs::test {

std::unique_ptr<Equations> make_andrews();
std::unique_ptr<Equations> make_pendulum(double g, const Eigen::Vector2d& p0,
                                         const Eigen::Vector2d& v0);
std::unique_ptr<Equations> make_drum(double mu);

}  // namespace mbs::test
