#pragma once

// The linear solvers' keywords, apart from all else: the model language offers the same ones.

#include <string_view>

namespace mbs {

inline constexpr std::string_view saddle_keywords =
    "auto|dense|symmetric|range_space|block|sparse|tree|cg";

// Takes redundant constraints; chosen by the policy on these, not by hand.
inline constexpr std::string_view least_norm_keyword = "least_norm";

}  // namespace mbs
