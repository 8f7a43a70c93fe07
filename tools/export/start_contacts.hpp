// What contacts add to a start in any of their modes. Contacts that are open where it is looked may
// be closed elsewhere, and may slide or bounce. What tells them (their gaps and speeds, their laws)
// acts on all that they do then.
#pragma once

#include <vector>

#include "engine/analysis/influence.hpp"
#include "tools/export/starts.hpp"

namespace mbs {

// Of a start that moves on at once. For each contact and knob, whether it acts on its mode.
// running: its columns after those of the states are the knobs.
std::vector<std::vector<char>> add_contacts(const Sizes& n, const Influence& running,
                                            std::size_t knobs, Acting& acts);

}  // namespace mbs
