#pragma once

// The inputs on which an output depends at the same instant (direct feedthrough), read off the
// model's expressions.
//
//   positions, velocities, kinetic energy, residuals   none, unless an input moves a joint
//   accelerations, reactions, potential energy         the inputs of all elements
//   the value of a force element                       the inputs of this element; of all where it
//                                                      constrains (contact, drive, rolling, ...)
//   expressions                                        their own
//
// Auxiliary unknowns w are solved together, so each depends on the inputs of all of them.

#include <vector>

#include "engine/model/model.hpp"

namespace mbs {

class Feedthrough {
 public:
  using Inputs = std::vector<int>;  // indices in Model::inputs, ascending

  explicit Feedthrough(const Model& model);
  Inputs inputs_of(const Output& output) const;
  const Inputs& of_auxiliary() const { return auxiliary_; }

 private:
  Inputs inputs_of(const Expression& expression) const;
  Inputs inputs_of(const Element& element) const;

  const Model& model_;
  Inputs motion_;     // of positions and velocities
  Inputs auxiliary_;  // of w
  Inputs forces_;     // of accelerations and reactions
};

}  // namespace mbs
