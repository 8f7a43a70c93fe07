#pragma once

// Removes rounding from velocities that friction holds at zero for long: 1e-16 |f| h / m in each
// step would add up to a creep where steps are long. One step of iterative refinement of the rows
// G y + c = 0, y = v or a,
//
//   ( M G^T ) ( dy )   (       0      )
//   ( G  0  ) ( dl ) = ( -(G y + c)   ),   y <- y + dy
//
// leaves only rounding of y itself. It is taken only where a contact sticks.

#include "engine/contact/modes.hpp"
#include "engine/integrators/extrapolation/discretisation.hpp"

namespace mbs::extrapolation {

class StickRefinement {
 public:
  explicit StickRefinement(const Sizes& n) : dy_(Vector::Zero(n.v)), dl_(Vector::Zero(n.lambda)) {}

  void refine(const DiscretisationContext& in, const State& x, const Vector& c, Vector& y) {
    if (!present(in.equations.structure(), x)) return;
    dl_ = c;
    dl_.noalias() += in.ws.G * y;
    dl_ = -dl_;
    dy_.setZero();
    in.solver.solve(dy_, dl_);
    ++in.statistics.solves;
    y += dy_;
  }

 private:
  static bool present(const Structure& known, const State& x) {
    for (const Structure::Contact& c : known.contacts) {
      if (c.tangents > 0 && active_tangents(contact_mode(x, c)) != 0) return true;
    }
    return false;
  }

  Vector dy_, dl_;
};

}  // namespace mbs::extrapolation
