#pragma once

// Questions that the reader and the manual ask of the schema's tables.

#include <string_view>

#include "engine/model/schema.hpp"

namespace mbs {

bool is_item(TagRole role);  // a body, frame, joint or force

// One of a tag's rules, as written in TagSchema::rules: kind(first,second).
struct Rule {
  std::string_view kind, first, second;
};
Rule parse_rule(std::string_view text);

}  // namespace mbs
