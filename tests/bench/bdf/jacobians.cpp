// Tables 1 to 3 of Arnold et al. (2006): what ways to a Jacobian save. Ratios are to the first row,
// DASSL with full differences (16).

#include <cmath>
#include <cstdio>
#include <iterator>

#include "tests/bench/bdf/tables.hpp"

namespace mbs::test {
namespace {

void print_ways(const Problem& problem, double rtol, double atol, const char* formalism) {
  struct Way {
    const char *title, *jacobian, *update, *corrector;
  };
  const Way ways[] = {{"dense", "differences", "none", "dassl"},
                      {"sparse", "groups", "none", "dassl"},
                      {"dense, partitioned", "differences", "partitioned", "dassl"},
                      {"sparse, partitioned", "groups", "partitioned", "dassl"},
                      {"dense, extended", "differences", "extended", "dassl"},
                      {"sparse, extended", "groups", "extended", "dassl"},
                      {"exact", "exact", "none", "dassl"},
                      {"exact, partitioned", "exact", "partitioned", "dassl"},
                      {"auto, differences", "groups", "partitioned", "auto"},
                      {"auto", "exact", "partitioned", "auto"}};
  std::printf(
      "\n%s, %s formalism, rtol = %.0e, atol = %.0e\n\n| | calls | without those for Jacobians | "
      "Jacobians | updates | calls per Jacobian | steps | error | calls, %% | Jacobians, %% | "
      "time, "
      "%% |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
      problem.name.c_str(), formalism, rtol, atol);
  BdfRun first;
  for (const Way& way : ways) {
    BdfRun run;
    for (int round = 0; round < 3; ++round) {
      const BdfRun next = run_bdf(problem, rtol, atol,
                                  {{"formalism", formalism},
                                   {"jacobian", way.jacobian},
                                   {"update", way.update},
                                   {"corrector", way.corrector}});
      if (round == 0 || next.milliseconds < run.milliseconds) run = next;
    }
    if (&way == ways) first = run;
    const auto percent = [](double a, double b) { return 100.0 * a / b; };
    std::printf("| %s | %ld | %ld | %ld | %ld | %.1f | %ld | %.1e | %.1f | %.1f | %.1f |\n",
                way.title, run.calls(), run.residuals(), run.statistics.jacobians,
                run.statistics.updates, run.per_jacobian(), run.statistics.steps, run.error,
                percent(static_cast<double>(run.calls()), static_cast<double>(first.calls())),
                percent(static_cast<double>(run.statistics.jacobians),
                        static_cast<double>(first.statistics.jacobians)),
                percent(run.milliseconds, first.milliseconds));
    std::fflush(stdout);
  }
}

// The ways of Table 3 at the same errors along the motion: what they save.
void print_car_at_equal_errors(const Problem& car) {
  struct Way {
    const char* title;
    Keywords keywords;
  };
  const Way ways[] = {{"dense", {{"corrector", "dassl"}, {"jacobian", "differences"}}},
                      {"sparse, extended",
                       {{"corrector", "dassl"}, {"jacobian", "groups"}, {"update", "extended"}}},
                      {"auto, sparse, extended", {{"jacobian", "groups"}, {"update", "extended"}}},
                      {"auto, differences", {{"jacobian", "groups"}}},
                      {"auto", {}}};
  constexpr std::size_t count = std::size(ways);
  const Track track = find_track(car, 100);
  WorkPrecision done[count];
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < count; ++i) {
      Keywords keywords = ways[i].keywords;
      keywords.emplace_back("formalism", "explicit");
      done[i].run(car, 3.0, 6.0, keywords, track);
    }
  }
  using Count = double (*)(const BdfRun&);
  const Count costs[] = {
      [](const BdfRun& r) { return static_cast<double>(r.calls()); },
      [](const BdfRun& r) { return static_cast<double>(r.statistics.steps); },
      [](const BdfRun& r) { return static_cast<double>(r.statistics.jacobians); },
      [](const BdfRun& r) { return r.milliseconds; }};
  std::printf(
      "\nAt equal errors along the motion, rtol = 1e-3 ... 1e-6, atol = rtol / 10\n\n"
      "| | error at equal tolerances, by that of dense | at error | calls | steps | Jacobians | ms "
      "| Jacobians, %% | time, %% |\n|---|---|---|---|---|---|---|---|---|\n");
  for (std::size_t i = 0; i < count; ++i) {
    for (int level = 4; level <= 6; ++level) {
      double found[2][std::size(costs)];
      for (std::size_t k = 0; k < std::size(costs); ++k) {
        for (const std::size_t j : {std::size_t{0}, i}) {
          const auto cost = smooth_cost(done[j].curve(costs[k]), std::pow(10.0, -level));
          found[j == i][k] = cost ? cost->value : 0.0;
        }
        if (i == 0) found[0][k] = found[1][k];
      }
      std::printf("| %s | %.2f | 1e-%d | %.0f | %.0f | %.1f | %.0f | %.1f | %.1f |\n",
                  ways[i].title, done[i].mean_error() / done[0].mean_error(), level, found[1][0],
                  found[1][1], found[1][2], found[1][3], 100.0 * found[1][2] / found[0][2],
                  100.0 * found[1][3] / found[0][3]);
    }
  }
}

}  // namespace

void print_carriage() {
  Problem problem = template_problem("railway_carriage", 15.0);
  find_reference(problem);
  for (const char* formalism : {"explicit", "residual"}) {
    print_ways(problem, 1e-4, 1e-4, formalism);
  }
}

void print_car() {
  Problem problem = template_problem("passenger_car", 5.0);
  find_reference(problem);
  for (const char* formalism : {"explicit", "residual"}) {
    print_ways(problem, 1e-4, 1e-5, formalism);
  }
  print_car_at_equal_errors(problem);
}

void print_rig() {
  Problem problem = template_problem("axle_rig", 10.0);
  find_reference(problem);
  print_ways(problem, 1e-4, 1e-6, "explicit");
}

void print_pendulums() {
  for (const char* name : {"exchB8", "exchB16"})
    print_ways(make_problem(name), 1e-4, 1e-6, "explicit");
}

}  // namespace mbs::test
