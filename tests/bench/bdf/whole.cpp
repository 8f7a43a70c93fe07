// Compares the phases that are found while running (phases="auto") with the plain cycle, on all
// templates: they must never cost more than 3 % above it.

#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include "tests/bench/bdf/tables.hpp"

namespace mbs::test {

void print_whole() {
  std::printf(
      "| template | unknowns | steps: plain | auto | operations: plain | auto | ratio | ms: plain "
      "| "
      "auto | ratio |\n|---|---|---|---|---|---|---|---|---|---|\n");
  for (const std::string& name : template_names()) {
    const Keywords plain_keywords{{"phases", "plain"}}, auto_keywords{};
    BdfRun plain, ours;
    try {
      const Problem problem = template_problem(name, 0.0);
      constexpr int rounds = 5;
      plain = sum_of_runs(problem, plain_keywords);
      ours = sum_of_runs(problem, auto_keywords);
      for (int round = 1; round < rounds; ++round) {
        plain.milliseconds =
            std::min(plain.milliseconds, sum_of_runs(problem, plain_keywords).milliseconds);
        ours.milliseconds =
            std::min(ours.milliseconds, sum_of_runs(problem, auto_keywords).milliseconds);
      }
    } catch (const std::exception& error) {
      std::printf("| %s | %s |\n", name.c_str(), error.what());
      continue;
    }
    std::printf("| %s | %d | %ld | %ld | %.3g | %.3g | %.3f | %.1f | %.1f | %.3f |\n", name.c_str(),
                plain.unknowns, plain.statistics.steps, ours.statistics.steps,
                plain.statistics.operations, ours.statistics.operations,
                ours.statistics.operations / plain.statistics.operations, plain.milliseconds,
                ours.milliseconds, ours.milliseconds / plain.milliseconds);
    std::fflush(stdout);
  }
}

}  // namespace mbs::test
