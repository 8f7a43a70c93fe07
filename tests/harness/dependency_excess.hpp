// How many entries of a model's lists have no effect that harness_dependencies_test detects, in that
// of the two versions that has more: what cancels, what settings do not reach, and what is solved for
// together with others. Fewer are better; more are an error.
#pragma once

#include <map>
#include <string>

namespace mbs::test {

struct Excess {
  int running, starting;
};

inline const std::map<std::string, Excess> dependency_excess = {
};

}  // namespace mbs::test
