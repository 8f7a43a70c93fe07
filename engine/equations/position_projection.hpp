#pragma once

// Positions that satisfy 0 = g, 0 = n and the conditions, next to a guess in the metric of M: the
// first part of consistent initial values. With Conditions::all, which may contradict, one try, and
// what comes nearest.

#include "engine/equations/initial.hpp"
#include "engine/equations/initial_rows.hpp"

namespace mbs {

struct PositionResult {
  State x;
  bool found = false;
  double residual = 0.0;  // scaled
  int iterations = 0;
  bool stationary = false;  // not found: no direction reduces the residual
};

// x is the guess, its Euler parameters of norm 1; q as of coordinate_scale.
PositionResult project_position(const Equations&, const Context&, const State& x, Workspace&,
                                const Vector& q, const InitialOptions&,
                                Conditions = Conditions::exact);

}  // namespace mbs
