// Solves contact problems that are given as text (engine/contact/problem_text.hpp) and prints one
// line each: contacts, whether a solution was found, the relative residual, the factorisations and
// the least processor time of several turns.

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>

#include "engine/contact/problem_text.hpp"
#include "engine/contact/solver.hpp"

int main(int argc, char** argv) {
  int found = 0, read = 0;
  std::printf("%-36s %8s %6s %10s %8s %10s\n", "problem", "contacts", "found", "relative",
              "factors", "ms");
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i]);
    const mbs::ContactProblemText text = mbs::read_contact_problem(file);
    if (!text.error.empty()) {
      std::printf("%s: %s\n", argv[i], text.error.c_str());
      continue;
    }
    double least = 1e300, all = 0.0;
    mbs::ContactSolution solution;
    for (int turn = 0; turn < 5 && all < 1e3; ++turn) {
      const std::clock_t begin = std::clock();
      solution = mbs::solve(text.problem);
      const double ms = 1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
      least = std::min(least, ms);
      all += ms;
    }
    ++read;
    found += solution.found ? 1 : 0;
    const std::string name = argv[i];
    std::printf("%-36s %8zu %6s %10.2e %8d %10.3f\n", name.substr(name.rfind('/') + 1).c_str(),
                text.problem.cones.size(), solution.found ? "yes" : "no",
                solution.certificate.relative(), solution.factorisations, least);
    std::fflush(stdout);
  }
  std::printf("%d of %d found\n", found, read);
}
