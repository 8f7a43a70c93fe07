#pragma once

namespace mbs {

// Equations whose M depends much on p, and f with it, as in joint coordinates: what a force does is
// known to both together, and a method that takes M and f at different points does harm.
class MovingMass {
 public:
  virtual ~MovingMass() = default;
};

}  // namespace mbs
