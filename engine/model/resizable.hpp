#pragma once

// Structural parameters that may change after the FMU is made. A Model is folded and knows nothing
// of them; its file does, whose repeats are not expanded.

#include <string>
#include <string_view>
#include <vector>

namespace mbs {

// The names of resizable parameters, in the order of the file, which has been read without errors.
std::vector<std::string> resizable_parameters(std::string_view text);

// Whether a formula has branches (a comparison, min, a curve, ...) that an index or a structural
// parameter enters: the model may then be another one at some size.
bool has_branches_of_sizes(std::string_view text);

}  // namespace mbs
