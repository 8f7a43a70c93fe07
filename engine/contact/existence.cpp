#include "engine/contact/existence.hpp"

#include <algorithm>
#include <utility>

#include "engine/base/text.hpp"

namespace mbs {
namespace {

constexpr int factors_tried = 20;  // between 0 and 1, so that the first one without is found
constexpr double accuracy = 1e-9;  // of the factor

ContactProblem with_friction_scaled(ContactProblem problem, double factor) {
  for (FrictionCone& cone : problem.cones) {
    cone.mu *= factor;
    cone.limit *= factor;
  }
  return problem;
}

}  // namespace

FrictionExistence examine_existence(const ContactProblem& problem) {
  FrictionExistence result;
  result.found = solve(problem).found;
  if (result.found) return result;
  const auto holds = [&](double factor) {
    return solve(with_friction_scaled(problem, factor)).found;
  };
  result.solvable = -1.0;
  result.unsolvable = 0.0;
  for (int k = 0; k < factors_tried && holds(result.unsolvable); ++k) {
    result.solvable = result.unsolvable;
    result.unsolvable = static_cast<double>(k + 1) / factors_tried;
  }
  while (result.solvable >= 0.0 && result.unsolvable - result.solvable > accuracy) {
    const double between = 0.5 * (result.solvable + result.unsolvable);
    (holds(between) ? result.solvable : result.unsolvable) = between;
  }
  result.contacts = solve(with_friction_scaled(problem, result.unsolvable)).contradicting;
  for (const std::string& name : result.contacts) {
    const auto cone = std::find_if(problem.cones.begin(), problem.cones.end(),
                                   [&](const FrictionCone& c) { return c.name == name; });
    result.mu.push_back(result.unsolvable * cone->mu);
  }
  return result;
}

std::string FrictionExistence::text() const {
  if (found) return "a solution exists";
  std::string list;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    list += (i > 0 ? ", '" : "'") + contacts[i] + "'";
    if (solvable >= 0.0) list += " (mu = " + short_number(mu[i]) + ")";
  }
  if (solvable < 0.0) return "no forces exist, with or without friction: " + list;
  return "no forces exist from " + short_number(unsolvable) + " times the friction on: " + list;
}

}  // namespace mbs
