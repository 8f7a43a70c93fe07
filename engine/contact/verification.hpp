#pragma once

// What no event may leave behind, whatever the solution of its contact problem: a closed contact
// that pulls, friction beyond its cone, a closed contact or one that sticks with a speed, a
// position that has changed by more than the gaps that were closed.

#include <string>

#include "engine/contact/mechanics.hpp"

namespace mbs {

// The state after an event against that before it. The first contact that violates the laws of
// contact, with what it does; empty: none. zero_speed: speeds below it are rounding.
std::string find_violation(ContactMechanics& mechanics, const State& before, const State& after,
                           double zero_speed);

}  // namespace mbs
