#pragma once

// Why a step came to nothing, and what a person is told when no step succeeds. Allocates and is
// slow.

#include <string>

#include "engine/equations/equations.hpp"

namespace mbs {

enum class Trouble { none, error, newton, singular, not_finite, auxiliary, projection, rank };

struct Explanation {
  std::string reason, advice;  // the reason may be empty
};

// size, at: of the error estimate or Newton's last change, by the tolerance, and the unknown of
// (p, v, r) where it is largest; of a projection the residual and its row; of a rank the row that
// became dependent. ws holds M, G and D of a singular matrix.
Explanation explain(Trouble trouble, double size, int at, const Equations& equations,
                    const Workspace& ws);

// The model's name of an unknown of (p, v, r).
std::string unknown_name(const Equations& equations, int i);

}  // namespace mbs
