#pragma once

// How a model is to be solved.

#include <string>
#include <vector>

#include "engine/equations/initial.hpp"
#include "engine/equations/static_equilibrium.hpp"
#include "engine/integrators/base/integrator.hpp"
#include "engine/model/model.hpp"

namespace mbs {

struct SolverChoice {
  std::string method = "auto";
  IntegratorOptions options;
  std::vector<OwnTolerance> own_tolerances;  // 0: as the options say
  bool statics = false;                      // initialise() goes on to the static equilibrium
  std::vector<Trim> trims;                   // with it: parameters that are found there
  InitialOptions::Conditions conditions = InitialOptions::Conditions::fill;  // on initial values
  int event_points = 0;  // where each step is looked at for events; 0: chosen from its order
};
// The choice that the model file asks for.
SolverChoice solver_choice(const SolverSettings& settings);
SolverChoice solver_choice(const Model& model);  // with how it starts
// An equilibrium is one of forces, whatever they follow; targets may be expressions of inputs.
bool start_follows_inputs(const Model& model);
std::vector<Trim> trims_of(const Model& model);
InitialOptions::Conditions conditions_of(const Model& model);

// Tolerances by name become tolerances per component.
void give_own_tolerances(const Equations& equations, SolverChoice& solver);

}  // namespace mbs
