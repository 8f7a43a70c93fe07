#pragma once

// Like influence.hpp, for the rest that a model with <init method="statics"> begins with: what
// moves it, at points that need be no rest themselves (rest_equations.hpp).
//
// Where points are no rest, something that does nothing to a rest may seem to act: a factor of
// what is zero there.

#include <span>

#include "engine/analysis/influence.hpp"
#include "engine/equations/static_equilibrium.hpp"

namespace mbs {

// Rows: p, r, the trims; y; two of zeros; contacts, and zeros after them. Columns: u; time; the
// parameters; contacts. Each contact counts as two: its normal and its tangents. Their rows: what
// they bear, the gap and the law of friction. Their columns: what they do as the contact opens or
// closes, sticks or bears less. Empty when it cannot be told.
Influence find_rest_influence(const Equations& equations, const Equations& blurred,
                              const Context& context, const State& x,
                              std::span<const KnownParameter> parameters,
                              std::span<const Trim> trims);

}  // namespace mbs
