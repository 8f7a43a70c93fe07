#pragma once

// A template of model_templates/ as Equations at its consistent start, and runs of the integrator
// `bdf` on it.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/integrators/bdf/bdf.hpp"
#include "tests/problems/problems.hpp"

namespace mbs::test {

using Words = std::vector<std::pair<std::string, std::string>>;  // options of <bdf>

// structure: structural parameters that are set, name and value; coordinates: instead of the
// model's own; t_end 0: the model's stop time. Throws std::runtime_error with the diagnostics when
// the model is not as it must be.
Problem template_problem(const std::string& name, double t_end,
                         const std::vector<std::pair<std::string, std::string>>& structure = {},
                         const std::string& coordinates = "");

struct BdfRun {
  Statistics statistics;
  BdfCounts counts;
  long difference_residuals = 0;  // spent on Jacobians
  int unknowns = 0;
  double error = 0.0;         // of p at the end, max |x - reference| / (1 + |reference|)
  double milliseconds = 0.0;  // of processor time

  long residuals() const { return statistics.force_evaluations; }
  long calls() const { return residuals() + difference_residuals; }
  double per_jacobian() const {
    return static_cast<double>(difference_residuals) / static_cast<double>(statistics.jacobians);
  }
};

// From the start to the end. Throws SolverFailure.
BdfRun run_bdf(const Problem& problem, double rtol, double atol, const Words& words);

// The runs at rtol = 1e-4, 1e-4.5 ... 1e-6, atol = rtol/10, as one: steps, operations and time.
// Single runs differ by chance where anything is done otherwise.
BdfRun sum_of_runs(const Problem& problem, const Words& words);

// All that stand in model_templates/, in the order of the alphabet.
std::vector<std::string> template_names();

// Gives a problem without one a reference at its end: by `radau` at 1e-10.
void find_reference(Problem& problem);

}  // namespace mbs::test
