#include "engine/analysis/influence.hpp"

#include "engine/analysis/difference_columns.hpp"
#include "engine/analysis/influence_point.hpp"
#include "engine/analysis/influence_search.hpp"

namespace mbs {

Influence find_influence(const Equations& equations, const Equations& blurred_equations,
                         const Context& context, const State& at,
                         std::span<const KnownParameter> of_parameters, bool stays) {
  const Sizes& n = equations.sizes();
  Influence result;
  const Structure& known = equations.structure();
  if (!known.M_assembled) return result;  // nor is there a Jacobian
  const bool shares = known.redundancy == Structure::Redundancy::minimum_norm;
  if (shares && !known.contacts.empty()) return result;
  const int states = n.p + n.v + n.r, exact = states + n.u;
  result.rates = states;
  result.outputs = n.y;
  result.events = n.phi;
  result.time = exact;
  result.contacts = static_cast<int>(known.contacts.size());
  result.columns = exact + 1 + static_cast<int>(of_parameters.size()) + result.contacts;
  const int rows = result.rows();
  InfluenceSample sample(equations, context, at, of_parameters, stays);
  constexpr double most_work = 6e7;  // some seconds
  if (1.0 * sample.points() * rows * result.columns > most_work) return result;
  if (shares) {
    DifferenceColumns here(equations, context, at, of_parameters);
    DifferenceColumns blurred(blurred_equations, context, at, of_parameters);
    search_influence(here, blurred, sample, 0, n.parameters > 0, result);
    return result;
  }
  InfluenceColumns here(equations, of_parameters), blurred(blurred_equations, of_parameters);
  if (here.knows_outputs())
    search_influence(here, blurred, sample, exact, n.parameters > 0, result);
  return result;
}

}  // namespace mbs
