#pragma once

// Whether friction is what leaves a contact problem without a solution. A solution exists for any
// friction where some motion parts or keeps all contacts, G v + b in the interior of the dual cones
// (Klarbring and Pang, 1998; Acary et al., 2011), which holds where W is positive definite. With
// friction of a given direction, or where b contradicts a singular W, there may be none (Painleve,
// 1895), or none beyond a certain friction: all coefficients and limits are scaled by one factor to
// find it.

#include <string>
#include <vector>

#include "engine/contact/solver.hpp"

namespace mbs {

struct FrictionExistence {
  bool found = false;  // there is a solution
  // The largest factor up to which all scaled problems were solved, and the smallest at which one
  // was not: 1, and 1 where there is a solution. Negative: not even without friction.
  double solvable = 1.0, unsolvable = 1.0;
  std::vector<std::string> contacts;  // whose forces grow without bound there
  std::string text() const;           // for messages, with mu of these contacts
  std::vector<double> mu;             // of these contacts, at which a solution ceases to exist
};

FrictionExistence examine_existence(const ContactProblem& problem);

}  // namespace mbs
