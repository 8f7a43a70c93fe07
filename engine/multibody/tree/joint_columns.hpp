#pragma once

// Scratch of the Jacobian in joint coordinates.

#include "engine/base/types.hpp"
#include "engine/multibody/tree/derivatives.hpp"

namespace mbs {

template <class Space>
struct JointColumns {
  TreeDerivatives<Space> inertia;
  std::vector<std::array<double, 4>> turning;  // per v: d(displacement)/d(Euler parameters)
  Vector partial;                              // residuals in absolute coordinates
  Vector column;                               // residuals here
  Matrix part;                                 // columns of three turns
  std::vector<DoubleScrew<Space>> change;      // per node, at its origin
  std::vector<Vec<double, Space::dim>> force;  // what acts on each body
  std::vector<Impedance<Space>> impedance;     // how it follows that body alone, see apart_
  // Of carry_row, per node: how an output changes with displacements, velocities and accelerations
  // of all that hangs on it; `order` says which of them are not zero.
  enum class Order : unsigned char { nothing, position, first, second };
  struct Carried {
    Order order = Order::nothing;
    DoubleScrew<Space> by_S, by_first, by_second;
  };
  std::vector<Carried> carried;
};

}  // namespace mbs
