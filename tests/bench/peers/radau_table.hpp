#pragma once

// `radau` against IDA and RADAU5, `bench_peers radau`: times at equal errors by the same Equations
// and Jacobians as IDA, dense and with KLU; right-hand sides at equal errors against those of
// radau5-idx2 in peers.csv without its difference Jacobians.

#include <string>
#include <vector>

namespace mbs::test {

void print_radau(const std::vector<std::string>& problems);

}  // namespace mbs::test
