#pragma once

// Schema: what single integrators take besides the attributes of `solver`. One tag for each, which
// counts when its integrator works; their values reach the integrator by name
// (engine/integrators/common/method_options.hpp).

#include "engine/model/schema/structure.hpp"

namespace mbs::tables {

inline constexpr TagSchema method_tags[] = {
    {.name = "radau",
     .role = TagRole::setting,
     .parents = "mbs",
     .doc = "Options of the integrator `radau`.",
     .example = R"xml(<radau/>)xml"},
    {.name = "bdf",
     .role = TagRole::setting,
     .parents = "mbs",
     .doc = "Options of the integrator `bdf`.",
     .example = R"xml(<bdf/>)xml"},
    {.name = "reduction",
     .role = TagRole::setting,
     .parents = "mbs",
     .doc = "Options of the integrator `reduction`.",
     .example = R"xml(<reduction/>)xml"},
};

}  // namespace mbs::tables
