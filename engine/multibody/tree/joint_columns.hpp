#pragma once

// Scratch of the columns of a Jacobian in joint coordinates.

#include "engine/linear/types.hpp"
#include "engine/multibody/tree/links.hpp"

namespace mbs {

template <class Space>
struct JointColumns {
  Vector partial;                              // residuals in absolute coordinates
  Vector column;                               // residuals here
  Matrix part;                                 // columns of three turns
  std::vector<DoubleScrew<Space>> change;      // per node, at its origin
  std::vector<Vec<double, Space::dim>> force;  // the residual force on each body
};

}  // namespace mbs
