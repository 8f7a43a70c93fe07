#pragma once

// Structural parameters that may change after the FMU is made. A Model is folded and knows nothing
// of them; its file does, whose repeats are not expanded.

#include <string>
#include <string_view>
#include <vector>

namespace mbs {

// The names of resizable parameters, in the order of the file, which has been read without errors.
std::vector<std::string> resizable_parameters(std::string_view text);

// Numbers near which a model may change its structure as its sizes grow, rounded up and ascending:
// those in piecewise laws (comparisons, min, mod, curves, ...) of sizes and indices, and in the
// structural parameters named there. A million stands for laws whose switching point is not visible
// in their numbers: products, curves and numbers with units.
std::vector<int> turning_sizes(std::string_view text);

}  // namespace mbs
