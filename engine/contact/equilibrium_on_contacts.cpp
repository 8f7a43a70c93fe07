#include "engine/contact/equilibrium_on_contacts.hpp"

namespace mbs {
namespace {

constexpr int rounds_for_each = 4;  // changes of mode of one contact

Equilibrium equilibrium_on_contacts(const Equations& equations, const Context& context,
                                    Contacts& contacts, State& x,
                                    const EquilibriumOptions& options) {
  const std::vector<Structure::Contact>& all = equations.structure().contacts;
  Equilibrium found;
  State at = x;
  found.message = contacts.rest(at);
  if (!found.message.empty()) return found;
  for (std::size_t round = 0; round < rounds_for_each * all.size(); ++round) {
    State start = at;
    found = find_equilibrium(equations, context, at, options);
    if (!found.ok) {
      std::string open;
      for (const Structure::Contact& c : all) {
        const bool away = at.modes[static_cast<std::size_t>(c.mode)] == Structure::open;
        if (away) open += (open.empty() ? "'" : ", '") + c.name + "'";
      }
      if (!open.empty()) {
        found.message += " Open contacts hold nothing, these are " + open +
                         ": let what is to rest there touch at the start.";
      }
      return found;
    }
    std::string wrong;
    if (!contacts.revise_rest(at, start, wrong)) {
      found.ok = wrong.empty();
      found.message = wrong;
      if (found.ok) x = at;
      return found;
    }
    at = start;
  }
  found.ok = false;
  found.message =
      "no static equilibrium was found: contacts open and close in turn. Give initial "
      "positions closer to it.";
  return found;
}

}  // namespace

Equilibrium find_static_equilibrium(const Equations& equations, const Context& context,
                                    Contacts& contacts, State& x,
                                    const EquilibriumOptions& options) {
  if (!contacts.any()) return find_equilibrium(equations, context, x, options);
  return equilibrium_on_contacts(equations, context, contacts, x, options);
}

}  // namespace mbs
