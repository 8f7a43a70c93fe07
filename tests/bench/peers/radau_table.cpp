#include "tests/bench/peers/radau_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "tests/bench/peers/known.hpp"
#include "tests/bench/peers/sweep.hpp"

namespace mbs::test {
namespace {

constexpr int first_level = 3, last_level = 9;  // err_p = 1e-3 ... 1e-9

void cell(const char* format, const std::optional<Cost>& cost) {
  if (cost) {
    std::printf(format, cost->value);
  } else {
    std::printf(" - |");
  }
}

struct Mean {
  double log_sum = 0.0, most = 0.0;
  int count = 0;
  void add(const std::optional<Cost>& ratio) {
    if (!ratio) return;
    log_sum += std::log(ratio->value);
    most = std::max(most, ratio->value);
    ++count;
  }
  void print(const char* what) const {
    if (count == 0) return;
    std::printf("%s: geometric mean %.2f, at most %.2f, of %d\n", what, std::exp(log_sum / count),
                most, count);
  }
};

// RADAU5 takes one right-hand side for each unknown p, v, lambda of a difference Jacobian.
Curve radau5(const KnownRuns& known, const PeerProblem& problem, const std::string& name) {
  const Sizes& n = problem.equations().sizes();
  Curve curve;
  for (const KnownRun& run : known.of(name, "radau5-idx2")) {
    const long differences = run.jacobians * (n.p + n.v + n.lambda);
    curve.push_back({run.err_p, static_cast<double>(run.right_hand_sides - differences)});
  }
  return curve;
}

std::optional<Cost> time_at(const Sweep& sweep, double error) {
  return smooth_cost(sweep.milliseconds(), error);
}

}  // namespace

void print_radau(const std::vector<std::string>& problems) {
  const KnownRuns known(MBS_PEERS_CSV);
  std::printf(
      "| problem | err_p | f | radau5-idx2 | ratio | ms | IDA dense | ratio | IDA KLU | ratio |\n"
      "|---|---|---|---|---|---|---|---|---|---|\n");
  Mean counts, dense, klu, best;
  for (const std::string& name : problems) {
    const PeerProblem problem(name);
    const auto unknowns = problem.start.p.size();
    const bool with_dense = unknowns<100, large = unknowns> 500;
    std::vector<Sweep> sweeps(with_dense ? 3 : 2);
    sweeps[0].solver = make_our_solver(problem, "radau");
    sweeps[1].solver = make_ida(problem, true);
    if (with_dense) sweeps[2].solver = make_ida(problem, false);
    for (Sweep& sweep : sweeps) {
      sweep.per_decade = large ? 1 : 2;
      sweep.most_rounds = large ? 1 : 10;
    }
    constexpr double seconds = 8.0;
    run_sweeps(sweeps, seconds);
    const Curve theirs = radau5(known, problem, name);
    Curve ours;
    for (const PeerRun& run : sweeps[0].runs) {
      if (run.ok) ours.push_back({run.err_p, static_cast<double>(run.evaluations)});
    }
    for (int level = first_level; level <= last_level; ++level) {
      const double error = std::pow(10.0, -level);
      const auto f = smooth_cost(ours, error), f5 = smooth_cost(theirs, error);
      const auto time = time_at(sweeps[0], error), sparse = time_at(sweeps[1], error);
      const auto full = with_dense ? time_at(sweeps[2], error) : std::nullopt;
      std::printf("| %s | 1e-%d |", name.c_str(), level);
      cell(" %.0f |", f);
      cell(" %.0f |", f5);
      cell(" %.2f |", ratio(f, f5));
      cell(" %.3g |", time);
      cell(" %.3g |", full);
      cell(" %.2f |", ratio(time, full));
      cell(" %.3g |", sparse);
      cell(" %.2f |", ratio(time, sparse));
      std::printf("\n");
      counts.add(ratio(f, f5));
      dense.add(ratio(time, full));
      klu.add(ratio(time, sparse));
      best.add(ratio(time, full && sparse && full->value < sparse->value ? full : sparse));
    }
    std::fflush(stdout);
  }
  std::printf("\n");
  counts.print("Right-hand sides");
  dense.print("Times by IDA dense");
  klu.print("Times by IDA KLU");
  best.print("Times by the better IDA");
}

}  // namespace mbs::test
