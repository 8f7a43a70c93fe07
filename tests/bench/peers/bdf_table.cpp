#include "tests/bench/peers/bdf_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "tests/bench/bdf/template_run.hpp"
#include "tests/bench/peers/sweep.hpp"

namespace mbs::test {
namespace {

constexpr int first_level = 3, last_level = 7;  // err_p = 1e-3 ... 1e-7

struct Ratios {
  double log_sum = 0.0, most = 0.0;
  int count = 0;
  void add(double ratio) {
    log_sum += std::log(ratio);
    most = std::max(most, ratio);
    ++count;
  }
  void print(const char* what) const {
    if (count == 0) return;
    std::printf("%s: geometric mean %.2f, at most %.2f, of %d\n", what, std::exp(log_sum / count),
                most, count);
  }
};

Problem problem_or_template(const std::string& name) {
  const bool carriage = name == "railway_carriage";
  if (!carriage && name != "passenger_car") return make_problem(name);
  Problem problem = template_problem(name, carriage ? 15.0 : 5.0);
  find_reference(problem);
  return problem;
}

using CostAt = std::optional<Cost> (*)(const Curve&, double);

Curve counts(const Sweep& sweep, long PeerRun::*count) {
  Curve curve;
  for (const PeerRun& run : sweep.runs) {
    if (run.ok) curve.push_back({run.err_p, static_cast<double>(run.*count)});
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

}  // namespace

void print_bdf(const std::vector<std::string>& problems) {
  std::printf(
      "| problem | err_p | steps | IDA | residuals | IDA | factorisations | IDA | ms | IDA | "
      "ratio | (cheapest) |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  Ratios smooth, cheapest;
  for (const std::string& name : problems) {
    const PeerProblem problem(problem_or_template(name));
    const bool large = problem.start.p.size() > 1000;
    std::vector<Sweep> sweeps(2);
    sweeps[0].solver = make_our_solver(problem, "bdf");
    sweeps[1].solver = make_ida(problem, true);
    for (Sweep& sweep : sweeps) {
      sweep.per_decade = large ? 2 : 4;
      sweep.most_rounds = large ? 3 : 20;
      sweep.accurate_enough = 1e-8;
    }
    constexpr double seconds = 10.0;
    run_sweeps(sweeps, seconds);
    for (int level = first_level; level <= last_level; ++level) {
      const double error = std::pow(10.0, -level);
      const auto at = [&](CostAt cost, int k) {
        return cost(sweeps[static_cast<std::size_t>(k)].milliseconds(), error);
      };
      if (!at(smooth_cost, 0) || !at(smooth_cost, 1)) continue;
      std::printf("| %s | 1e-%d |", name.c_str(), level);
      for (const auto count : {&PeerRun::steps, &PeerRun::evaluations, &PeerRun::factorisations}) {
        for (const Sweep& sweep : sweeps) cell(" %.0f |", smooth_cost(counts(sweep, count), error));
      }
      for (int k = 0; k < 2; ++k) cell(" %.3g |", at(smooth_cost, k));
      const auto by_fit = ratio(at(smooth_cost, 0), at(smooth_cost, 1));
      const auto by_cheapest = ratio(at(cheapest_cost, 0), at(cheapest_cost, 1));
      cell(" %.2f |", by_fit);
      cell(" %.2f |", by_cheapest);
      std::printf("\n");
      if (by_fit) smooth.add(by_fit->value);
      if (by_cheapest) cheapest.add(by_cheapest->value);
    }
    std::fflush(stdout);
  }
  std::printf("\n");
  smooth.print("Ratio");
  cheapest.print("(cheapest)");
}

}  // namespace mbs::test
