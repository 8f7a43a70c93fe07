// Measures the cost of a step by the size of the model: chains, and a train of vehicles. It is the
// processor time of whole runs by their steps, so with all Jacobians and factorisations; the least
// of some rounds counts.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "tests/bench/bdf/tables.hpp"

namespace mbs::test {
namespace {

struct Family {
  const char* title;
  std::vector<int> sizes;
  double end;
  Problem (*problem)(int size);
  int bodies;  // of each
};

void print_family(const Family& family) {
  constexpr int rounds = 3;
  std::vector<BdfRun> runs(family.sizes.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      Problem problem = family.problem(family.sizes[i]);
      problem.reference.reset();
      problem.t_end = family.end;
      const BdfRun run = run_bdf(problem, 1e-4, 1e-5, {});
      if (round == 0 || run.milliseconds < runs[i].milliseconds) runs[i] = run;
    }
  }
  const auto per_step = [&](std::size_t i) {
    return runs[i].milliseconds / static_cast<double>(runs[i].statistics.steps);
  };
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const int bodies = family.bodies * family.sizes[i];
    std::printf(
        "| %s | %d | %d | %ld | %.2f | %.4f | %.2f |", family.title, bodies, runs[i].unknowns,
        runs[i].statistics.steps,
        static_cast<double>(runs[i].residuals()) / static_cast<double>(runs[i].statistics.steps),
        per_step(i), 1e3 * per_step(i) / bodies);
    if (i > 0) {
      std::printf(" %.3f |\n",
                  std::log(per_step(i) / per_step(i - 1)) /
                      std::log(static_cast<double>(family.sizes[i]) / family.sizes[i - 1]));
    } else {
      std::printf(" - |\n");
    }
  }
  std::fflush(stdout);
}

}  // namespace

void print_sizes() {
  std::printf(
      "| | bodies | unknowns | steps | residuals a step | ms a step | us a step and body | "
      "exponent "
      "|\n|---|---|---|---|---|---|---|---|\n");
  print_family({"insulator chain",
                {16, 64, 256, 1024},
                0.05,
                [](int n) { return make_problem("insul" + std::to_string(n)); },
                1});
  print_family({"road train",
                {1, 4, 16, 64},
                1.0,
                [](int n) {
                  return problem_of_file(MBS_ROAD_TRAIN, 0.0, {{"N", std::to_string(n)}});
                },
                9});
}

}  // namespace mbs::test
