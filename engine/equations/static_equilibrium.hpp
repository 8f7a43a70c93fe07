#pragma once

// Static equilibrium: positions, first-order states, auxiliary unknowns and multipliers at which
// nothing moves.

#include <string>
#include <vector>

#include "engine/equations/initial.hpp"

namespace mbs {

struct Equilibrium {
  bool ok = false;
  std::string message;          // what failed, where, what to try
  int iterations = 0;           // of damped Newton
  int relaxations = 0;          // steps of dynamic relaxation
  double residual = 0.0;        // the largest force that is left, against the forces there
  std::string worst;            // on which coordinate
  std::vector<Movement> moved;  // positions and states, largest first
  // The parameters that were found (EquilibriumOptions::trims), and all with them.
  std::vector<Movement> trimmed;
  Parameters parameters;
};

// A parameter that is an unknown of the equilibrium.
struct Trim {
  int parameter;
  std::string name;
};

struct EquilibriumOptions {
  double tolerance = 1e-11;
  int max_iterations = 200;
  int max_relaxations = 20000;
  int states = -1;  // how many of r count, the first ones; the others are constant; -1: all
  // With these the exact conditions on positions hold at the equilibrium: as many as there are.
  std::vector<Trim> trims = {};
};

// x: assembled (initial.hpp). On success x is at rest, with a = 0 and multipliers and auxiliary
// unknowns to it; otherwise it is unchanged. With trims the parameters that belong to it are
// Equilibrium::parameters.
Equilibrium find_equilibrium(const Equations& equations, const Context& context, State& x,
                             const EquilibriumOptions& options = {});

}  // namespace mbs
