#pragma once

// A template of model_templates/ as Equations at its consistent start, and runs of the integrator
// `bdf` on it.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/integrators/bdf/integrator.hpp"
#include "tests/bench/peers/curve.hpp"
#include "tests/problems/problems.hpp"

namespace mbs::test {

using Keywords = std::vector<std::pair<std::string, std::string>>;  // options of <bdf>

// structure: structural parameters that are set, name and value; coordinates: instead of the
// model's own; t_end 0: the model's stop time. Throws std::runtime_error with the diagnostics when
// the model is not as it must be.
using Structure = std::vector<std::pair<std::string, std::string>>;
Problem template_problem(const std::string& name, double t_end, const Structure& structure = {},
                         const std::string& coordinates = "");
// The problem of any model file.
Problem problem_of_file(const std::string& path, double t_end, const Structure& structure = {},
                        const std::string& coordinates = "");

struct BdfRun {
  Statistics statistics;
  bdf::Counts counts;
  long difference_residuals = 0;  // spent on Jacobians
  int unknowns = 0;
  double error = 0.0;         // of p at the end, max |x - reference| / (1 + |reference|)
  double track_error = 0.0;   // the same, the largest along the track
  double milliseconds = 0.0;  // of processor time

  long residuals() const { return statistics.force_evaluations; }
  long calls() const { return residuals() + difference_residuals; }
  double per_jacobian() const {
    return static_cast<double>(difference_residuals) / static_cast<double>(statistics.jacobians);
  }
};

// Positions along a motion, at equal distances in time up to the end. Where a motion is not
// smooth, errors at one point are a matter of chance; the largest of many are hardly.
using Track = std::vector<Vector>;
Track find_track(const Problem& problem, int points);  // by `radau` at 1e-10

// Runs a problem from its start to its end. Throws SolverFailure.
BdfRun run_bdf(const Problem& problem, double rtol, double atol, const Keywords& keywords,
               const Track& track = {});

// Runs at rtol = 10^-k, k = first, first + 1/2 ... last, atol = rtol / 10, with errors along the
// track: what is done at equal errors, as peers/curve.hpp has it. Of several rounds the least time.
struct WorkPrecision {
  std::vector<BdfRun> runs;

  void run(const Problem& problem, double first, double last, const Keywords& keywords,
           const Track& track);
  Curve curve(double (*cost)(const BdfRun&)) const;
  double mean_error() const;  // geometric
};

// The runs at rtol = 1e-4, 1e-4.5 ... 1e-6, atol = rtol/10, as one: steps, operations and time.
// Single runs differ by chance where anything is done otherwise.
BdfRun sum_of_runs(const Problem& problem, const Keywords& keywords);

// All that stand in model_templates/, in the order of the alphabet.
std::vector<std::string> template_names();

// Gives a problem without one a reference at its end: by `radau` at 1e-10.
void find_reference(Problem& problem);

}  // namespace mbs::test
