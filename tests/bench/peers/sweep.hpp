#pragma once

// Runs solvers over tolerances, several rounds in turn, and keeps the least time of each run.

#include <memory>
#include <optional>
#include <vector>

#include "tests/bench/peers/curve.hpp"
#include "tests/bench/peers/solver.hpp"

namespace mbs::test {

struct Sweep {
  std::unique_ptr<PeerSolver> solver;
  int per_decade = 4;  // tolerances, from 1e-2 on until the error is far below the last level
  int most_rounds = 30;
  double accurate_enough = 1e-10;  // errors below need no smaller tolerance
  std::vector<PeerRun> runs;

  Curve factorisations() const;
  Curve milliseconds() const;
};

// Rounds until `seconds` are over, but at least three where most_rounds admits them. Throws
// std::runtime_error when counts differ between rounds.
void run_sweeps(std::vector<Sweep>& sweeps, double seconds);

}  // namespace mbs::test
