#pragma once

// States in z that hold what second-order filters have made of their inputs so far. A coordinate
// that follows an input through such a filter has a row of G,
//
//   0 = q - x,   T^2 x'' + 2 T x' + x = u
//
// with x known in closed form while the integrator knows the inputs. Where q and q' are given
// (model exchange, partial derivatives) the filter starts from them, x = q and x' = q', and the row
// of accelerations depends on them:  0 = q'' - (u - q - 2 T q')/T^2.

#include <string>
#include <vector>

#include "engine/equations/equations.hpp"

namespace mbs {

class InputFilterStates {
 public:
  virtual ~InputFilterStates() = default;
  // Inputs or parameters change at t: brings z up to that time. The message says why the change is
  // impossible; it is empty where it is possible.
  virtual std::string change(const Context& before, const Context& after, double t,
                             Vector& z) const = 0;
  // Coordinates that follow an input: their rows of G, and where T stands in Parameters::derived.
  struct Following {
    std::string name;
    int row, lag;
  };
  virtual std::vector<Following> following() const = 0;
  // Starts the filters from the q and q' of x; a filter with T = 0 has no states.
  virtual void set_filters_to_motion(const Context& context, State& x, Workspace& ws) const = 0;
};

// Does nothing for equations without filters.
void set_filters_to_motion(const Equations& equations, const Context& context, State& x,
                           Workspace& ws);

// Why an external integrator, which knows no derivatives of inputs, cannot integrate the equations:
// a drive follows its input without a lag. Empty when there is none.
std::string why_no_exchange(const Equations& equations, const Parameters& parameters);

}  // namespace mbs
