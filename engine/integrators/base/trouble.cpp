#include "engine/integrators/base/trouble.hpp"

#include "engine/base/text.hpp"
#include "engine/integrators/base/singular.hpp"

namespace mbs {

std::string unknown_name(const Equations& equations, int i) {
  const Structure& names = equations.structure();
  const Sizes& n = equations.sizes();
  return i < n.p         ? name_of(names.p_names, i, "position")
         : i < n.p + n.v ? name_of(names.v_names, i - n.p, "velocity")
                         : name_of(names.r_names, i - n.p - n.v, "state");
}

Explanation explain(Trouble trouble, double size, int at, const Equations& equations,
                    const Workspace& ws) {
  const Structure& names = equations.structure();
  switch (trouble) {
    case Trouble::none:
      return {"", "Loosen the tolerances or the limits of the solver"};
    case Trouble::error:
      return {"the error estimate is " + short_number(size) + " times the tolerance, largest in " +
                  unknown_name(equations, at),
              "Loosen the tolerances, or look for a jump that acts on it"};
    case Trouble::newton:
      return {"Newton's method does not converge, its last change is " + short_number(size) +
                  " times the tolerance, largest in " + unknown_name(equations, at),
              "Look for a jump or a very steep force acting on it"};
    case Trouble::singular:
      return {describe_singular(names, ws),
              "Look for redundant joints, a singular position, or a coordinate without mass there"};
    case Trouble::not_finite:
      return {"the equations give a value that is not a finite number",
              "Look for a division by zero or a root of a negative number in the model's "
              "expressions at this time"};
    case Trouble::auxiliary:
      return {"the auxiliary unknowns cannot be solved for",
              "Look at the algebraic equations of the model, and at the guess of their unknowns"};
    case Trouble::projection:
      return {"the projection does not converge, residual " + short_number(size) + " in " +
                  name_of(names.lambda_names, at, "constraint"),
              "Look for joints that cannot be satisfied together at this time, or tighten the "
              "tolerances"};
    case Trouble::rank:
      return {"the rank of the constraints changes" +
                  (at >= 0 ? ", now dependent: " + name_of(names.lambda_names, at, "constraint")
                           : std::string()),
              "Look for a singular position of the mechanism (a dead point, links in line), or "
              "joints that become redundant there"};
  }
  return {};
}

}  // namespace mbs
