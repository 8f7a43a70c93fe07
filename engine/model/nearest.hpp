#pragma once

// "Did you mean": the known keyword nearest to a misspelt one.

#include <span>
#include <string>
#include <string_view>

namespace mbs {

// The cost of changing a into b: 4 for each letter inserted, left out, exchanged or swapped with
// the next, 1 for a capital instead of a small letter or the other way round.
int edit_distance(std::string_view a, std::string_view b);

// The nearest of `known` when it is near enough to be meant; otherwise empty.
std::string nearest(std::string_view keyword, std::span<const std::string_view> known);

// "did you mean 'x'?", or a list when there are few keywords, or nothing.
std::string did_you_mean(std::string_view keyword, std::span<const std::string_view> known);

}  // namespace mbs
