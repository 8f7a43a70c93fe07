#pragma once

// Consistent initial values. From a guess of p and v to values that satisfy
//
//   0 = g(p,t), 0 = n(p), the conditions on p           Newton, Lubich et al. (1992), (2.9)-(2.11)
//   0 = G v + gI, the conditions on v                   (2.12)
//   the rank of G                                       rows left out, or a refusal, by policy
//   M a + G^T lambda = f, G a + gamma = 0               accelerations and multipliers
//   0 = d                                               w by Newton
//
// If a joint of the position found is half a turn off (Equations::choose_assembly_branch), the
// search starts again with that joint turned. Between velocities and accelerations
// Equations::initialize_memory stores the values that the equations remember of the start.
//
// Exact targets are rows of conditions. Conditions that are guesses come first, together with all
// else, in the sense of least squares where they contradict; then constraints and exact conditions
// alone. Everything moves as little as possible, measured by M.

#include <string>
#include <vector>

#include "engine/equations/equations.hpp"

namespace mbs {

struct Movement {
  std::string name;  // "rod.phi"
  double from, to;
};

struct InitialReport {
  bool ok = false;
  std::string message;  // what failed, where (names of joints), residual, what to try
  double position_residual = 0.0, velocity_residual = 0.0;
  int iterations = 0;
  std::vector<Movement> moved_p, moved_v;  // beyond the tolerance, largest first
  std::vector<Movement> missed;            // guessed conditions and what remains of them
  std::vector<Movement> trimmed;           // parameters that were found with the equilibrium
  // Rows that depend on others (by name of their joint), with whether they contradict; how many
  // could be left out, and whose are left out (Structure::Redundancy).
  std::vector<std::string> redundant;
  bool contradictory = false;
  int redundant_rows = 0;
  std::vector<std::string> dropped;
  // The joints whose rows the model leaves out by name, and how many.
  std::vector<std::string> named;
  int named_rows = 0;
  // Constraints and exact conditions that have to determine the start (InitialOptions::complete)
  // may leave motions free: how many, and the coordinates that take part; conditions that others
  // imply.
  int free_motions = 0;
  std::vector<std::string> undetermined, implied;
  std::string text() const;  // several lines, for a person
};

struct InitialOptions {
  // The role of exact conditions together with the constraints. fill: coordinates that they leave
  // free move as little as possible; complete: they determine the start, as GEINIVAL has it: more
  // of them than needed must agree, and with too few the values given are only checked; given:
  // these are only checked in any case.
  enum class Conditions : unsigned char { fill, complete, given } conditions = Conditions::fill;
  double tolerance = 1e-10;  // on scaled residuals
  int max_iterations = 100;
};

// Makes x consistent at x.t; x is unchanged when the report is not ok.
InitialReport make_consistent(const Equations& equations, const Context& context, State& x,
                              const InitialOptions& options = {});

// a, lambda and w at consistent p and v, by Newton when f depends on lambda. False when the saddle
// matrix is singular or Newton fails. Does not allocate.
bool solve_accelerations(const Equations& equations, const Context& context, State& x,
                         Workspace& ws, SaddleSolver& solver);
// For a caller whose ws has the position (M and G) and velocity stages of x already; `drift` is
// added to gamma.
bool solve_accelerations_here(const Equations& equations, const Context& context, State& x,
                              Workspace& ws, SaddleSolver& solver, const Vector* drift = nullptr);

}  // namespace mbs
