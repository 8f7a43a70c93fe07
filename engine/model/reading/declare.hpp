#pragma once

// An item gets its place in the Model's lists and its names.

#include <map>
#include <string>

#include "engine/model/reading/read_context.hpp"

namespace mbs {

// False when the name cannot be had: missing, unusable or taken.
bool declare_name(ReadContext& context, const std::string& full, const std::string& keyword,
                  Entity entity, int scope, const Place& place);

using AnonymousNames = std::map<std::string, int>;  // "spring" -> how many have no name

// Adds an item; the result is the body that it is, or ground.
int declare(ReadContext& context, pugi::xml_node node, const TagSchema& tag, int scope, int owner,
            AnonymousNames& anonymous);

// The states of a force's own, after all <state>: "cylinder.pressure_a".
void declare_states(ReadContext& context, const Item& item);

}  // namespace mbs
