#pragma once

// Static equilibrium with contacts and dry friction: the equilibrium for given modes
// (static_equilibrium.hpp), with modes changed until no contact pulls and none is penetrated.
// Friction that sticks keeps the start where it is, so that there may be many equilibria; the one
// is found that the start can reach.

#include "engine/contact/contacts.hpp"
#include "engine/equations/static_equilibrium.hpp"

namespace mbs {

Equilibrium find_static_equilibrium(const Equations& equations, const Context& context,
                                    Contacts& contacts, State& x,
                                    const EquilibriumOptions& options = {});

}  // namespace mbs
