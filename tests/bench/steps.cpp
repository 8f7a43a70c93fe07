// Measures the cost of a step of radau by the size of the model: the insulator chain, and the chain
// of parallelograms with redundant rows. It is the processor time of the cheapest of some steps.

#include <algorithm>
#include <cstdio>
#include <ctime>

#include "tests/multibody/redundant_chain.hpp"
#include "tests/problems/problems.hpp"

namespace {

using namespace mbs;
using namespace mbs::test;

// Milliseconds.
double cheapest_step(Integrator& integrator, double t_end) {
  double least = 1e300;
  for (int i = 0; i < 16 && integrator.state().t < t_end; ++i) {
    const std::clock_t begin = std::clock();
    integrator.step(t_end);
    if (i < 4) continue;
    least = std::min(least, 1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  return least;
}

double insulator_chain(int links) {
  const Problem problem = make_problem("insul" + std::to_string(links));
  const Equations& equations = *problem.equations;
  const Parameters parameters = equations.default_parameters();
  const Inputs inputs = equations.default_inputs(parameters);
  const Context context{inputs, parameters};
  const auto ws = equations.make_workspace();
  const auto solver = equations.make_solver("auto");
  State x = problem.initial;
  if (!solve_accelerations(equations, context, x, *ws, *solver)) return 0.0;
  IntegratorOptions options;
  options.rtol = options.atol = 1e-5;
  const auto integrator = make_integrator("radau", equations, context, options);
  integrator->start(x);
  return cheapest_step(*integrator, problem.t_end);
}

}  // namespace

int main() {
  std::printf("insulator chain: links, ms a step, us a link\n");
  for (const int links : {16, 64, 256, 1024}) {
    const double ms = insulator_chain(links);
    std::printf("%6d %9.3f %9.2f\n", links, ms, 1e3 * ms / links);
  }
  std::printf("parallelograms in space: number, redundant rows, ms a step\n");
  for (const int cells : {16, 32, 64}) {
    ChainRun run(cells, true, "radau", 1e-5);
    std::printf("%6d %6d %9.2f\n", cells, 3 * cells, cheapest_step(*run.integrator, 10.0));
  }
}
