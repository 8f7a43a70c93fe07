#pragma once

// Who is to blame for a singular saddle matrix, for messages only: allocates and is slow.

#include <string>

#include "engine/equations/equations.hpp"

namespace mbs {

// From the M, G and D a workspace holds: the row or column with the smallest pivot, by name.
std::string describe_singular(const Structure& structure, const Workspace& ws);

}  // namespace mbs
