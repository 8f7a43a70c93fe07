#pragma once

// Equations that are driven by functions of time of their own, beside the inputs: motions of
// suspensions, drives, roads. Input i stands for an addition to function i, so that
//
//   u_i(t) = (the model's function i)(t) + input i at t
//
// and derivatives with respect to u_i are those with respect to input i. Functions without such an
// addition, and inputs that are nothing but inputs, need nothing here.

#include "engine/equations/equations.hpp"

namespace mbs {

class Excited {
 public:
  virtual ~Excited() = default;
  virtual void excitation(const Given&, double t, Vector& u) const = 0;  // u: Sizes::u entries
};

// The excitation of any equations: their own, or the inputs.
inline void excitation_of(const Equations& equations, const Given& given, double t, Vector& u) {
  if (const auto* excited = dynamic_cast<const Excited*>(&equations)) {
    excited->excitation(given, t, u);
    return;
  }
  for (int i = 0; i < u.size(); ++i) u[i] = given.inputs.at(i, t);
}

}  // namespace mbs
