#pragma once

// Structural parameters that may change after the FMU is made. A Model is folded and knows nothing
// of them; its file does, whose repeats are not expanded.

#include <string>
#include <string_view>
#include <vector>

namespace mbs {

// Their names, in the order of the file, which has been read without errors.
std::vector<std::string> resizable_parameters(std::string_view text);

}  // namespace mbs
