#pragma once

// The baseline of what `bdf` saves: with DASSL's own choices (corrector="dassl") it must need what
// DASSL needs, peers.csv.

#include <string>
#include <vector>

#include "tests/bench/peers/curve.hpp"

namespace mbs::test {

struct BaselineCase {
  const char *problem, *solver;  // as in peers.csv
};
extern const std::vector<BaselineCase> baseline_cases;

// Ours by theirs at an error of p. peers.csv counts the residuals of difference Jacobians, with the
// columns of eta; here they are left out.
struct BaselineRatio {
  double error;
  std::optional<Cost> steps, residuals, jacobians;
};
std::vector<BaselineRatio> baseline_ratios(const BaselineCase&);

}  // namespace mbs::test
