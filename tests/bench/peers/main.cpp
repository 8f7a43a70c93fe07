// Our extrapolation integrators against known codes on Andrews' mechanism and the insulator chain:
// SUNDIALS, driven in the same run through the same Equations with the same linear algebra, and the
// counts of mexx-port and odex-idx1 in peers.csv. Prints tables for README.md, which says what is
// in them.   bench_peers [<problem>...]
//
// bench_peers baseline: see baseline.hpp
// bench_peers bdf [<problem>...]: see bdf_table.hpp
// bench_peers radau [<problem>...]: see radau_table.hpp

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "tests/bench/peers/baseline.hpp"
#include "tests/bench/peers/bdf_table.hpp"
#include "tests/bench/peers/known.hpp"
#include "tests/bench/peers/radau_table.hpp"
#include "tests/bench/peers/sweep.hpp"

namespace mbs::test {
namespace {

using CostAt = std::optional<Cost> (*)(const Curve&, double);

constexpr int first_level = 3, last_level = 9;  // err_p = 1e-3 ... 1e-9

const char* const our_names[] = {"extrapolation", "midpoint"};

bool ours(const Sweep& sweep) {
  return std::find(std::begin(our_names), std::end(our_names), sweep.solver->name()) !=
         std::end(our_names);
}

// Packaged or not makes no difference to counts.
bool shows_counts(const Sweep& sweep) {
  return !ours(sweep) && !sweep.solver->packaged();
}

std::vector<Sweep> make_sweeps(const PeerProblem& problem) {
  const bool large = problem.start.p.size() > 100;
  std::vector<Sweep> sweeps;
  const auto add = [&](std::unique_ptr<PeerSolver> solver, int per_decade, int rounds) {
    sweeps.emplace_back();
    sweeps.back().solver = std::move(solver);
    sweeps.back().per_decade = per_decade;
    sweeps.back().most_rounds = rounds;
  };
  constexpr int per_decade = 4;
  const int rounds = large ? 3 : 30;
  for (const char* name : our_names) add(make_our_solver(problem, name), per_decade, rounds);
  for (const Vectors vectors : {Vectors::packaged, Vectors::optimised}) {
    add(make_cvode_adams(problem, vectors), per_decade, rounds);
    add(make_arkode(problem, RungeKutta::dormand_prince54, vectors), per_decade, rounds);
  }
  add(make_arkode(problem, RungeKutta::fehlberg78, Vectors::optimised), 2, rounds);
  // Far slower: seen at fewer points.
  if (!large) add(make_ida(problem, false), 2, 3);
  add(make_ida(problem, true), large ? 1 : 2, large ? 1 : 3);
  return sweeps;
}

Curve known_factorisations(const KnownRuns& known, const std::string& problem,
                           const std::string& solver) {
  Curve curve;
  for (const KnownRun& run : known.of(problem, solver)) {
    curve.push_back({run.err_p, static_cast<double>(run.factorisations(solver))});
  }
  return curve;
}

void cell(const char* format, const std::optional<Cost>& cost) {
  if (cost) {
    std::printf(format, cost->value);
  } else {
    std::printf(" - |");
  }
}

// Marked where it is above its bound.
void ratio_cell(const std::optional<Cost>& ratio, double bound) {
  if (!ratio) return cell("", ratio);
  const char* mark = ratio->value > bound ? "**" : "";
  std::printf(" %s%.2f%s", mark, ratio->value, mark);
  if (ratio->relative_error > 0.0) std::printf(" +- %.2f", ratio->value * ratio->relative_error);
  std::printf(" |");
}

// Quotients of counts with those of the same code in peers.csv, at the same tolerances.
void print_same_counts(const std::vector<Sweep>& sweeps, const KnownRuns& known,
                       const std::string& problem) {
  for (const Sweep& sweep : sweeps) {
    const std::string name = sweep.solver->name();
    struct Range {
      double least = std::numeric_limits<double>::infinity(), most = 0.0, log_sum = 0.0;
      void add(long a, long b) {
        const double q = static_cast<double>(a) / static_cast<double>(b);
        least = std::min(least, q), most = std::max(most, q), log_sum += std::log(q);
      }
    } steps, costs;
    int count = 0;
    const bool implicit = name.starts_with("ida");
    for (const KnownRun& run :
         shows_counts(sweep) ? known.of(problem, name) : std::vector<KnownRun>()) {
      for (const PeerRun& here : sweep.runs) {
        if (!here.ok || std::abs(std::log(here.tolerance / run.tolerance)) > 0.01) continue;
        ++count;
        // peers.csv counts ARKODE's attempts.
        steps.add(here.steps + (name.starts_with("arkode") ? here.rejected : 0), run.steps);
        costs.add(here.factorisations, implicit ? run.jacobians : run.right_hand_sides);
      }
    }
    if (count == 0) continue;
    std::printf("| %s | %s | %d | %.2f (%.2f ... %.2f) | %.2f (%.2f ... %.2f) |\n", problem.c_str(),
                name.c_str(), count, std::exp(steps.log_sum / count), steps.least, steps.most,
                std::exp(costs.log_sum / count), costs.least, costs.most);
  }
}

void print_counts(const std::vector<Sweep>& sweeps, const KnownRuns& known,
                  const std::string& problem) {
  struct Pair {
    const char *ours, *theirs;
    double bound;
  };
  const Pair pairs[] = {{"extrapolation", "mexx-port", 1.0}, {"midpoint", "odex-idx1", 1.1}};
  std::printf("\nFactorisations, %s (smooth; cheapest)\n\n| err_p |", problem.c_str());
  for (const Pair& pair : pairs)
    std::printf(" %s | %s | ratio | (cheapest) |", pair.ours, pair.theirs);
  for (const Sweep& sweep : sweeps) {
    if (shows_counts(sweep)) std::printf(" %s |", sweep.solver->name().c_str());
  }
  std::printf("\n|---|%s", "---|---|---|---|---|---|---|---|");
  for (const Sweep& sweep : sweeps) {
    if (shows_counts(sweep)) std::printf("---|");
  }
  std::printf("\n");
  for (int level = first_level; level <= last_level; ++level) {
    const double error = std::pow(10.0, -level);
    std::printf("| 1e-%d |", level);
    for (const Pair& pair : pairs) {
      const auto sweep = std::find_if(sweeps.begin(), sweeps.end(), [&](const Sweep& candidate) {
        return candidate.solver->name() == pair.ours;
      });
      const Curve a = sweep->factorisations();
      const Curve b = known_factorisations(known, problem, pair.theirs);
      cell(" %.0f |", smooth_cost(a, error));
      cell(" %.0f |", smooth_cost(b, error));
      ratio_cell(ratio(smooth_cost(a, error), smooth_cost(b, error)), pair.bound);
      ratio_cell(ratio(cheapest_cost(a, error), cheapest_cost(b, error)), pair.bound);
    }
    for (const Sweep& sweep : sweeps) {
      if (shows_counts(sweep)) cell(" %.0f |", smooth_cost(sweep.factorisations(), error));
    }
    std::printf("\n");
  }
}

// The least time of our solvers by the least of SUNDIALS' as packaged, or of all of them.
std::optional<Cost> time_ratio(const std::vector<Sweep>& sweeps, double error, bool as_packaged,
                               CostAt cost) {
  std::optional<Cost> best[2];
  for (const Sweep& sweep : sweeps) {
    if (as_packaged && shows_counts(sweep)) continue;
    std::optional<Cost>& least = best[ours(sweep) ? 0 : 1];
    const auto time = cost(sweep.milliseconds(), error);
    if (time && (!least || time->value < least->value)) least = time;
  }
  return ratio(best[0], best[1]);
}

void print_times(const std::vector<Sweep>& sweeps, const std::string& problem) {
  constexpr double bound = 1.5;
  std::printf("\nMilliseconds, %s (smooth)\n\n| err_p |", problem.c_str());
  for (const Sweep& sweep : sweeps) {
    std::printf(" %s%s |", sweep.solver->name().c_str(), sweep.solver->packaged() ? " (P)" : "");
  }
  std::printf(" ours / best (P) | (cheapest) | ours / best | (cheapest) |\n|---|---|---|---|---|");
  for (std::size_t k = 0; k < sweeps.size(); ++k) std::printf("---|");
  std::printf("\n");
  for (int level = first_level; level <= last_level; ++level) {
    const double error = std::pow(10.0, -level);
    std::printf("| 1e-%d |", level);
    for (const Sweep& sweep : sweeps) cell(" %.3g |", smooth_cost(sweep.milliseconds(), error));
    for (const bool as_packaged : {true, false}) {
      ratio_cell(time_ratio(sweeps, error, as_packaged, smooth_cost), bound);
      ratio_cell(time_ratio(sweeps, error, as_packaged, cheapest_cost), bound);
    }
    std::printf("\n");
  }
}

void print_baseline() {
  std::printf(
      "| problem | by | err_p | steps | residuals | Jacobians |\n|---|---|---|---|---|---|\n");
  for (const BaselineCase& c : baseline_cases) {
    for (const BaselineRatio& r : baseline_ratios(c)) {
      std::printf("| %s | %s | %.0e |", c.problem, c.solver, r.error);
      for (const auto& q : {r.steps, r.residuals, r.jacobians}) {
        std::printf(" %.2f +- %.2f |", q->value, q->value * q->relative_error);
      }
      std::printf("\n");
    }
  }
}

void print_all(const std::vector<std::string>& names) {
  const KnownRuns known(MBS_PEERS_CSV);
  std::vector<std::vector<Sweep>> all;
  std::vector<std::unique_ptr<PeerProblem>> problems;
  for (const std::string& name : names) {
    problems.push_back(std::make_unique<PeerProblem>(name));
    all.push_back(make_sweeps(*problems.back()));
    constexpr double seconds = 20.0;
    run_sweeps(all.back(), seconds);
  }
  std::printf("Counts here / in peers.csv: mean (least ... most)\n\n");
  std::printf("| problem | solver | tolerances | steps | right-hand sides; IDA: Jacobians |\n");
  std::printf("|---|---|---|---|---|\n");
  for (std::size_t k = 0; k < names.size(); ++k) print_same_counts(all[k], known, names[k]);
  for (std::size_t k = 0; k < names.size(); ++k) {
    print_counts(all[k], known, names[k]);
    print_times(all[k], names[k]);
  }
}

}  // namespace
}  // namespace mbs::test

int main(int count, char** arguments) {
  try {
    std::vector<std::string> names(arguments + 1, arguments + count);
    if (!names.empty() && names.front() == "baseline") {
      mbs::test::print_baseline();
      return 0;
    }
    if (!names.empty() && names.front() == "bdf") {
      names.erase(names.begin());
      if (names.empty()) {
        names = {"andrews",   "truckC",           "insul64",      "insul256",
                 "insul1024", "railway_carriage", "passenger_car"};
      }
      mbs::test::print_bdf(names);
      return 0;
    }
    if (!names.empty() && names.front() == "radau") {
      names.erase(names.begin());
      if (names.empty()) {
        names = {"pendulum", "andrews", "truckC", "insul16", "insul64", "insul256", "insul1024"};
      }
      mbs::test::print_radau(names);
      return 0;
    }
    if (names.empty()) names = {"andrews", "insul16", "insul64", "insul256"};
    mbs::test::print_all(names);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_peers: %s\n", error.what());
    return 1;
  }
}
