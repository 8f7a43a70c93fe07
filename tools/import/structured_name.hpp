// The structured naming convention of FMI 2.0 and 3.0, the same in both.
#pragma once

#include <string_view>

namespace mbs {

// Parts joined by '.', each an identifier or 'quoted', with [1,2] behind it; or der(name) or
// der(name,order).
bool is_structured_name(std::string_view text);

}  // namespace mbs
