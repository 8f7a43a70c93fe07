#include "tests/bench/peers/sweep.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

namespace mbs::test {
namespace {

constexpr int decades = 10;  // 1e-2 ... 1e-12

void first_round(Sweep& sweep) {
  for (int k = 0; k <= decades * sweep.per_decade; ++k) {
    sweep.runs.push_back(sweep.solver->run(std::pow(10.0, -2.0 - 1.0 * k / sweep.per_decade)));
    const PeerRun& last = sweep.runs.back();
    if (last.ok && last.err_p < sweep.accurate_enough) break;
  }
}

void next_round(Sweep& sweep) {
  for (PeerRun& run : sweep.runs) {
    const PeerRun again = sweep.solver->run(run.tolerance);
    if (again.ok != run.ok || again.factorisations != run.factorisations ||
        again.err_p != run.err_p) {
      throw std::runtime_error(sweep.solver->name() + " does not repeat itself");
    }
    run.milliseconds = std::min(run.milliseconds, again.milliseconds);
  }
}

Curve curve(const std::vector<PeerRun>& runs, double (*cost)(const PeerRun&)) {
  Curve points;
  for (const PeerRun& run : runs) {
    if (run.ok) points.push_back({run.err_p, cost(run)});
  }
  return points;
}

}  // namespace

Curve Sweep::factorisations() const {
  return curve(runs, [](const PeerRun& run) { return static_cast<double>(run.factorisations); });
}

Curve Sweep::milliseconds() const {
  return curve(runs, [](const PeerRun& run) { return run.milliseconds; });
}

void run_sweeps(std::vector<Sweep>& sweeps, double seconds) {
  constexpr int least_rounds = 3;
  const auto begin = std::chrono::steady_clock::now();
  const auto over = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() >
           seconds;
  };
  for (Sweep& sweep : sweeps) first_round(sweep);
  for (int round = 2; round <= least_rounds || !over(); ++round) {
    bool ran = false;
    for (Sweep& sweep : sweeps) {
      if (round > sweep.most_rounds) continue;
      next_round(sweep);
      ran = true;
    }
    if (!ran) break;
  }
}

}  // namespace mbs::test
