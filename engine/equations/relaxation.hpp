#pragma once

// Dynamic relaxation: motion from rest, with the velocity set to zero at each peak of the kinetic
// energy, until it is close to a rest. It finds stable equilibria alone.
//
// With parameters P to be found, the exact conditions C on positions are held on the way by forces
// of their own, C^T mu, and P is moved at each peak so that these vanish,
//
//   (C W) mu = C a,   W = response of the accelerations to C^T;   dP = -(d mu / dP)^-1 mu

#include <functional>

#include "engine/equations/initial.hpp"

namespace mbs {

class Relaxation {
 public:
  // scale: of the velocity coordinates, as of coordinate_scale; states: as in EquilibriumOptions;
  // trims: indices of P in `parameters`, which given refers to.
  Relaxation(const Equations& equations, const Context& context, const Vector& scale, int states,
             Parameters& parameters, std::vector<int> trims);

  // Moves x by at most so many steps, until `near` is true at a peak of the kinetic energy. False
  // when it cannot go on; true: x is the last point.
  bool run(State& x, int most, const std::function<bool(State&)>& near);

  int steps() const { return steps_; }

 private:
  bool holds() const { return !trims_.empty(); }
  bool accelerate(State& x);
  bool hold(const State& x);
  bool free_velocity(State& x);
  void find_parameters(const State& x);

  const Equations& equations_;
  const Context context_;
  const Vector& scale_;
  const int states_;
  Parameters& parameters_;
  const std::vector<int> trims_;
  std::unique_ptr<Workspace> ws_;
  std::unique_ptr<SaddleSolver> solver_;
  Matrix C_, W_;
  Vector mu_;
  int steps_ = 0;
};

}  // namespace mbs
