#pragma once

// The exact derivatives of outputs, where equations know them; the outputs of others are
// differenced.

#include "engine/equations/equations.hpp"

namespace mbs {

// A change of everything at a time: the caller gives p, v, r and u, the others follow.
struct Variation {
  Vector p, v, r, u;
  Vector a, lambda, w, s;
  explicit Variation(const Sizes& n);
  void move(State& x, double by) const;  // all of it but u
};

class OutputDerivatives {
 public:
  virtual ~OutputDerivatives() = default;
  // Keeps in the workspace what output_change() needs, at x with its a, lambda, w and s. Once after
  // each jacobian() there, in the same workspace, which has seen nothing but position() since then.
  virtual void prepare_outputs(const Context&, const State& x, Workspace&) const = 0;
  // dy: the derivatives of the outputs along the change. They are zero for outputs that
  // HybridSystem fills, and for residuals: these are distances, whose slopes to both sides have the
  // mean 0.
  virtual void output_change(const Variation& change, Eigen::Ref<Vector> dy, Workspace&) const = 0;
};

}  // namespace mbs
