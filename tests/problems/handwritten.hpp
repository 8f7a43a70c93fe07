#pragma once

// The common part of all hand-written problems: Z = I, no first-order states, constant names and
// scales.

#include <string>
#include <utility>
#include <vector>

#include "engine/equations/equations.hpp"

namespace mbs::test {

using Places = std::vector<std::pair<int, int>>;  // (row, column), from 0

class Handwritten : public Equations {
 public:
  State initial(const Context&, double t0) const override;
  void velocity(const Context&, const State&, Workspace&) const override;
  void gamma(const Context&, const State&, Workspace& ws) const override { ws.gamma.setZero(); }
  Energy energy(const Context&, const State&, Workspace&) const override;

 protected:
  Handwritten(int n_p, int n_lambda, const Places& M, const Places& G, const Places& F = {});

  // NaN when forces are not conservative.
  virtual double potential(const Context&, const State&) const;

  // The pattern of the Jacobian with respect to p, v and lambda when d(f - M a - G^T lambda)/d(p,v)
  // and dG/dp (so that of G v, of G a + gamma and of g) have these patterns.
  void set_jacobian_pattern(const Places& dynamics_p, const Places& dynamics_v,
                            const Places& constraints_p);

  Vector p0_, v0_;
};

// Entries of the band |i - j| <= width of an n x n matrix.
Places band(int n, int width);
Places full(int rows, int cols);

}  // namespace mbs::test
