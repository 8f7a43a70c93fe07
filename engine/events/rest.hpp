#pragma once

// Static equilibrium with contacts and dry friction: the equilibrium for given modes (analysis/),
// with modes changed until no contact pulls and none is penetrated. Friction that sticks holds the
// start where it is, so that there may be many equilibria; the one is found that the start holds.

#include "engine/analysis/equilibrium.hpp"
#include "engine/events/contacts.hpp"

namespace mbs {

Equilibrium find_rest(const Equations& equations, const Given& given, Contacts& contacts, State& x,
                      const EquilibriumOptions& options = {});

}  // namespace mbs
