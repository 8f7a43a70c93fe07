#pragma once

// Rows of G that are left out because others imply them (Structure::Redundancy::drop). Equations
// with Structure::dropped call these after their own stages; a row that is out is an inactive one:
// zeros in G, g, gI and gamma, and the equation lambda_i = 0. Their position stage has to reset D,
// and the pattern of their Jacobian to have an entry for -D in each row.

#include "engine/equations/equations.hpp"

namespace mbs {

inline bool is_dropped(const Structure& known, const State& x, int row) {
  return known.dropped >= 0 && x.modes[static_cast<std::size_t>(known.dropped + row)] != 0;
}

// Gives every row of `n` a mode, once all rows and other modes are counted.
inline void allow_dropping(Sizes& n, Structure& known) {
  if (known.redundancy != Structure::Redundancy::drop && known.named_rows.empty()) return;
  known.dropped = n.modes;
  n.modes += n.lambda;
}

// After the stages position (`want` as there) and gamma, and after jacobian.
void drop_positions(const Structure&, const State&, unsigned want, Workspace&);
void drop_gamma(const Structure&, const State&, Workspace&);
void drop_jacobian(const Sizes&, const Structure&, const State&, Workspace&);

}  // namespace mbs
