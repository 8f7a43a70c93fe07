#pragma once

#include <string>

#include "engine/equations/equations.hpp"

namespace mbs {

// Why there is no static equilibrium near x, where something remains that nothing holds: the motion
// that would begin there goes on with about the same force however far. Empty: that is not so.
// scale: of the velocity coordinates, as of coordinate_scale.
std::string runs_away(const Equations& equations, const Given& given, const State& x,
                      const Vector& scale);

}  // namespace mbs
