#pragma once

// `bdf` against IDA, `bench_peers bdf`: times at equal errors, by the same Equations and Jacobians.

#include <string>
#include <vector>

namespace mbs::test {

void print_bdf(const std::vector<std::string>& problems);

}  // namespace mbs::test
