// Measures what dense output and root location add to the time of a run, sections 5.2 and 5.4 of
// Lubich et al. (1992) (there: dense output 19 %, roots 13 % on Andrews' mechanism; both together
// 18 % on the chain).
//
//   dense    every step: the interpolant made, all unknowns at 5 points
//   roots    every step looked at for changes of sign as a simulation does, roots located
//   roots/1  the same with the ends of steps alone
//
// Each time is the least of many rounds, which take the kinds in turn.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "engine/equations/initial.hpp"
#include "engine/events/root_finder.hpp"
#include "tests/problems/problems.hpp"

namespace mbs::test {
namespace {

enum Kind { plain, dense, roots, roots_at_ends, kinds };

struct Bench {
  Bench(const std::string& name, double tolerance, double end)
      : problem(make_problem(name)),
        parameters(problem.equations->default_parameters()),
        inputs(problem.equations->default_inputs(parameters)),
        t_end(end > 0.0 ? end : problem.t_end),
        x(problem.initial) {
    options.rtol = options.atol = tolerance;
    make_consistent(*problem.equations, context(), x);
    integrator = make_integrator("extrapolation", *problem.equations, context(), options);
    for (int k = 0; k < kinds; ++k)
      finders.emplace_back(*problem.equations, context(), options, k == roots_at_ends ? 1 : 0);
  }
  Context context() const { return {inputs, parameters}; }

  double milliseconds(Kind kind) {
    RootFinder& finder = finders[kind];
    found = steps = 0;
    const auto begin = std::chrono::steady_clock::now();
    integrator->start(x, 1e-3);
    if (kind >= roots) finder.start(integrator->state());
    while (integrator->state().t < t_end) {
      integrator->step(t_end);
      ++steps;
      const double a = integrator->step_begin(), b = integrator->state().t;
      if (kind == dense)
        for (int k = 1; k <= 5; ++k) integrator->interpolate(a + (b - a) * k / 6.0, false, y);
      if (kind >= roots) found += finder.examine(*integrator).size();
    }
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
        .count();
  }

  Problem problem;
  Parameters parameters;
  Inputs inputs;
  IntegratorOptions options;
  double t_end;
  State x, y;
  std::unique_ptr<Integrator> integrator;
  std::vector<RootFinder> finders;
  std::size_t found = 0, steps = 0;
};

void run(const std::string& name, double tolerance, double end, int rounds) {
  Bench bench(name, tolerance, end);
  std::vector<double> least(kinds, 1e9);
  std::size_t found[kinds] = {};
  for (int round = 0; round < rounds; ++round) {
    for (int k = 0; k < kinds; ++k) {
      const auto at = static_cast<std::size_t>(k);
      least[at] = std::min(least[at], bench.milliseconds(static_cast<Kind>(k)));
      found[k] = bench.found;
    }
  }
  std::printf("%-9s %7.0e %6zu %10.3f |", name.c_str(), tolerance, bench.steps, least[plain]);
  for (const Kind k : {dense, roots, roots_at_ends})
    std::printf(" %9.1f %%", 100.0 * (least[k] / least[plain] - 1.0));
  std::printf(" | %5zu %5zu\n", found[roots], found[roots_at_ends]);
}

}  // namespace
}  // namespace mbs::test

int main() {
  std::printf("%-9s %7s %6s %10s | %11s %11s %11s | %s\n", "problem", "tol", "steps", "ms", "dense",
              "roots", "roots/1", "found");
  for (const double tolerance : {1e-3, 1e-5, 1e-7, 1e-9})
    mbs::test::run("andrews", tolerance, 0.0, 400);
  for (const double tolerance : {1e-3, 1e-5, 1e-7}) mbs::test::run("insul32", tolerance, 0.2, 30);
}
