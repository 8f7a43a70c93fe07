#pragma once

// Structural parameters that may change after the FMU is made. A Model is folded and knows nothing
// of them; its file does, whose repeats are not expanded.

#include <string>
#include <string_view>
#include <vector>

namespace mbs {

// Their names, in the order of the file, which has been read without errors.
std::vector<std::string> resizable_parameters(std::string_view text);

// Numbers at which, or beside which, a model may become another one as its sizes grow, rounded up:
// those that stand where a law of several pieces (a comparison, min, mod, a curve, ...) follows
// sizes and indices, and in the structural parameters named there. Ascending.
// A million where they do not tell: products, curves and numbers with units turn anywhere.
std::vector<int> turning_sizes(std::string_view text);

}  // namespace mbs
