#pragma once

#include <string>

#include "engine/equations/equations.hpp"

namespace mbs {

// Why there is no static equilibrium near x, where something remains that nothing holds: the motion
// that would begin there goes on with about the same force however far. Empty: that is not so.
// scale: of the velocity coordinates, as of coordinate_scale.
std::string unrestrained_motion(const Equations& equations, const Context& context, const State& x,
                                const Vector& scale);

}  // namespace mbs
