#pragma once

// Three derivatives of an expression along a line x + tau x': the geometry of curves and surfaces,
// whose curvature is differentiated once more in exact Jacobians.

#include <array>
#include <span>

#include "engine/model/expression.hpp"

namespace mbs {

// f, f', f'', f''' with respect to tau at 0.
std::array<double, 4> series_along(const Expression& f, std::span<const double> x,
                                   std::span<const double> x1);

}  // namespace mbs
