#pragma once

// Equations that remember something of their inputs' past in z (the lags of driven coordinates)
// are also an InputMemory; who changes inputs or parameters on the way tells it.
//
// Coordinates that follow an input through lags have rows of G,
//
//   0 = q - x,   T^2 x'' + 2 T x' + x = u
//
// with x known in closed form while somebody integrates who knows the inputs. Where q and q' are
// given (model exchange, partial derivatives) they are what the lags remember, x = q and x' = q',
// and the row of accelerations depends on them:  0 = q'' - (u - q - 2 T q')/T^2.

#include <string>
#include <vector>

#include "engine/equations/equations.hpp"

namespace mbs {

class InputMemory {
 public:
  virtual ~InputMemory() = default;
  // Inputs or parameters change at t: brings z up to that time. Why the change cannot be, for a
  // person; empty: it can.
  virtual std::string change(const Context& before, const Context& after, double t,
                             Vector& z) const = 0;
  // Coordinates that follow an input: their rows of G, and where T stands in Parameters::derived.
  struct Following {
    std::string name;
    int row, lag;
  };
  virtual std::vector<Following> following() const = 0;
  // What lags remember becomes what is so at x. Nothing where T = 0.
  virtual void remember_motion(const Context& context, State& x, Workspace& ws) const = 0;
};

// Of equations that may be one.
void remember_motion(const Equations& equations, const Context& context, State& x, Workspace& ws);

// Why somebody else cannot integrate, who knows no derivatives of inputs: a drive that follows its
// input without a lag. Empty: there is none.
std::string why_no_exchange(const Equations& equations, const Parameters& parameters);

}  // namespace mbs
