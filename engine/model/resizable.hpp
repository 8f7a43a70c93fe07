#pragma once

// Structural parameters that may change after the FMU is made. A Model is folded and knows nothing
// of them; its file does, whose repeats are not expanded.

#include <string>
#include <string_view>
#include <vector>

namespace mbs {

// Their names, in the order of the file, which has been read without errors.
std::vector<std::string> resizable_parameters(std::string_view text);

// Whole numbers at which, or beside which, a model may become another one as its sizes grow: those
// that stand in conditions on sizes and indices ("if(i == 7, ...)", min, mod, ...), and in
// structural parameters, which such conditions may name. Ascending.
std::vector<int> turning_sizes(std::string_view text);

}  // namespace mbs
