#pragma once

// The equations of motion linearised at a consistent state, in independent coordinates:
//
//   xi' = A xi + B du,   dy = C xi + D du,   xi = (eta, nu, rho)
//
// eta are independent ones of the position changes dq (dp = Z dq), nu independent ones of the
// velocity changes dv, rho the first-order states. What is independent is chosen by pivoting in the
// constraint matrix, scaled by the coordinates' sizes.

#include <string>
#include <vector>

#include "engine/equations/equations.hpp"

namespace mbs {

struct LinearSystem {
  Matrix A, B, C, D;
  std::vector<std::string> states, inputs, outputs;
  int eta = 0, nu = 0, rho = 0;
  Matrix dq, dv;                         // of all velocity coordinates, from xi
  std::vector<std::string> coordinates;  // their names
  Vector coordinate_scale;               // their typical sizes
};

struct LineariseOptions {
  int states = -1;  // how many of r count, the first ones; the others are held; -1: all
};

// x: consistent, with accelerations, multipliers and auxiliary unknowns. Throws std::runtime_error
// that says which rows or names are at fault: values that are no numbers, constraints that depend
// on each other, inputs that move constraints, accelerations that are not determined.
LinearSystem linearise(const Equations& equations, const Context& context, const State& x,
                       const LineariseOptions& options = {});

// The largest acceleration, speed and rate of r at x, by name: what keeps it from being an
// equilibrium. Empty when all are below `tolerance` of their typical sizes (per s and per s^2).
std::string unrest(const Equations& equations, const Context& context, const State& x,
                   double tolerance = 1e-6, int states = -1);

}  // namespace mbs
